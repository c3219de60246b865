/** Paths of one-time links. */
import type { LinkKind } from "../store/one-time-links.ts";

const pages: Readonly<Record<LinkKind, string>> = { setup: "/setup", invite: "/sign-up", reset: "/reset" };

/** `value` is secret: pages that show the link must not be cached. */
export function linkPath(kind: LinkKind, value: string): string {
  return `${pages[kind]}?t=${encodeURIComponent(value)}`;
}
