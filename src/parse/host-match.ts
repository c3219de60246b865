/** Tells whether a certificate's names cover a host, by RFC 9525 section 6 and no more leniently than browsers do. */
import ipaddr from "ipaddr.js";
import type { AlternativeName } from "./alternative-names.ts";
import { isRegistrySuffix } from "./registry-suffix.ts";

/** `host` in its ASCII form, IPv6 without brackets. The common name never counts: it is not among the names. */
export function namesCoverHost(names: readonly AlternativeName[], host: string): boolean {
  if (ipaddr.isValid(host)) return names.some(({ kind, text }) => kind === "address" && text === addressText(host));
  const name = host.toLowerCase().replace(/\.$/, "");
  return names.some(({ kind, text }) => kind === "dns" && dnsNameCovers(text.toLowerCase(), name));
}

function dnsNameCovers(presented: string, name: string): boolean {
  if (!presented.includes("*")) return presented === name;
  // RFC 9525 section 6.3: the asterisk is the whole left-most label and stands for exactly one label.
  const base = presented.slice("*.".length);
  if (!presented.startsWith("*.") || base.includes("*") || !base.includes(".") || name.indexOf(".") < 1) return false;
  // Section 7.1 leaves it to policy; browsers let nobody speak for all of `*.co.uk`.
  return name.slice(name.indexOf(".") + 1) === base && !isRegistrySuffix(base);
}

function addressText(host: string): string {
  const address = ipaddr.parse(host);
  return address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}
