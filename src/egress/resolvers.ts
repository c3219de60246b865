/** Asks the resolvers of this appliance one DNS question, in turn until one answers. */
import { getServers } from "node:dns";
import dnsPacket, { type CaaAnswer } from "dns-packet";
import { askDns, type DnsServer, parseDnsServer } from "./dns-client.ts";
import { type DnsAnswer, type DnsQuestion, nameError, noError } from "./dns-message.ts";
import { EgressError } from "./egress-error.ts";

export type CaaRecord = CaaAnswer["data"];

/** Flags of RFC 4035 section 3: header of a question, header of an answer, EDNS record of a question. */
export const checkingDisabled = dnsPacket.CHECKING_DISABLED;
export const authenticData = dnsPacket.AUTHENTIC_DATA;
export const dnssecOk = dnsPacket.DNSSEC_OK;

export function resolversOf(dnsServers: readonly string[]): readonly DnsServer[] {
  return (dnsServers.length === 0 ? getServers() : dnsServers).map(parseDnsServer);
}

/**
 * The first conclusive answer: records, no records of that type, or no such name.
 * @throws EgressError `timeout` or `unreachable` when no resolver answered, `unresolved` when none was conclusive.
 */
export async function askResolvers(resolvers: readonly DnsServer[], question: DnsQuestion, signal: AbortSignal): Promise<DnsAnswer> {
  let failure: unknown = new EgressError("unreachable", "this machine has no resolver");
  for (const resolver of resolvers) {
    try {
      const answer = await askDns(resolver, question, signal);
      const { responseCode: code } = answer;
      if (code === noError || code === nameError) return answer;
      failure = new EgressError("unresolved", `the resolver ${resolver.address} could not answer for ${question.name} (code ${code})`);
    } catch (thrown) {
      failure = thrown;
    }
    if (signal.aborted) break;
  }
  throw failure;
}
