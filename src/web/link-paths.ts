/** Paths that other parts of the program name: of one-time links, and of the answer of an identity provider. */
import type { LinkKind } from "../store/one-time-links.ts";

const pages: Readonly<Record<LinkKind, string>> = { setup: "/setup", invite: "/sign-up", reset: "/reset" };

/** `value` is secret: pages that show the link must not be cached. */
export function linkPath(kind: LinkKind, value: string): string {
  return `${pages[kind]}?t=${encodeURIComponent(value)}`;
}

/** Where an identity provider sends people back to. Operators register it there. */
export const oidcCallbackPath = "/sign-in/oidc/callback";
