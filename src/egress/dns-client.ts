/** Asks one DNS server one question over UDP, and over TCP when the answer does not fit or cannot be trusted; RFC 1035, RFC 7766. */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { withDeadline } from "../base/deadline.ts";
import { type DnsAnswer, type DnsQuery, type DnsQuestion, dnsQuery, isRefusalOfForm, readDnsAnswer } from "./dns-message.ts";
import { EgressError } from "./egress-error.ts";

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

const dnsPort = 53;
/** How long one UDP packet is waited for, and how often it is sent: a lost packet must not fail a scan. */
const udpAttemptMs = 1_500;
const udpAttempts = 2;
const tcpAttemptMs = 3_000;
/** All attempts at one question together. */
const questionMs = 6_000;

/** `address`, `address:port` or `[address]:port`, as operators and `dns.getServers()` write them. */
export function parseDnsServer(text: string): DnsServer {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null) return { address: bracketed[1] ?? "", port: Number(bracketed[2] ?? dnsPort) };
  if (isIPv6(text)) return { address: text, port: dnsPort };
  const [address = "", port] = text.split(":");
  return { address, port: port === undefined ? dnsPort : Number(port) };
}

/**
 * The server's answer, whatever its response code.
 * @throws EgressError `timeout` when the server stays silent, `unreachable` when it cannot be talked to, `invalid` when the
 * name is none that DNS can be asked for.
 */
export function askDns(server: DnsServer, question: DnsQuestion, signal?: AbortSignal): Promise<DnsAnswer> {
  return withDeadline(questionMs, [signal], async (ends) => {
    const answer = await askInForm(server, question, true, ends);
    // RFC 6891 section 7: a server of before EDNS refuses what it does not know.
    return isRefusalOfForm(answer.responseCode) ? askInForm(server, question, false, ends) : answer;
  });
}

async function askInForm(server: DnsServer, question: DnsQuestion, edns: boolean, signal: AbortSignal): Promise<DnsAnswer> {
  for (let attempt = 1; attempt <= udpAttempts; attempt++) {
    const answer = await exchangeOverUdp(server, dnsQuery(question, { edns, mixedCase: true }), signal);
    if (answer === null) continue;
    // Nobody can forge an answer over TCP blindly, so there the case of letters does not matter.
    const needsTcp = answer === "other-case" || answer.flag_tc;
    return needsTcp ? exchangeOverTcp(server, dnsQuery(question, { edns, mixedCase: false }), signal) : answer;
  }
  throw new EgressError("timeout", `the resolver ${server.address} did not answer`);
}

/** Null when nothing fitting came in time. */
function exchangeOverUdp(server: DnsServer, query: DnsQuery, signal: AbortSignal): Promise<DnsAnswer | "other-case" | null> {
  return exchange(udpAttemptMs, signal, ({ done, fail }) => {
    const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
    socket.on("error", () => fail("unreachable", `the resolver ${server.address} cannot be reached`));
    socket.on("message", (message) => {
      const answer = readDnsAnswer(message, query);
      if (answer !== "stray") done(answer);
    });
    // Connected, so that the kernel drops what others send and tells at once when nobody listens.
    socket.once("connect", () => socket.send(query.bytes));
    socket.connect(server.port, server.address);
    return { close: () => socket.close(), onSilence: () => done(null) };
  });
}

function exchangeOverTcp(server: DnsServer, query: DnsQuery, signal: AbortSignal): Promise<DnsAnswer> {
  return exchange(tcpAttemptMs, signal, ({ done, fail }) => {
    const socket = connect({ host: server.address, port: server.port });
    const onBroken = () => fail("unreachable", `the resolver ${server.address} broke off over TCP`);
    socket.on("error", onBroken);
    socket.on("close", onBroken);
    socket.on("connect", () => socket.write(withLength(query.bytes)));
    const addChunk = messageCollector((message) => {
      const answer = readDnsAnswer(message, query);
      if (typeof answer === "string") onBroken();
      else done(answer);
    });
    socket.on("data", addChunk);
    return {
      close: () => socket.destroy(),
      onSilence: () => fail("timeout", `the resolver ${server.address} did not answer over TCP`),
    };
  });
}

/** What may end an exchange; only the first counts. */
interface Ends<T> {
  done(answer: T): void;
  fail(because: "timeout" | "unreachable", message: string): void;
}

interface Opened {
  close(): void;
  /** When time has run out. */
  onSilence(): void;
}

/** Opens a socket and closes it at the first end there is: what the socket brings, silence, or the end of the whole question. */
function exchange<T>(attemptMs: number, signal: AbortSignal, open: (ends: Ends<T>) => Opened): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOpen = true;
    const end = (settle: () => void) => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      opened.close();
      settle();
    };
    const done = (answer: T) => end(() => resolve(answer));
    const fail: Ends<T>["fail"] = (because, message) => end(() => reject(new EgressError(because, message)));
    const onAbort = () => fail("timeout", "the deadline ran out while resolving");
    // No socket says anything before it is handed back.
    const opened = open({ done, fail });
    const timer = setTimeout(opened.onSilence, attemptMs);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
  });
}

/** RFC 1035 section 4.2.2: two bytes of length go before a message. */
function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const lengthBytes = 2;

/** Hands over the first message once all of it is there. Chunks are joined twice at most, however small they come. */
function messageCollector(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let awaited: number | null = null;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < lengthBytes) return;
    awaited ??= lengthBytes + Buffer.concat(chunks).readUInt16BE(0);
    if (bytes >= awaited) onMessage(Buffer.concat(chunks).subarray(lengthBytes, awaited));
  };
}
