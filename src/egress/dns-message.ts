/** Encodes DNS queries that are hard to spoof, and decodes untrusted answers; RFC 1035, RFC 6891. */

import { randomBytes, randomInt } from "node:crypto";
import dnsPacket, { type Answer, type DecodedPacket, type RecordType } from "dns-packet";
import { tryOr } from "../base/try-or.ts";
import { fitsDns } from "../parse/dns.ts";
import { EgressError } from "./egress-error.ts";

export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  readonly flags?: number;
  readonly ednsFlags?: number;
}

export type DnsQuery = ReturnType<typeof dnsQuery>;

export interface DnsAnswer extends DecodedPacket {
  /** Includes the upper bits from the EDNS record (RFC 6891 section 6.1.3). */
  readonly responseCode: number;
  /** Only records of the question's type, their signatures and the CNAME chain from the question's name. */
  readonly answers: Answer[];
}

/** A decoded packet: the answer, an answer whose name has another case, or a packet that does not match the query. */
type DecodedAnswer = DnsAnswer | "case-mismatch" | "unrelated";

/** Response codes of RFC 1035 section 4.1.1. */
export const noError = 0;
const formatError = 1;
export const serverFailure = 2;
export const nameError = 3;
const notImplemented = 4;

/** RFC 9715: an answer of this size crosses every path unfragmented. */
const udpPayloadBytes = 1_232;
/** Larger packets are dropped: each record's compression pointers may traverse the whole packet. */
const recordsMax = 1_000;
/** Limit of CNAME records in one answer; resolvers stop earlier. */
const aliasesMax = 16;
const headerBytes = 12;

interface QueryOptions {
  readonly edns: boolean;
  /** True if the answer must repeat the case of every letter. */
  readonly mixedCase: boolean;
}

/** @throws EgressError `invalid` for a name that DNS cannot carry. */
export function dnsQuery({ name, type, flags = 0, ednsFlags = 0 }: DnsQuestion, { edns, mixedCase }: QueryOptions) {
  if (!isValidName(name)) throw new EgressError("invalid", "this is not a valid DNS name");
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
  return { type: "OPT", name: ".", udpPayloadSize: udpPayloadBytes, extendedRcode: 0, ednsVersion: 0, flags, flag_do: false, options: [] };
}

/** Rejects names that would be encoded wrongly: an oversized label as a pointer, an empty one as the end. */
function isValidName(name: string): boolean {
  if (name === ".") return true;
  const bare = name.replace(/\.$/, "");
  return /^[\x20-\x7e]+$/.test(bare) && fitsDns(bare);
}

/** DNS 0x20 encoding: servers copy the question, so a blind spoofer must also guess the case of every letter. */
function inMixedCase(name: string): string {
  const bits = randomBytes(name.length);
  return [...name].map((char, at) => ((bits[at] ?? 0) & 1 ? char.toUpperCase() : char.toLowerCase())).join("");
}

export function readDnsAnswer(bytes: Buffer, query: DnsQuery): DecodedAnswer {
  if (bytes.length < headerBytes || bytes.readUInt16BE(0) !== query.id) return "unrelated";
  const records = [6, 8, 10].reduce((sum, at) => sum + bytes.readUInt16BE(at), 0);
  const questions = bytes.readUInt16BE(4);
  if (questions > 1 || records > recordsMax) return "unrelated";
  const packet = tryOr(() => dnsPacket.decode(bytes), null);
  // The library reads past the end of a truncated packet and invents the missing data.
  if (packet === null || !(dnsPacket.decode.bytes <= bytes.length)) return "unrelated";
  const responseCode = responseCodeOf(packet);
  if (packet.type !== "response") return "unrelated";
  const answer = { ...packet, responseCode };
  // RFC 6891 section 7: a server without EDNS support may answer with a header only.
  if (questions === 0) return isFormatRefusal(responseCode) ? { ...answer, answers: [] } : "unrelated";
  const asked = packet.questions?.[0];
  if (asked?.type !== query.type || asked.class !== "IN" || !isSameName(asked.name, query.name)) return "unrelated";
  if (query.mixedCase && asked.name !== query.name) return "case-mismatch";
  return { ...answer, answers: relevantRecords(packet.answers ?? [], query) };
}

export function isFormatRefusal(responseCode: number): boolean {
  return responseCode === formatError || responseCode === notImplemented;
}

function responseCodeOf({ flags = 0, additionals = [] }: DecodedPacket): number {
  const edns = additionals.find((record) => record.type === "OPT");
  return (flags & 0xf) | ((edns?.extendedRcode ?? 0) << 4);
}

/** RFC 4343: names compare case-insensitively. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Drops records of unrelated names: only a spoofed answer has a reason to carry them. */
function relevantRecords(records: readonly Answer[], { name, type }: DnsQuery): Answer[] {
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

/** A signature belongs to the type that it covers. */
function isOfType(record: Answer, type: RecordType): boolean {
  return record.type === type || (record.type === "RRSIG" && record.data.typeCovered === type);
}
