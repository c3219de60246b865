/** Turns a name into all of its addresses, by the system's resolver or by the servers that the operator names. */
import { lookup } from "node:dns/promises";
import { askDns, type DnsServer } from "./dns-client.ts";
import { nameError, noError } from "./dns-message.ts";
import { EgressError } from "./egress-error.ts";

/**
 * Every IPv4 and IPv6 address of the name; IPv4 first, because a machine without IPv6 is the more common misfortune.
 * @throws EgressError `unresolved` when there is none, `timeout` or `unreachable` when no resolver could be heard.
 */
export async function lookupAddresses(name: string, servers: readonly DnsServer[], signal: AbortSignal): Promise<readonly string[]> {
  // RFC 6761 section 6.3: these never go to a resolver, which could answer anything.
  if (name === "localhost" || name.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const addresses = servers.length === 0 ? await askSystem(name, signal) : await askServers(name, servers, signal);
  if (addresses.length === 0) throw new EgressError("unresolved", `${name} has no address`);
  return addresses;
}

async function askSystem(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const ranOut = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new EgressError("timeout", "the system's resolver did not answer in time"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    const found = await Promise.race([lookup(name, { all: true, order: "ipv4first" }), ranOut]);
    return found.map(({ address }) => address);
  } catch (thrown) {
    if (thrown instanceof EgressError) throw thrown;
    const code = (thrown as NodeJS.ErrnoException).code ?? "";
    if (/TIMEOUT|EAI_AGAIN/.test(code)) throw new EgressError("timeout", "the system's resolver did not answer");
    throw new EgressError("unresolved", `${name} cannot be resolved (${code})`);
  }
}

/** The next server is asked only when one fails; a name that does not exist is an answer. */
async function askServers(name: string, servers: readonly DnsServer[], signal: AbortSignal): Promise<readonly string[]> {
  let failure: unknown;
  for (const server of servers) {
    const [v4, v6] = await Promise.allSettled([askServer(name, "A", server, signal), askServer(name, "AAAA", server, signal)]);
    const found = [v4, v6].flatMap((family) => (family.status === "fulfilled" ? family.value : []));
    // One family is enough: only addresses that were seen, and so checked, are ever dialled.
    if (found.length > 0 || (v4.status === "fulfilled" && v6.status === "fulfilled")) return found;
    failure ??= v4.status === "rejected" ? v4.reason : v6.status === "rejected" ? v6.reason : undefined;
  }
  throw failure;
}

async function askServer(name: string, type: "A" | "AAAA", server: DnsServer, signal: AbortSignal): Promise<readonly string[]> {
  const { responseCode, answers } = await askDns(server, { name, type }, signal);
  if (responseCode !== noError && responseCode !== nameError) {
    throw new EgressError("unresolved", `the resolver ${server.address} could not resolve ${name} (code ${responseCode})`);
  }
  // Records of the whole CNAME chain come in one answer; whoever they belong to, all of them are judged.
  return answers.flatMap((record) => (record.type === type ? [String(record.data)] : []));
}
