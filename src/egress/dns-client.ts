/** DNS client: one question to one server over UDP, with fallback to TCP; RFC 1035, RFC 7766. */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { systemClock, withDeadline } from "../base/clock.ts";
import { type DnsAnswer, type DnsQuery, type DnsQuestion, dnsQuery, isFormatRefusal, readDnsAnswer } from "./dns-message.ts";
import { EgressError } from "./egress-error.ts";

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

const dnsPort = 53;
const lengthBytes = 2;
/** UDP is retried, so that a lost packet does not fail a scan. */
const udpAttemptMs = 1_500;
const udpAttempts = 2;
const tcpAttemptMs = 3_000;
const questionMs = 6_000;

/** Reads `address`, `address:port` or `[address]:port`, the forms of operators and `dns.getServers()`. */
export function parseDnsServer(text: string): DnsServer {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) return { address: bracketed[1] ?? "", port: Number(bracketed[2] ?? dnsPort) };
  if (isIPv6(text)) return { address: text, port: dnsPort };
  const [address = "", port] = text.split(":");
  return { address, port: port === undefined ? dnsPort : Number(port) };
}

/** @throws EgressError `timeout`; `unreachable` without a connection; `invalid` for a name that DNS cannot carry. */
export function askDns(server: DnsServer, question: DnsQuestion, signal?: AbortSignal): Promise<DnsAnswer> {
  return withDeadline(systemClock, questionMs, [signal], async (deadline) => {
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

/** Null when no matching answer came in time. */
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

interface Settlers<T> {
  done(answer: T): void;
  fail(because: "timeout" | "unreachable", message: string): void;
}

interface ExchangeSocket {
  close(): void;
  onTimeout(): void;
}

/** Opens a socket and closes it at the first of: answer, error, timeout of the attempt, abort of the question. */
function exchange<T>(attemptMs: number, signal: AbortSignal, open: (settlers: Settlers<T>) => ExchangeSocket): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOpen = true;
    const end = (settle: () => void) => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.close();
      settle();
    };
    const done = (answer: T) => end(() => resolve(answer));
    const fail: Settlers<T>["fail"] = (because, message) => end(() => reject(new EgressError(because, message)));
    const onAbort = () => fail("timeout", "the deadline ran out while resolving");
    // Sockets emit asynchronously, so `socket` and `timer` are set before the first event.
    const socket = open({ done, fail });
    const timer = setTimeout(socket.onTimeout, attemptMs);
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
