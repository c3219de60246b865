/** Asks one DNS server one question over UDP, and over TCP when the answer does not fit; RFC 1035, RFC 7766. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import dnsPacket, { type DecodedPacket, type Packet, type RecordType } from "dns-packet";
import { EgressError } from "./egress-error.ts";

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  /** Header flags besides RD, for example `dnsPacket.CHECKING_DISABLED`. */
  readonly flags?: number;
  /** EDNS flags, for example `dnsPacket.DNSSEC_OK`. */
  readonly ednsFlags?: number;
}

const dnsPort = 53;
/** How long one UDP packet is waited for, and how often it is sent: a lost packet must not fail a scan. */
const udpAttemptMs = 1_500;
const udpAttempts = 2;
const tcpAttemptMs = 3_000;
/** RFC 9715: an answer of this size crosses every path unfragmented. */
const udpPayloadBytes = 1_232;

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
 * @throws EgressError `timeout` when the server stays silent, `unreachable` when it cannot be talked to.
 */
export async function askDns(server: DnsServer, question: DnsQuestion, signal?: AbortSignal): Promise<DecodedPacket> {
  for (let attempt = 1; attempt <= udpAttempts; attempt++) {
    const query = queryPacket(question);
    const answer = await exchangeOverUdp(server, query, signal);
    if (answer !== null) return answer.flag_tc ? exchangeOverTcp(server, query, signal) : answer;
  }
  throw new EgressError("timeout", `the resolver ${server.address} did not answer`);
}

function queryPacket({ name, type, flags = 0, ednsFlags = 0 }: DnsQuestion): Packet {
  return {
    type: "query",
    id: randomInt(0x1_0000),
    flags: dnsPacket.RECURSION_DESIRED | flags,
    questions: [{ type, name, class: "IN" }],
    additionals: [
      {
        type: "OPT",
        name: ".",
        udpPayloadSize: udpPayloadBytes,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: ednsFlags,
        flag_do: false,
        options: [],
      },
    ],
  };
}

/** Null when nothing fitting came in time. */
function exchangeOverUdp(server: DnsServer, query: Packet, signal?: AbortSignal): Promise<DecodedPacket | null> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.close();
      settle();
    };
    const fail = (because: "timeout" | "unreachable", message: string) => end(() => reject(new EgressError(because, message)));
    const onAbort = () => fail("timeout", "the deadline ran out while resolving");
    const timer = setTimeout(() => end(() => resolve(null)), udpAttemptMs);
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);
    socket.once("error", () => fail("unreachable", `the resolver ${server.address} cannot be reached`));
    socket.on("message", (message) => {
      const answer = decodeAnswer(message, query);
      if (answer !== null) end(() => resolve(answer));
    });
    // Connected, so that the kernel drops what others send and tells at once when nobody listens.
    socket.once("connect", () => socket.send(dnsPacket.encode(query)));
    socket.connect(server.port, server.address);
  });
}

function exchangeOverTcp(server: DnsServer, query: Packet, signal?: AbortSignal): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: server.address, port: server.port });
    let received = Buffer.alloc(0);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.destroy();
      settle();
    };
    const fail = (because: "timeout" | "unreachable", message: string) => end(() => reject(new EgressError(because, message)));
    const onAbort = () => fail("timeout", "the deadline ran out while resolving");
    const timer = setTimeout(() => fail("timeout", `the resolver ${server.address} did not answer over TCP`), tcpAttemptMs);
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);
    const onBroken = () => fail("unreachable", `the resolver ${server.address} broke off over TCP`);
    socket.on("error", onBroken);
    socket.on("close", onBroken);
    socket.on("connect", () => socket.write(dnsPacket.streamEncode(query)));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      // RFC 1035 section 4.2.2: two bytes of length, so the whole is bounded by itself.
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const answer = decodeAnswer(received.subarray(2, 2 + received.readUInt16BE(0)), query);
      if (answer === null) onBroken();
      else end(() => resolve(answer));
    });
  });
}

/** The packet if it answers this very query; spoofed and broken ones are passed over. */
function decodeAnswer(bytes: Buffer, query: Packet): DecodedPacket | null {
  let packet: DecodedPacket;
  try {
    packet = dnsPacket.decode(bytes);
  } catch {
    return null;
  }
  const [asked, answered] = [query.questions?.[0], packet.questions?.[0]];
  const matches =
    packet.type === "response" &&
    packet.id === query.id &&
    answered?.type === asked?.type &&
    answered?.name.toLowerCase() === asked?.name.toLowerCase();
  return matches ? packet : null;
}
