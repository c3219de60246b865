/** Where one-time links lead. */
import type { LinkKind } from "../store/one-time-links.ts";

const pages: Readonly<Record<LinkKind, string>> = { setup: "/setup", invite: "/sign-up", reset: "/reset" };

/** Path and query of a link; `value` is the secret, so whatever shows it must not be cached. */
export function linkPath(kind: LinkKind, value: string): string {
  return `${pages[kind]}?t=${encodeURIComponent(value)}`;
}
