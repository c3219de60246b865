/** DNS server on loopback for tests, with UDP and TCP on one port and a table of answers. */
import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import dnsPacket, { type Answer, type DecodedPacket, type Packet, type Question, type RecordType } from "dns-packet";
import { freeDnsPort } from "./server-process.ts";

/** The answer for one name and record type. */
export type ZoneEntry =
  /** Record data in the format of dns-packet. */
  | readonly unknown[]
  | "SERVFAIL"
  /** No answer at all. */
  | "silent"
  /** A different answer for each repeated question; the last one stays. */
  | { readonly inTurn: readonly ZoneEntry[] }
  | SpecialAnswer;

type SpecialAnswer =
  /** Over UDP only the truncation flag; the records over TCP. */
  | { readonly truncatedOverUdp: readonly unknown[] }
  /** Records with the AD flag, as validated by DNSSEC. */
  | { readonly authentic: readonly unknown[] }
  /** SERVFAIL, as for bogus DNSSEC, unless the question has the CD flag. */
  | { readonly bogus: readonly unknown[] }
  /** Any response code of RFC 1035, without records. */
  | { readonly rcode: number };

/** Answers by name and type. An absent name does not exist; an absent type has no records. Follows `CNAME` within the table. */
export type Zones = Readonly<Record<string, Partial<Record<RecordType, ZoneEntry>>>>;

export interface DnsServerHandle {
  /** `127.0.0.1:<port>`, as `dnsServers` takes it. */
  readonly address: string;
  readonly port: number;
  /** Every question in order, as `TYPE name` in lower case, with the transport. */
  readonly queries: readonly { readonly question: string; readonly over: "udp" | "tcp" }[];
  stop(): void;
}

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;
const cnameStepsMax = 8;

export async function startDnsServer(zones: Zones): Promise<DnsServerHandle> {
  const queries: { question: string; over: "udp" | "tcp" }[] = [];
  const turns = new Map<string, number>();
  const connections = new Set<Socket>();

  /** Advances `inTurn` with every question. */
  function entryOf(name: string, type: RecordType): ZoneEntry | undefined {
    const entry = zones[name]?.[type];
    if (typeof entry !== "object" || !("inTurn" in entry)) return entry;
    const key = `${type} ${name}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return entry.inTurn[Math.min(turn, entry.inTurn.length - 1)];
  }

  /** Null for no answer. */
  function answer(query: DecodedPacket, over: "udp" | "tcp"): Packet | null {
    const question = query.questions?.[0] as Question;
    let authenticFlag = 0;
    queries.push({ question: `${question.type} ${question.name.toLowerCase()}`, over });
    const answers: Answer[] = [];
    let name = question.name.toLowerCase();
    for (let step = 0; step < cnameStepsMax; step++) {
      const entry = entryOf(name, question.type);
      if (entry === "silent") return null;
      if (entry === "SERVFAIL") return reply(query, rcodes.SERVFAIL, []);
      const special = typeof entry === "object" && !Array.isArray(entry) ? (entry as SpecialAnswer) : { records: entry };
      if ("rcode" in special) return reply(query, special.rcode, []);
      if ("bogus" in special && !query.flag_cd) return reply(query, rcodes.SERVFAIL, []);
      if ("truncatedOverUdp" in special && over === "udp") return reply(query, rcodes.NOERROR, [], dnsPacket.TRUNCATED_RESPONSE);
      if ("authentic" in special) authenticFlag = dnsPacket.AUTHENTIC_DATA;
      const [records] = Object.values(special);
      if (Array.isArray(records)) {
        answers.push(...records.map((data) => ({ type: question.type, name, ttl: 0, class: "IN", data }) as Answer));
        break;
      }
      const alias = zones[name]?.CNAME;
      if (!Array.isArray(alias)) break;
      answers.push({ type: "CNAME", name, ttl: 0, class: "IN", data: String(alias[0]) });
      name = String(alias[0]).toLowerCase();
    }
    const exists = answers.length > 0 || zones[name] !== undefined;
    return reply(query, exists ? rcodes.NOERROR : rcodes.NXDOMAIN, answers, authenticFlag);
  }

  const tcp = createServer((connection) => {
    connections.add(connection);
    connection.on("close", () => connections.delete(connection));
    connection.on("error", () => {});
    connection.on("data", (bytes: Buffer) => {
      const answered = answer(dnsPacket.decode(bytes.subarray(2)), "tcp");
      if (answered !== null) connection.end(dnsPacket.streamEncode(answered));
    });
  });
  const port = await freeDnsPort();
  await new Promise<void>((resolve) => tcp.listen(port, "127.0.0.1", resolve));

  const udp = createSocket("udp4");
  udp.on("message", (message, sender) => {
    const answered = answer(dnsPacket.decode(message), "udp");
    if (answered !== null) udp.send(dnsPacket.encode(answered), sender.port, sender.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", () => resolve()));

  return {
    address: `127.0.0.1:${port}`,
    port,
    queries,
    stop() {
      for (const connection of connections) connection.destroy();
      tcp.close();
      udp.close();
    },
  };
}

function reply(query: Packet, rcode: number, answers: Answer[], flags = 0): Packet {
  const authoritative = dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.RECURSION_AVAILABLE | flags | rcode;
  return { type: "response", id: query.id ?? 0, flags: authoritative, questions: query.questions ?? [], answers };
}
