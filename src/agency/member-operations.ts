/** Use cases of members and their invitations, for pages and API. Each one writes a log line; the store writes the audit entries. */

import { type Outcome, refuse } from "../base/outcome.ts";
import { emailKey } from "../store/account-index.ts";
import type { Account, RecordOwner } from "../store/accounts.ts";
import type { IssuedInvitation, Member, MemberInvitation, MemberRole } from "../store/site-accounts.ts";
import type { UseCase } from "../store/store.ts";

/** Page that accepts an invitation. */
export const acceptMemberPath = "/members/accept";
export const invitationParam = "invitation";

/** `value` is secret: pages that show the link must not be cached. */
export function memberInvitationPath(value: string): string {
  return `${acceptMemberPath}?${invitationParam}=${encodeURIComponent(value)}`;
}

export type InvitationMail = "sent" | "failed" | "too-many" | "no-mail";

/** Sends the link by mail. Null without a mail server. Never rejects. */
export type SendInvitation = ((owner: Account, invitation: MemberInvitation, url: string) => Promise<InvitationMail>) | null;

/** `own`: the address of the owner. `member`: the address of a member. `full`: too many open invitations. */
export type InvitationFault = "email-invalid" | "own" | "member" | "full";

interface MemberContext extends UseCase<"accounts" | "members"> {
  /** Outcome of the mail; null without a mail server. */
  readonly mail: { readonly memberInvitation: NonNullable<SendInvitation> } | null;
}

interface GivenInvitation {
  readonly email: string;
  readonly role: MemberRole;
  /** Origin of the link in the mail. */
  readonly origin: string;
}

export async function addMemberInvitation(
  { store, mail, now, log }: MemberContext,
  owner: Account,
  { email, role, origin }: GivenInvitation,
): Promise<Outcome<IssuedInvitation & { readonly mail: InvitationMail }, InvitationFault>> {
  const isAddressOf = (account: Account | undefined) => account !== undefined && emailKey(account.email) === emailKey(email);
  if (isAddressOf(owner)) return refuse("own");
  if (store.members.list(owner.id).some(({ memberId }) => isAddressOf(store.accounts.findById(memberId)))) return refuse("member");
  const issued = await store.members.invite({ ownerId: owner.id, email, role }, now());
  if (typeof issued === "string") return refuse(issued);
  const url = `${origin}${memberInvitationPath(issued.value)}`;
  const sent = mail === null ? "no-mail" : await mail.memberInvitation(owner, issued.invitation, url);
  log.info("member invited", { account: owner.id, role, mail: sent });
  return { done: { ...issued, mail: sent } };
}

export async function withdrawMemberInvitation(
  { store, now, log }: MemberContext,
  owner: RecordOwner,
  email: string,
): Promise<Outcome<null, "unknown">> {
  const open = store.members.invitations(owner.id, now()).find((one) => emailKey(one.email) === emailKey(email));
  if (open === undefined) return refuse("unknown");
  await store.members.withdraw(owner.id, open.email);
  log.info("invitation of a member withdrawn", { account: owner.id, role: open.role });
  return { done: null };
}

export async function changeMemberRole(
  { store, log }: MemberContext,
  owner: RecordOwner,
  { memberId, role }: Pick<Member, "memberId" | "role">,
): Promise<Outcome<Member, "unknown">> {
  const changed = await store.members.setRole(owner.id, memberId, role);
  if (changed === undefined) return refuse("unknown");
  log.info("role of a member changed", { account: owner.id, member: memberId, role });
  return { done: changed };
}

/** `by`: the owner, or the member who leaves. */
export async function removeMember(
  { store, log }: MemberContext,
  by: RecordOwner,
  { ownerId, memberId }: Pick<Member, "ownerId" | "memberId">,
): Promise<Outcome<null, "unknown">> {
  if (by.id !== ownerId && by.id !== memberId) return refuse("unknown");
  if (!(await store.members.remove(ownerId, memberId, by.id))) return refuse("unknown");
  log.info(by.id === memberId ? "member left" : "member removed", { account: ownerId, member: memberId });
  return { done: null };
}
