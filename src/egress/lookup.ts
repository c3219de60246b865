/** Resolves a name to all of its addresses, with the system's resolver or the operator's DNS servers. */
import { lookup } from "node:dns/promises";
import { askDns, type DnsServer } from "./dns-client.ts";
import { nameError, noError } from "./dns-message.ts";
import { EgressError } from "./egress-error.ts";

/**
 * IPv4 addresses first, because machines without IPv6 are more common than machines without IPv4.
 * @throws EgressError `unresolved` without an address; `timeout` or `unreachable` when no resolver answered.
 */
export async function lookupAddresses(name: string, servers: readonly DnsServer[], signal: AbortSignal): Promise<readonly string[]> {
  // RFC 6761 section 6.3: never sent to a resolver, which could answer anything.
  if (name === "localhost" || name.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const addresses = servers.length === 0 ? await askSystem(name, signal) : await askServers(name, servers, signal);
  if (addresses.length === 0) throw new EgressError("unresolved", `${name} has no address`);
  return addresses;
}

async function askSystem(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(new EgressError("timeout", "the system's resolver did not answer in time"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    const found = await Promise.race([lookup(name, { all: true, order: "ipv4first" }), aborted]);
    return found.map(({ address }) => address);
  } catch (thrown) {
    if (thrown instanceof EgressError) throw thrown;
    const code = (thrown as NodeJS.ErrnoException).code ?? "";
    if (/TIMEOUT|EAI_AGAIN/.test(code)) throw new EgressError("timeout", "the system's resolver did not answer");
    throw new EgressError("unresolved", `${name} cannot be resolved (${code})`);
  }
}

/** Asks the next server only after a failure; "no such name" is an answer. */
async function askServers(name: string, servers: readonly DnsServer[], signal: AbortSignal): Promise<readonly string[]> {
  let failure: unknown;
  for (const server of servers) {
    const [v4, v6] = await Promise.allSettled([askServer(name, "A", server, signal), askServer(name, "AAAA", server, signal)]);
    const found = [v4, v6].flatMap((family) => (family.status === "fulfilled" ? family.value : []));
    // One address family is enough: only addresses returned here are authorized and dialled.
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
  // One answer holds the records of the whole CNAME chain; all addresses are authorized.
  return answers.flatMap((record) => (record.type === type ? [String(record.data)] : []));
}
