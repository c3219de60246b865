/** Hostile DNS packets cause no exception, no endless loop and no wrong answer. */
import dnsPacket, { type Answer, type Packet } from "dns-packet";
import { describe, expect, test } from "vitest";
import { type DnsQuery, dnsQuery, readDnsAnswer } from "../../../src/egress/dns-message.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const query: DnsQuery = dnsQuery({ name: "site.test", type: "TXT" }, { edns: true, mixedCase: false });

function answering(given: Partial<Packet> = {}): Buffer {
  const answers: Answer[] = [{ type: "TXT", class: "IN", name: "site.test", ttl: 1, data: ["v=spf1 ", "-all"] }];
  return dnsPacket.encode({ type: "response", id: query.id, questions: [{ type: "TXT", name: "site.test" }], answers, ...given });
}

/** CPU time of the slowest hostile packet. */
const packetMsMax = 3_000;

function readInTime(bytes: Buffer): ReturnType<typeof readDnsAnswer> {
  const fromMs = cpuMs();
  const incoming = readDnsAnswer(bytes, query);
  expect(cpuMs() - fromMs).toBeLessThan(packetMsMax);
  return incoming;
}

/** The answer's header and question, followed by arbitrary bytes that count as `count` records. */
function withRecords(count: number, ...records: readonly Buffer[]): Buffer {
  const head = answering({ answers: [] });
  head.writeUInt16BE(count, 6);
  return Buffer.concat([head, ...records]);
}

/** A record of type A with an owner name in raw bytes. */
function record(...owner: readonly number[]): Buffer {
  return Buffer.from([...owner, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 192, 0, 2, 1]);
}

describe("hostile packets", () => {
  test("truncated anywhere, or with any byte changed", () => {
    const whole = answering();
    for (let at = 0; at < whole.length; at++) {
      expect(readInTime(whole.subarray(0, at))).toBe("unrelated");
      for (const byte of [0, 1, 0x3f, 0x40, 0x80, 0xc0, 0xff]) readInTime(Buffer.from(whole).fill(byte, at, at + 1));
    }
    expect(readInTime(whole)).toMatchObject({ responseCode: 0, answers: [{ type: "TXT" }] });
  });
  test("random bytes after a valid header", () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed & 0xff;
    };
    for (let round = 0; round < 2_000; round++)
      readInTime(withRecords(round % 40, Buffer.from(Array.from({ length: round % 200 }, random))));
  });
  test("compression pointers to themselves, forward, and in a loop", () => {
    const here = answering({ answers: [] }).length;
    for (const owner of [
      [0xc0, here],
      [0xc0, here + 2],
      [1, 0x61, 0xc0, here],
      [0xff, 0xff],
      [0x40, 1],
    ])
      expect(readInTime(withRecords(1, record(...owner)))).toBe("unrelated");
  });
  test("a thousand names, each with a long chain of pointers", () => {
    const head = answering({ answers: [] });
    head.writeUInt16BE(1_000, 6);
    // The data of the first record: a chain of pointers, each to the previous one.
    const start = head.length + 12;
    const count = 8_000;
    const chain = Buffer.alloc(2 * count);
    for (let at = 0; at < count; at++) chain.writeUInt16BE(0xc000 | (at === 0 ? 12 : start + 2 * (at - 1)), 2 * at);
    const first = Buffer.concat([
      Buffer.from([0xc0, 12, 0, 10, 0, 1, 0, 0, 0, 1]),
      Buffer.from([chain.length >> 8, chain.length & 0xff]),
      chain,
    ]);
    const last = start + 2 * (count - 1);
    const others = Array.from({ length: 999 }, () => record(0xc0 | (last >> 8), last & 0xff));
    expect(readInTime(Buffer.concat([head, first, ...others]))).toMatchObject({ answers: [] });
  });
  test("more records announced than sent, and more sent than the limit", () => {
    expect(readInTime(withRecords(0xffff))).toBe("unrelated");
    expect(readInTime(withRecords(1_000, ...Array.from({ length: 10 }, () => record(0xc0, 12))))).toBe("unrelated");
    expect(readInTime(withRecords(4_000, ...Array.from({ length: 4_000 }, () => record(0xc0, 12))))).toBe("unrelated");
  });
  test("options and records with wrong lengths", () => {
    for (const option of [
      Buffer.from([0, 15, 0xff, 0xff]),
      Buffer.from([0, 15, 0, 1, 9]),
      Buffer.from([0, 8, 0, 1, 0]),
      Buffer.from([0]),
    ]) {
      const opt = Buffer.concat([Buffer.from([0, 0, 41, 4, 0, 0, 0, 0, 0, 0, option.length]), option]);
      const head = answering({ answers: [] });
      head.writeUInt16BE(1, 10);
      readInTime(Buffer.concat([head, opt]));
    }
  });
});

test("only signatures of the requested type are returned", () => {
  const signature = (typeCovered: string): Answer => ({
    type: "RRSIG",
    class: "IN",
    name: "site.test",
    ttl: 1,
    data: {
      typeCovered,
      algorithm: 13,
      labels: 2,
      originalTTL: 1,
      expiration: 2,
      inception: 1,
      keyTag: 4711,
      signersName: "site.test",
      signature: Buffer.alloc(64),
    },
  });
  const incoming = readDnsAnswer(answering({ answers: [signature("TXT"), signature("A")] }), query);
  expect(incoming).toMatchObject({ answers: [{ type: "RRSIG", data: { typeCovered: "TXT", keyTag: 4711 } }] });
});
