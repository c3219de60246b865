/** Interpretation of a server's first flight: every alert, every version, in chunks of every size. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TlsVersion } from "../../../../src/evidence/limits.ts";
import { type ServerFlight, ServerFlightReader, versionAnswer } from "../../../../src/probe/tls/server-flight.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const uint16 = (value: number) => [value >> 8, value & 0xff];
const record = (type: number, payload: readonly number[]) => [type, 3, 3, ...uint16(payload.length), ...payload];
const message = (type: number, body: readonly number[]) => [type, 0, ...uint16(body.length), ...body];
const alert = (level: number, description: number) => record(21, [level, description]);

/** RFC 5246 section 7.4.1.3, with the extension of RFC 8446 section 4.2.1 if `selected` is given. */
function serverHello(version: number, { suite = 0x002f, selected }: { suite?: number; selected?: number } = {}): number[] {
  const extensions = selected === undefined ? [] : [...uint16(6), ...uint16(43), ...uint16(2), ...uint16(selected)];
  return message(2, [...uint16(version), ...Array<number>(32).fill(7), 0, ...uint16(suite), 0, ...extensions]);
}
const certificate = message(11, [0, 0, 12, 0, 0, 3, 1, 2, 3, 0, 0, 3, 4, 5, 6]);
const keyExchange = message(12, [3, 0, 23, 1, 4]);
const helloDone = message(14, []);

function read(bytes: readonly number[], chunkBytes = bytes.length): ServerFlight {
  const reader = new ServerFlightReader();
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (reader.push(Buffer.from(bytes.slice(at, at + chunkBytes)))) break;
  }
  return reader.flight;
}

const answer = (offered: TlsVersion, ...bytes: readonly number[]) => versionAnswer(offered, read(bytes));

describe("accepted", () => {
  test.each([
    ["1.0", 0x0301],
    ["1.1", 0x0302],
    ["1.2", 0x0303],
  ] as const)("%s: the whole flight", (offered, code) => {
    expect(answer(offered, ...record(22, [...serverHello(code), ...certificate, ...helloDone]))).toBe("accepted");
  });
  test("1.3: a hello that selects this version", () => {
    expect(answer("1.3", ...record(22, serverHello(0x0303, { selected: 0x0304 })))).toBe("accepted");
  });
  test("after a warning about the name (RFC 6066 section 3)", () => {
    expect(answer("1.2", ...alert(1, 112), ...record(22, [...serverHello(0x0303), ...helloDone]))).toBe("accepted");
  });
});

describe("refused", () => {
  test.each(["1.0", "1.1", "1.2", "1.3"] as const)("%s: the alert protocol_version", (offered) =>
    expect(answer(offered, ...alert(2, 70))).toBe("refused"),
  );
  test("1.3: an older server answers with its own version", () =>
    expect(answer("1.3", ...record(22, serverHello(0x0303)))).toBe("refused"));
  test("1.2: a server of 1.0", () => expect(answer("1.2", ...record(22, serverHello(0x0301)))).toBe("refused"));
  test("1.0: a server that answers with a version that was not offered", () =>
    expect(answer("1.0", ...record(22, serverHello(0x0303)))).toBe("refused"));
});

describe("alerts that refuse an old version", () => {
  const refusingAlerts = [40, 70, 71, 80];
  test.each(["1.0", "1.1"] as const)("%s: refused by exactly these alerts", (offered) => {
    const refusing = Array.from({ length: 256 }, (_, description) => description).filter(
      (description) => answer(offered, ...alert(2, description)) === "refused",
    );
    expect(refusing).toEqual(refusingAlerts);
  });
  test("also at warning level, although these are never warnings", () => {
    for (const description of refusingAlerts) expect(answer("1.0", ...alert(1, description))).toBe("refused");
  });
  test("also after a hello, because the handshake was not completed", () => {
    for (const description of refusingAlerts) {
      expect(answer("1.0", ...record(22, serverHello(0x0301)), ...alert(2, description))).toBe("refused");
    }
  });
  test.each(["1.2", "1.3"] as const)("%s: refused only by protocol_version", (offered) => {
    expect(refusingAlerts.filter((description) => answer(offered, ...alert(2, description)) === "refused")).toEqual([70]);
  });
});

describe("unknown", () => {
  test.each([
    ["nothing", []],
    ["an alert about an unknown name", alert(2, 112)],
    ["an alert about an unreadable hello", alert(2, 50)],
    ["a close_notify alert", alert(1, 0)],
    ["a hello, then an alert about the name", [...record(22, serverHello(0x0301)), ...alert(2, 112)]],
    ["a hello, then nothing", record(22, serverHello(0x0301))],
    ["half a hello", record(22, serverHello(0x0301).slice(0, 20))],
    ["a hello that is too short", record(22, message(2, [3, 1, 0]))],
    ["another protocol", [...Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")]],
  ])("%s", (_words, bytes) => expect(answer("1.0", ...bytes)).toBe("unknown"));
});

describe("reading", () => {
  const whole = [
    ...alert(1, 112),
    ...record(22, serverHello(0x0303, { suite: 0xc02f })),
    ...record(22, [...certificate, ...keyExchange, ...helloDone]),
  ];

  test("returns version, suite and certificates in order", () => {
    expect(read(whole)).toEqual({
      isTls: true,
      version: 0x0303,
      suite: 0xc02f,
      certificates: [Buffer.from([1, 2, 3]), Buffer.from([4, 5, 6])],
      group: null,
      keyExchange: Buffer.from([3, 0, 23, 1, 4]),
      done: true,
      alert: null,
    });
  });

  test("gives the same result for chunks of any size and messages over any number of records", () => {
    const messages = [...serverHello(0x0303, { suite: 0xc02f }), ...certificate, ...keyExchange, ...helloDone];
    const byteByByte = messages.flatMap((byte) => record(22, [byte]));
    for (let chunkBytes = 1; chunkBytes < 40; chunkBytes++) {
      expect(read(whole, chunkBytes)).toEqual(read(whole));
      expect(read(byteByByte, chunkBytes)).toEqual(read(whole));
    }
  });

  test("returns the group of a HelloRetryRequest", () => {
    // RFC 8446 section 4.1.3: SHA-256 of "HelloRetryRequest".
    const retryRandom = [...createHash("sha256").update("HelloRetryRequest").digest()];
    const extensions = [...uint16(43), ...uint16(2), ...uint16(0x0304), ...uint16(51), ...uint16(2), ...uint16(0x11ec)];
    const body = [...uint16(0x0303), ...retryRandom, 0, ...uint16(0x1301), 0, ...uint16(extensions.length), ...extensions];
    expect(read(record(22, message(2, body)))).toMatchObject({ version: 0x0304, suite: 0x1301, group: 0x11ec });
    const shortened = record(22, message(2, [...body.slice(0, -3), 0, 1, 0x11]));
    expect(read(shortened).group).toBeNull();
  });

  test("detects another protocol from the first byte", () => {
    expect(read([0x53]).isTls).toBe(false);
    expect(read([0x16, 0x02]).isTls).toBe(false);
    expect(read([0x16, 3, 1, 0xff, 0xff]).isTls).toBe(false);
    expect(read([0x16]).isTls).toBeNull();
  });

  test("stops at a megabyte, and processes it quickly even in tiny records", () => {
    const reader = new ServerFlightReader();
    const chunk = Buffer.from(Array.from({ length: 1_000 }, () => record(22, [0])).flat());
    reader.push(Buffer.from(record(22, [11, 0xff, 0xff, 0xff])));
    const fromMs = cpuMs();
    let pushed = 0;
    while (!reader.push(chunk)) pushed += chunk.length;
    expect(pushed).toBeLessThan(2 ** 20);
    expect(cpuMs() - fromMs).toBeLessThan(2_000);
  });

  test("never throws", () => {
    const types = fc.constantFrom(20, 21, 22, 23);
    const records = fc.tuple(types, fc.uint8Array({ maxLength: 80 })).map(([type, payload]) => record(type, [...payload]));
    const messages = fc
      .tuple(fc.constantFrom(2, 8, 11, 12, 14), fc.uint8Array({ maxLength: 80 }))
      .map(([type, body]) => record(22, message(type, [...body])));
    fc.assert(
      fc.property(fc.array(fc.oneof(records, messages), { maxLength: 6 }), fc.integer({ min: 1, max: 50 }), (parts, chunkBytes) => {
        expect(["accepted", "refused", "unknown"]).toContain(versionAnswer("1.2", read(parts.flat(), chunkBytes)));
      }),
      { numRuns: 500 },
    );
  });
});
