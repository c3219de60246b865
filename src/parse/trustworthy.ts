/** Decides which URLs need no encryption. */
import { hostOf } from "./site.ts";

/**
 * True for hosts that never leave the visitor's own machine: localhost and its subdomains, 127.0.0.0/8 and ::1. Secure Contexts section 3.1
 * calls their origins potentially trustworthy, and Mixed Content section 4 exempts them.
 */
export function isLoopbackUrl(url: string): boolean {
  const host = hostOf(url) ?? "";
  return host === "::1" || /^(?:.+\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** True for a URL of plain http that crosses a network. */
export function isInsecureUrl(url: string): boolean {
  return /^http:/i.test(url) && !isLoopbackUrl(url);
}
