/** DNS client: protection from spoofing, and behaviour with old, lossy or hostile servers. */

import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import dnsPacket, { type Answer, type DecodedPacket, type Packet } from "dns-packet";
import { afterEach, describe, expect, test } from "vitest";
import { askDns } from "../../../src/egress/dns-client.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { freeDnsPort } from "../../support/server-process.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0)) step();
});

function bound(address: string, port: number): Promise<UdpSocket> {
  const socket = createSocket("udp4");
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, () => {
      cleanUp.push(() => socket.close());
      resolve(socket);
    });
  });
}

type Send = (...packets: readonly (Packet | Buffer)[]) => void;
interface Conduct {
  udp(query: DecodedPacket, send: Send, asked: number): void;
  tcp?(query: DecodedPacket, socket: Socket): void;
}

/** A server with the given behaviour; without `tcp` it does not listen on TCP. */
async function startServer({ udp, tcp }: Conduct) {
  const port = tcp === undefined ? 0 : await freeDnsPort();
  if (tcp !== undefined) await startTcp(tcp, port);
  const socket = await bound("127.0.0.1", port);
  let asked = 0;
  socket.on("message", (message, sender) => {
    const send: Send = (...packets) => {
      for (const packet of packets) socket.send(Buffer.isBuffer(packet) ? packet : dnsPacket.encode(packet), sender.port, sender.address);
    };
    udp(dnsPacket.decode(message), send, ++asked);
  });
  return { address: "127.0.0.1", port: socket.address().port };
}

async function startTcp(tcp: NonNullable<Conduct["tcp"]>, port: number): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => tcp(dnsPacket.decode(bytes.subarray(2)), socket));
  });
  cleanUp.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

const a = (name: string, data: string): Answer => ({ type: "A", class: "IN", name, ttl: 1, data });
const cname = (name: string, data: string): Answer => ({ type: "CNAME", class: "IN", name, ttl: 1, data });
const reply = (query: DecodedPacket, given: Partial<Packet> = {}): Packet => ({
  type: "response",
  id: query.id ?? 0,
  flags: dnsPacket.RECURSION_AVAILABLE,
  questions: query.questions ?? [],
  answers: [a("site.test", "192.0.2.1")],
  additionals: [],
  ...given,
});
const question = { name: "site.test", type: "A" } as const;
const asWritten = ({ questions }: DecodedPacket) => questions?.[0]?.name ?? "";
const inOtherCase = (query: DecodedPacket): Packet["questions"] => [
  {
    type: "A",
    class: "IN",
    name: [...asWritten(query)].map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join(""),
  },
];

async function addressesFrom(conduct: Conduct): Promise<readonly unknown[]> {
  const { answers } = await askDns(await startServer(conduct), question);
  return answers.map((record) => "data" in record && record.data);
}

/** Packets before the true answer must change nothing. */
function expectTruthBehind(...lies: readonly ((query: DecodedPacket) => Packet | Buffer)[]) {
  return expect(
    addressesFrom({
      udp: (query, send) => {
        for (const lie of lies) send(lie(query));
        setTimeout(() => send(reply(query)), 30);
      },
    }),
  ).resolves.toEqual(["192.0.2.1"]);
}

const forged = [a("site.test", "203.0.113.66")];

describe("unrelated packets are ignored", () => {
  test("an answer from another address with the same port", async () => {
    const server = await bound("127.0.0.1", 0);
    const { port } = server.address();
    const forger = await bound("127.0.0.2", port);
    server.on("message", (message, sender) => {
      const query = dnsPacket.decode(message);
      forger.send(dnsPacket.encode(reply(query, { answers: forged })), sender.port, sender.address);
      setTimeout(() => server.send(dnsPacket.encode(reply(query)), sender.port, sender.address), 100);
    });
    const { answers } = await askDns({ address: "127.0.0.1", port }, question);
    expect(answers).toMatchObject([{ data: "192.0.2.1" }]);
  });
  test("another id", () => expectTruthBehind((query) => reply(query, { id: ((query.id ?? 0) + 1) & 0xffff, answers: forged })));
  test("another name", () =>
    expectTruthBehind((query) => reply(query, { questions: [{ ...question, name: "evil.test" }], answers: forged })));
  test("another type", () =>
    expectTruthBehind((query) => reply(query, { questions: [{ type: "AAAA", name: asWritten(query) }], answers: forged })));
  test("another class", () =>
    expectTruthBehind((query) => reply(query, { questions: [{ type: "A", class: "CH", name: asWritten(query) }], answers: forged })));
  test("a question", () => expectTruthBehind((query) => reply(query, { type: "query", answers: forged })));
  test("two questions", () => expectTruthBehind((query) => reply(query, { questions: [question, question], answers: forged })));
  test("no question in an answer that is not a refusal", () =>
    expectTruthBehind((query) => reply(query, { questions: [], answers: forged })));
  test("no bytes, few bytes, many bytes", () =>
    expectTruthBehind(
      () => Buffer.alloc(0),
      () => Buffer.alloc(11),
      () => Buffer.alloc(60_000, 0xc0),
    ));
  test("a truncated packet", () => expectTruthBehind((query) => dnsPacket.encode(reply(query, { answers: forged })).subarray(0, -3)));
  test("too many records", () =>
    expectTruthBehind((query) => {
      const bytes = dnsPacket.encode(reply(query, { answers: forged }));
      bytes.writeUInt16BE(0xffff, 6);
      return bytes;
    }));
  test("a flood of unrelated packets", () =>
    expectTruthBehind(
      ...Array.from({ length: 300 }, (_, id) => (query: DecodedPacket) => reply(query, { id: ((query.id ?? 0) + 1 + id) & 0xffff })),
    ));
});

describe("the case of letters (DNS 0x20)", () => {
  test("differs from question to question", async () => {
    const written: string[] = [];
    const name = "a-name-of-many-letters.test";
    const server = await startServer({
      udp: (query, send) => {
        written.push(asWritten(query));
        send(reply(query, { answers: [a(name, "192.0.2.1")] }));
      },
    });
    for (let asked = 0; asked < 4; asked++) expect((await askDns(server, { name, type: "A" })).answers).toHaveLength(1);
    expect(new Set(written).size).toBe(4);
    expect(new Set(written.map((each) => each.toLowerCase()))).toEqual(new Set([name]));
  });
  test("must be equal in the answer; otherwise the client asks over TCP", async () => {
    const overTcp: string[] = [];
    const addresses = await addressesFrom({
      udp: (query, send) => send(reply(query, { questions: inOtherCase(query), answers: forged })),
      tcp: (query, socket) => {
        overTcp.push(asWritten(query));
        socket.end(dnsPacket.streamEncode(reply(query)));
      },
    });
    expect(addresses).toEqual(["192.0.2.1"]);
    expect(overTcp).toEqual(["site.test"]);
  });
  test("is ignored over TCP", async () => {
    const conduct: Conduct = {
      udp: (query, send) => send(reply(query, { questions: inOtherCase(query) })),
      tcp: (query, socket) => socket.end(dnsPacket.streamEncode(reply(query, { questions: inOtherCase(query) }))),
    };
    expect(await addressesFrom(conduct)).toEqual(["192.0.2.1"]);
  });
  test("must match if TCP is not available", async () => {
    await expect(addressesFrom({ udp: (query, send) => send(reply(query, { questions: inOtherCase(query) })) })).rejects.toMatchObject({
      because: "unreachable",
    });
  });
});

describe("records of an answer", () => {
  const answersGiven = (...answers: readonly Answer[]) =>
    addressesFrom({ udp: (query, send) => send(reply(query, { answers: [...answers] })) });

  test("of other names are dropped", async () => {
    expect(await answersGiven(a("evil.test", "203.0.113.66"), a("SITE.test", "192.0.2.1"), a("www.site.test", "203.0.113.67"))).toEqual([
      "192.0.2.1",
    ]);
  });
  test("of other types and classes are dropped", async () => {
    expect(
      await answersGiven({ type: "TXT", class: "IN", name: "site.test", data: "x" }, {
        ...a("site.test", "203.0.113.66"),
        class: "CH",
      } as Answer),
    ).toEqual([]);
  });
  test("are found through aliases, in any order", async () => {
    expect(await answersGiven(a("c.test", "192.0.2.3"), cname("b.test", "C.test"), cname("site.test", "b.TEST"))).toEqual([
      "192.0.2.3",
      "C.test",
      "b.TEST",
    ]);
  });
  test("in an alias loop end", async () => {
    expect(await answersGiven(cname("site.test", "b.test"), cname("b.test", "site.test"), a("c.test", "203.0.113.66"))).toHaveLength(2);
  });
  test("in an alias chain that is too long end", async () => {
    const chain = Array.from({ length: 40 }, (_, at) => cname(at === 0 ? "site.test" : `n${at}.test`, `n${at + 1}.test`));
    expect(await answersGiven(...chain, a("n40.test", "192.0.2.1"))).not.toContain("192.0.2.1");
  });
});

describe("EDNS", () => {
  const knowsNoEdns = (rcode: number, given: Partial<Packet> = {}): Conduct => ({
    udp: (query, send) =>
      send(
        query.additionals?.length ? reply(query, { flags: dnsPacket.RECURSION_AVAILABLE | rcode, answers: [], ...given }) : reply(query),
      ),
  });

  test.each([
    ["FORMERR", 1],
    ["NOTIMP", 4],
  ])("%s: asked again without", async (_words, rcode) => {
    expect(await addressesFrom(knowsNoEdns(rcode))).toEqual(["192.0.2.1"]);
    expect(await addressesFrom(knowsNoEdns(rcode, { questions: [] }))).toEqual(["192.0.2.1"]);
  });
  test("a server that refuses with and without EDNS has answered", async () => {
    const server = await startServer({ udp: (query, send) => send(reply(query, { flags: 1, answers: [] })) });
    expect(await askDns(server, question)).toMatchObject({ responseCode: 1, answers: [] });
  });
  test("the upper bits of the response code count: BADVERS is not an empty answer", async () => {
    const badVersion = {
      type: "OPT",
      name: ".",
      udpPayloadSize: 512,
      extendedRcode: 1,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    } as const;
    const server = await startServer({
      udp: (query, send) => send(reply(query, { answers: [], additionals: [{ ...badVersion, options: [] }] })),
    });
    expect(await askDns(server, question)).toMatchObject({ responseCode: 16 });
  });
});

const truncated = (tcp?: Conduct["tcp"]): Conduct => ({
  udp: (query, send) => send(reply(query, { flags: dnsPacket.TRUNCATED_RESPONSE, answers: [] })),
  ...(tcp && { tcp }),
});

describe("TCP", () => {
  test("carries answers that do not fit, even byte by byte", async () => {
    const many = Array.from({ length: 200 }, (_, at) => a("site.test", `192.0.2.${at}`));
    const conduct = truncated((query, socket) => {
      socket.setNoDelay(true);
      for (const byte of dnsPacket.streamEncode(reply(query, { answers: many }))) socket.write(Buffer.from([byte]));
    });
    expect(await addressesFrom(conduct)).toHaveLength(200);
  });
  test.each<[string, Conduct["tcp"]]>([
    ["no listener", undefined],
    ["the server disconnects", (_query, socket) => socket.destroy()],
    ["the server disconnects within the answer", (query, socket) => socket.end(dnsPacket.streamEncode(reply(query)).subarray(0, 20))],
    [
      "the server answers another question",
      (query, socket) => socket.end(dnsPacket.streamEncode(reply(query, { id: ((query.id ?? 0) + 1) & 0xffff }))),
    ],
    ["the server sends another protocol", (_query, socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n".padEnd(20_000))],
  ])("%s", async (_words, tcp) => {
    await expect(addressesFrom(truncated(tcp))).rejects.toMatchObject({ because: "unreachable" });
  });
});

describe("time", () => {
  test("a lost packet is sent again with a new id", async () => {
    const ids: (number | undefined)[] = [];
    const udp: Conduct["udp"] = (query, send, asked) => {
      ids.push(query.id);
      if (asked > 1) send(reply(query));
    };
    expect(await addressesFrom({ udp })).toEqual(["192.0.2.1"]);
    expect(ids).toHaveLength(2);
    expect(ids[0]).not.toBe(ids[1] as number);
  });
  test("silence is a timeout, over UDP and TCP, earlier if the caller aborts", async () => {
    const server = await startServer({ udp: () => {} });
    const order: string[] = [];
    const timedOut = async (name: string, answer: Promise<unknown>) => {
      const error = await answer.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ because: "timeout" });
      order.push(name);
    };
    // A server that announces a long answer over TCP and sends nothing.
    const announcing = addressesFrom(truncated((_query, socket) => socket.write(Buffer.from([0xff, 0xff]))));
    await Promise.all([
      timedOut("by default", askDns(server, question)),
      timedOut("by the caller", askDns(server, question, AbortSignal.timeout(100))),
      // Last, because `bun test` waits for `rejects` before it goes on.
      expect(announcing).rejects.toMatchObject({ because: "timeout" }),
    ]);
    expect(order).toEqual(["by the caller", "by default"]);
    await expect(askDns(server, question, AbortSignal.abort())).rejects.toMatchObject({ because: "timeout" });
  });
  test("a closed port fails at once", async () => {
    await expect(askDns({ address: "127.0.0.1", port: portWithoutListener() }, question)).rejects.toMatchObject({ because: "unreachable" });
  });
});

test.each(["", "a..b", ".a", `${"x".repeat(64)}.test`, `${"abcdefg.".repeat(32)}test`, "a\u00fc.test", "a\n.test"])(
  "%p is not a valid DNS name",
  async (name) => {
    const server = await startServer({ udp: () => {} });
    await expect(askDns(server, { name, type: "A" })).rejects.toMatchObject({ because: "invalid" });
  },
);
