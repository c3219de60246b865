/** A small real DNS server on loopback, UDP and TCP on one port, whose answers a test writes as a table. */
import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import dnsPacket, { type Answer, type DecodedPacket, type Packet, type Question, type RecordType } from "dns-packet";
import { freeDnsPort } from "./server-process.ts";

/** What a name answers to one type of question. */
export type ZoneEntry =
  /** Data of the records, as dns-packet writes them. */
  | readonly unknown[]
  | "SERVFAIL"
  /** No answer at all. */
  | "silent"
  /** Another answer each time the question is asked; the last one stays. */
  | { readonly inTurn: readonly ZoneEntry[] }
  | ZoneWish;

type ZoneWish =
  /** Over UDP only the truncation flag; the records over TCP. */
  | { readonly truncatedOverUdp: readonly unknown[] }
  /** Records that the server says it has proven: the AD flag. */
  | { readonly authentic: readonly unknown[] }
  /** Refused as forged, unless the question says that signatures are not to be checked: the CD flag. */
  | { readonly bogus: readonly unknown[] }
  /** Any response code of RFC 1035, without records. */
  | { readonly rcode: number };

/** By name, by type. A name that is absent does not exist; a type that is absent has no records. `CNAME` is followed within the table. */
export type Zones = Readonly<Record<string, Partial<Record<RecordType, ZoneEntry>>>>;

export interface DnsServerHandle {
  /** `127.0.0.1:<port>`, as `dnsServers` takes it. */
  readonly address: string;
  readonly port: number;
  /** Every question in order, as `TYPE name` in lower case, with the transport. */
  readonly asked: readonly { readonly question: string; readonly over: "udp" | "tcp" }[];
  stop(): void;
}

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;
const cnameStepsMax = 8;

export async function startDnsServer(zones: Zones): Promise<DnsServerHandle> {
  const asked: { question: string; over: "udp" | "tcp" }[] = [];
  const turns = new Map<string, number>();
  const connections = new Set<Socket>();

  /** The entry of this turn: `inTurn` moves on with every asking. */
  function entryOf(name: string, type: RecordType): ZoneEntry | undefined {
    const entry = zones[name]?.[type];
    if (typeof entry !== "object" || !("inTurn" in entry)) return entry;
    const key = `${type} ${name}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return entry.inTurn[Math.min(turn, entry.inTurn.length - 1)];
  }

  /** Null for silence. */
  function answer(query: DecodedPacket, over: "udp" | "tcp"): Packet | null {
    const question = query.questions?.[0] as Question;
    let proven = 0;
    asked.push({ question: `${question.type} ${question.name.toLowerCase()}`, over });
    const answers: Answer[] = [];
    let name = question.name.toLowerCase();
    for (let step = 0; step < cnameStepsMax; step++) {
      const entry = entryOf(name, question.type);
      if (entry === "silent") return null;
      if (entry === "SERVFAIL") return reply(query, rcodes.SERVFAIL, []);
      const wish = typeof entry === "object" && !Array.isArray(entry) ? (entry as ZoneWish) : { records: entry };
      if ("rcode" in wish) return reply(query, wish.rcode, []);
      if ("bogus" in wish && !query.flag_cd) return reply(query, rcodes.SERVFAIL, []);
      if ("truncatedOverUdp" in wish && over === "udp") return reply(query, rcodes.NOERROR, [], dnsPacket.TRUNCATED_RESPONSE);
      if ("authentic" in wish) proven = dnsPacket.AUTHENTIC_DATA;
      const [records] = Object.values(wish);
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
    return reply(query, exists ? rcodes.NOERROR : rcodes.NXDOMAIN, answers, proven);
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
    asked,
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
