/** Invitations to share the watched sites of an account, from the pages and from the API. */
import type { Account } from "../store/accounts.ts";
import type { IssuedInvitation, MemberInvitation } from "../store/site-accounts.ts";

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

export interface SentInvitation extends IssuedInvitation {
  readonly mail: InvitationMail;
}

/** `own`: the address of the owner. `member`: that of a member. `full`: too many open invitations. */
export type InvitationFault = "email-invalid" | "own" | "member" | "full";
