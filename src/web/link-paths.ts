/** Paths that other parts of the program name: of one-time links, and of the answer of an identity provider. */
import type { LinkKind } from "../store/one-time-links.ts";

const pages: Readonly<Record<LinkKind, string>> = { setup: "/setup", invite: "/sign-up", reset: "/reset" };

/** `value` is secret: pages that show the link must not be cached. */
export function linkPath(kind: LinkKind, value: string): string {
  return `${pages[kind]}?t=${encodeURIComponent(value)}`;
}

/** Page that accepts an invitation to share the sites of an account. */
export const acceptMemberPath = "/members/accept";
export const invitationParam = "invitation";

/** `value` is secret, as above. */
export function memberInvitationPath(value: string): string {
  return `${acceptMemberPath}?${invitationParam}=${encodeURIComponent(value)}`;
}

/** Where an identity provider sends people back to. Operators register it there. */
export const oidcCallbackPath = "/sign-in/oidc/callback";
