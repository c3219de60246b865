/** Matches certificate names against a host by RFC 9525 section 6, as strictly as browsers do. */
import ipaddr from "ipaddr.js";
import type { AlternativeName } from "./alternative-names.ts";
import { isRegistrySuffix } from "./site.ts";

/** True if a name covers `host` (ASCII form, IPv6 without brackets). The common name does not count. */
export function namesCoverHost(names: readonly AlternativeName[], host: string): boolean {
  if (ipaddr.isValid(host)) return names.some(({ kind, text }) => kind === "address" && text === addressText(host));
  const name = host.toLowerCase().replace(/\.$/, "");
  return names.some(({ kind, text }) => kind === "dns" && dnsNameCovers(text.toLowerCase(), name));
}

function dnsNameCovers(presented: string, name: string): boolean {
  if (!presented.includes("*")) return presented === name;
  // RFC 9525 section 6.3: the asterisk must be the complete left-most label and matches exactly one label.
  const base = presented.slice("*.".length);
  if (!presented.startsWith("*.") || base.includes("*") || !base.includes(".") || name.indexOf(".") < 1) return false;
  // RFC 9525 section 7.1 leaves this to policy; browsers reject wildcards for a whole suffix such as `*.co.uk`.
  return name.slice(name.indexOf(".") + 1) === base && !isRegistrySuffix(base);
}

function addressText(host: string): string {
  const address = ipaddr.parse(host);
  return address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}
