/** DNS client: one question to one server over UDP, with fallback to TCP; RFC 1035, RFC 7766. */
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { lookup } from "node:dns/promises";
import { connect, isIPv6 } from "node:net";
import dnsPacket, { type CaaAnswer } from "dns-packet";
import { withDeadline } from "../base/clock.ts";
import { deadlineClock } from "../base/standstill.ts";
import { parseEndpoint, parseIpText } from "../parse/address.ts";
import {
  type DnsAnswer,
  type DnsQuery,
  type DnsQuestion,
  dnsQuery,
  isFormatRefusal,
  nameError,
  noError,
  readDnsAnswer,
} from "./dns-message.ts";
import { EgressError, orTimeout } from "./egress-error.ts";

export type DnsServer = NonNullable<ReturnType<typeof parseEndpoint>>;

const dnsPort = 53;
const lengthBytes = 2;
/** UDP is retried, so that a lost packet does not fail a scan. */
const udpAttemptMs = 1_500;
const udpAttempts = 2;
const tcpAttemptMs = 3_000;
const questionMs = 6_000;

/** Reads `address`, `address:port` or `[address]:port`, the forms of operators and `dns.getServers()`. */
export function parseDnsServer(text: string): DnsServer {
  return parseEndpoint(text) ?? { address: parseIpText(text) ?? text, port: dnsPort };
}

/** @throws EgressError `timeout`; `unreachable` without a connection; `invalid` for a name that DNS cannot carry. */
export function askDns(server: DnsServer, question: DnsQuestion, signal?: AbortSignal): Promise<DnsAnswer> {
  return withDeadline(deadlineClock, questionMs, [signal], async (deadline) => {
    const answer = await askWithRetries(server, question, true, deadline);
    // RFC 6891 section 7: a server without EDNS support refuses the query.
    return isFormatRefusal(answer.responseCode) ? askWithRetries(server, question, false, deadline) : answer;
  });
}

async function askWithRetries(server: DnsServer, question: DnsQuestion, edns: boolean, signal: AbortSignal): Promise<DnsAnswer> {
  for (let attempt = 1; attempt <= udpAttempts; attempt++) {
    const answer = await exchangeOverUdp(server, dnsQuery(question, { edns, mixedCase: true }), signal);
    if (answer === null) continue;
    // TCP answers cannot be forged blindly, so the letters' case proves nothing there.
    const needsTcp = answer === "case-mismatch" || answer.flag_tc;
    return needsTcp ? exchangeOverTcp(server, dnsQuery(question, { edns, mixedCase: false }), signal) : answer;
  }
  throw new EgressError("timeout", `the resolver ${server.address} did not answer`);
}

/** Answer over UDP; null if no matching answer came in time. */
function exchangeOverUdp(server: DnsServer, query: DnsQuery, signal: AbortSignal): Promise<DnsAnswer | "case-mismatch" | null> {
  return exchange(udpAttemptMs, signal, ({ done, fail }) => {
    const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
    socket.on("error", () => fail("unreachable", `the resolver ${server.address} cannot be reached`));
    socket.on("message", (message) => {
      const answer = readDnsAnswer(message, query);
      if (answer !== "unrelated") done(answer);
    });
    // Connected, so that the kernel drops packets of other senders and reports a closed port at once.
    socket.once("connect", () => socket.send(query.bytes));
    socket.connect(server.port, server.address);
    return { close: () => socket.close(), onTimeout: () => done(null) };
  });
}

function exchangeOverTcp(server: DnsServer, query: DnsQuery, signal: AbortSignal): Promise<DnsAnswer> {
  return exchange(tcpAttemptMs, signal, ({ done, fail }) => {
    const socket = connect({ host: server.address, port: server.port });
    const onClose = () => fail("unreachable", `the resolver ${server.address} closed the TCP connection`);
    socket.on("error", onClose);
    socket.on("close", onClose);
    socket.on("connect", () => socket.write(withLength(query.bytes)));
    const onMessage = (message: Buffer) => {
      const answer = readDnsAnswer(message, query);
      if (typeof answer === "string") onClose();
      else done(answer);
    };
    socket.on("data", messageCollector(onMessage));
    const onTimeout = () => fail("timeout", `the resolver ${server.address} did not answer over TCP`);
    return { close: () => socket.destroy(), onTimeout };
  });
}

type Fail = (because: "timeout" | "unreachable", message: string) => void;

/** Opens a socket and closes it at the first of: answer, error, timeout of the attempt, abort of the question. */
function exchange<T>(
  attemptMs: number,
  signal: AbortSignal,
  open: (settle: { readonly done: (answer: T) => void; readonly fail: Fail }) => { close(): void; onTimeout(): void },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOpen = true;
    const end = (settle: () => void) => {
      if (!isOpen) return;
      isOpen = false;
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
      socket.close();
      settle();
    };
    const done = (answer: T) => end(() => resolve(answer));
    const fail: Fail = (because, message) => end(() => reject(new EgressError(because, message)));
    const onAbort = () => fail("timeout", "the deadline ran out while resolving");
    // Sockets emit asynchronously, so `socket` and `cancelTimer` are set before the first event.
    const socket = open({ done, fail });
    const cancelTimer = deadlineClock.after(attemptMs, socket.onTimeout);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
  });
}

/** RFC 1035 section 4.2.2: a two-byte length precedes each message. */
function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Calls back with the first complete message. Joins the chunks at most twice, so that tiny chunks stay cheap. */
function messageCollector(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let bytesNeeded: number | null = null;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < lengthBytes) return;
    bytesNeeded ??= lengthBytes + Buffer.concat(chunks).readUInt16BE(0);
    if (bytes >= bytesNeeded) onMessage(Buffer.concat(chunks).subarray(lengthBytes, bytesNeeded));
  };
}

// Asks the resolvers of this appliance one DNS question, in turn until one answers.

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

// Resolves a name to all of its addresses, with the system's resolver or the operator's DNS servers.

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
  try {
    const ask = () => lookup(name, { all: true, order: "ipv4first" });
    const found = await orTimeout(signal, "the system's resolver did not answer in time", ask);
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
