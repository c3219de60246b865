/** Invitations to share the watched sites of an account, from the pages and from the API. */
import { emailKey } from "../store/account-index.ts";
import type { Account } from "../store/accounts.ts";
import type { IssuedInvitation, MemberInvitation, MemberRole } from "../store/site-accounts.ts";
import type { Store } from "../store/store.ts";

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

export interface InvitationTerms {
  readonly store: Pick<Store, "accounts" | "members">;
  readonly send: SendInvitation;
  /** Origin of the link in a mail. */
  readonly origin: string;
  readonly now: Date;
}

export interface SentInvitation extends IssuedInvitation {
  readonly mail: InvitationMail;
}

/** `own`: the address of the owner. `member`: that of a member. `full`: too many open invitations. */
export type InvitationFault = "email-invalid" | "own" | "member" | "full";

export async function inviteMember(
  { store, send, origin, now }: InvitationTerms,
  owner: Account,
  { email, role }: { readonly email: string; readonly role: MemberRole },
): Promise<SentInvitation | InvitationFault> {
  const isAddressOf = (account: Account | undefined) => account !== undefined && emailKey(account.email) === emailKey(email);
  if (isAddressOf(owner)) return "own";
  if (store.members.list(owner.id).some(({ memberId }) => isAddressOf(store.accounts.findById(memberId)))) return "member";
  const issued = await store.members.invite({ ownerId: owner.id, email, role }, now);
  if (typeof issued === "string") return issued;
  const url = `${origin}${memberInvitationPath(issued.value)}`;
  return { ...issued, mail: send === null ? "no-mail" : await send(owner, issued.invitation, url) };
}
