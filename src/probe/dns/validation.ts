/** Questions to a DNSSEC-validating resolver, and whether a resolver validates at all; RFC 4035 section 3.2.3. */
import { systemClock, within } from "../../base/clock.ts";
import { askDns, type DnsServer } from "../../egress/dns-client.ts";
import { type DnsAnswer, noError } from "../../egress/dns-message.ts";
import { authenticData, checkingDisabled, dnssecOk } from "../../egress/resolvers.ts";

/** RFC 8375 section 7: deliberately unsigned, and known to resolvers without a query. */
const insecureName = "home.arpa";
/** Short, because `setsAdBlindly` only confirms a result. */
const confirmationMs = 1_500;

/** A query to one resolver with the DO flag. `unchecked` sets CD, which disables validation. */
export type ValidatedAsk = (
  name: string,
  options?: { readonly type?: "SOA" | "NS" | "CNAME" | "DS" | "DNSKEY" | "A" | "AAAA" | "TLSA"; readonly unchecked?: boolean },
) => Promise<DnsAnswer>;

/** Asks for SOA by default, because every zone has one. */
export function validatedAskOf(resolver: DnsServer, signal: AbortSignal): ValidatedAsk {
  return (name, { type = "SOA", unchecked = false } = {}) =>
    askDns(resolver, { name, type, flags: unchecked ? checkingDisabled : 0, ednsFlags: dnssecOk }, signal);
}

/** True if the resolver validated the answer and its proof: the AD flag. */
export function isAuthentic({ flags = 0 }: DnsAnswer): boolean {
  return (flags & authenticData) !== 0;
}

/** The root is signed: without AD on it, the resolver does not validate, or a middlebox clears AD. */
export async function validates(ask: ValidatedAsk): Promise<boolean> {
  return isAuthentic(await ask("."));
}

/**
 * Detects a resolver that sets AD on everything, with a name that cannot be secure. Detecting AD on bogus answers only
 * would need a third party's broken domain.
 */
export async function setsAdBlindly(ask: ValidatedAsk): Promise<boolean> {
  const answer = await within(systemClock, confirmationMs, ask(insecureName), null).catch(() => null);
  return answer?.responseCode === noError && isAuthentic(answer);
}
