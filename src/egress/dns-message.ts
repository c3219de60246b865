/** Writes DNS questions so that answers are hard to forge, and reads answers as what strangers wrote; RFC 1035, RFC 6891. */
import { randomBytes, randomInt } from "node:crypto";
import dnsPacket, { type Answer, type DecodedPacket, type RecordType } from "dns-packet";
import { fitsDns } from "../parse/dns-name.ts";
import { EgressError } from "./egress-error.ts";

export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  /** Header flags besides RD, for example `dnsPacket.CHECKING_DISABLED`. */
  readonly flags?: number;
  /** EDNS flags, for example `dnsPacket.DNSSEC_OK`. */
  readonly ednsFlags?: number;
}

export interface DnsQuery {
  readonly bytes: Buffer;
  readonly id: number;
  readonly type: RecordType;
  /** As it was written, with the letters' case of this query. */
  readonly name: string;
  /** The answer has to repeat the case of every letter. */
  readonly mixedCase: boolean;
}

export interface DnsAnswer extends DecodedPacket {
  /** With the upper bits that stand apart in EDNS (RFC 6891 section 6.1.3). */
  readonly responseCode: number;
  /** What was asked for with its signatures, and the aliases that lead there from the name that was asked; nothing else. */
  readonly answers: Answer[];
}

/** What came in: the answer, one whose name is written in another case, or nothing that belongs to the question. */
export type DnsIncoming = DnsAnswer | "other-case" | "stray";

/** Response codes of RFC 1035 section 4.1.1. */
export const noError = 0;
const formatError = 1;
export const serverFailure = 2;
export const nameError = 3;
const notImplemented = 4;

/** RFC 9715: an answer of this size crosses every path unfragmented. */
const udpPayloadBytes = 1_232;
/** Records of one packet that are read: each may lead through all of it, so more would cost too much. */
const recordsMax = 1_000;
/** Aliases followed within one answer; resolvers themselves give up earlier. */
const aliasesMax = 16;
const headerBytes = 12;

export interface DnsForm {
  readonly edns: boolean;
  readonly mixedCase: boolean;
}

/** @throws EgressError `invalid` when the name is none that DNS can be asked for. */
export function dnsQuery({ name, type, flags = 0, ednsFlags = 0 }: DnsQuestion, { edns, mixedCase }: DnsForm): DnsQuery {
  if (!isAskable(name)) throw new EgressError("invalid", "that is no name which DNS can be asked for");
  const written = mixedCase ? inMixedCase(name) : name;
  const id = randomInt(0x1_0000);
  const bytes = dnsPacket.encode({
    type: "query",
    id,
    flags: dnsPacket.RECURSION_DESIRED | flags,
    questions: [{ type, name: written, class: "IN" }],
    additionals: edns ? [ednsRecord(ednsFlags)] : [],
  });
  return { bytes, id, type, name: written, mixedCase };
}

function ednsRecord(flags: number): Answer {
  return {
    type: "OPT",
    name: ".",
    udpPayloadSize: udpPayloadBytes,
    extendedRcode: 0,
    ednsVersion: 0,
    flags,
    flag_do: false,
    options: [],
  };
}

/** A label too long would be written as a pointer, and an empty one would end the name. */
function isAskable(name: string): boolean {
  if (name === ".") return true;
  const bare = name.replace(/\.$/, "");
  return /^[\x20-\x7e]+$/.test(bare) && fitsDns(bare);
}

/** Whoever forges an answer blindly has to guess the case of every letter as well ("0x20"); servers copy the question as it is. */
function inMixedCase(name: string): string {
  const bits = randomBytes(name.length);
  return [...name].map((char, at) => ((bits[at] ?? 0) & 1 ? char.toUpperCase() : char.toLowerCase())).join("");
}

/** Never throws, whatever the bytes. */
export function readDnsAnswer(bytes: Buffer, query: DnsQuery): DnsIncoming {
  if (bytes.length < headerBytes || bytes.readUInt16BE(0) !== query.id) return "stray";
  const records = [6, 8, 10].reduce((sum, at) => sum + bytes.readUInt16BE(at), 0);
  const questions = bytes.readUInt16BE(4);
  if (questions > 1 || records > recordsMax) return "stray";
  let packet: DecodedPacket;
  try {
    packet = dnsPacket.decode(bytes);
  } catch {
    return "stray";
  }
  // The library reads on behind the end of a packet that was cut, and makes up what it does not find there.
  if (!(dnsPacket.decode.bytes <= bytes.length)) return "stray";
  const responseCode = responseCodeOf(packet);
  if (packet.type !== "response") return "stray";
  const answer = { ...packet, responseCode };
  // RFC 6891 section 7: who does not know EDNS may send back no more than a header.
  if (questions === 0) return isRefusalOfForm(responseCode) ? { ...answer, answers: [] } : "stray";
  const asked = packet.questions?.[0];
  if (asked?.type !== query.type || asked.class !== "IN" || !isSameName(asked.name, query.name)) return "stray";
  if (query.mixedCase && asked.name !== query.name) return "other-case";
  return { ...answer, answers: belonging(packet.answers ?? [], query) };
}

/** The server did not understand the question's form. */
export function isRefusalOfForm(responseCode: number): boolean {
  return responseCode === formatError || responseCode === notImplemented;
}

function responseCodeOf({ flags = 0, additionals = [] }: DecodedPacket): number {
  const edns = additionals.find((record) => record.type === "OPT");
  return (flags & 0xf) | ((edns?.extendedRcode ?? 0) << 4);
}

/** RFC 4343: names are compared without case. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Records of names that nobody asked about are left out: a resolver has no reason to send them, a forger has. */
function belonging(records: readonly Answer[], { name, type }: DnsQuery): Answer[] {
  const inClass = records.filter((record) => "class" in record && record.class === "IN");
  const aliases = new Map(
    inClass.flatMap((record) => (record.type === "CNAME" ? [[record.name.toLowerCase(), record.data.toLowerCase()]] : [])),
  );
  const names = new Set<string>();
  for (
    let at: string | undefined = name.toLowerCase();
    at !== undefined && !names.has(at) && names.size <= aliasesMax;
    at = aliases.get(at)
  )
    names.add(at);
  return inClass.filter((record) => (isOfType(record, type) || record.type === "CNAME") && names.has(record.name.toLowerCase()));
}

/** Signatures go with what they cover. */
function isOfType(record: Answer, type: RecordType): boolean {
  return record.type === type || (record.type === "RRSIG" && record.data.typeCovered === type);
}
