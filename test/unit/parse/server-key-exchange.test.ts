/** Parameters of ServerKeyExchange messages: whole, truncated and malformed. */
import { describe, expect, test } from "vitest";
import { bitLength, finiteFieldPrime, isBinaryCurve, isShortCurve, namedCurve } from "../../../src/parse/server-key-exchange.ts";
import { oakleyPrimes } from "../../support/hello-server.ts";

const vector = (bytes: Uint8Array) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
const dhe = (prime: Uint8Array, ...rest: readonly Buffer[]) =>
  Buffer.concat([vector(prime), vector(Buffer.from([2])), vector(Buffer.from([1, 2, 3])), ...rest]);

describe("the prime of a finite field", () => {
  const prime = oakleyPrimes.group2;

  test("of a whole message, before a signature", () => {
    const found = finiteFieldPrime(dhe(prime, Buffer.from([4, 1, 0, 2, 9, 9])));
    expect(Buffer.from(found ?? []).equals(prime)).toBe(true);
    expect(bitLength(found ?? new Uint8Array())).toBe(1_024);
  });
  test("loses leading zeros, which do not add strength", () => {
    const padded = Buffer.concat([Buffer.alloc(128), prime]);
    expect(bitLength(finiteFieldPrime(dhe(padded)) ?? new Uint8Array())).toBe(1_024);
  });
  test("is null in a truncated message", () => {
    const message = dhe(prime);
    for (let length = 0; length < message.length; length++) expect(finiteFieldPrime(message.subarray(0, length))).toBeNull();
  });
  test("is null if it is zero", () => expect(finiteFieldPrime(dhe(Buffer.alloc(4)))).toBeNull());
  test.each([
    [[], 0],
    [[1], 1],
    [[0x80], 8],
    [[1, 0], 9],
    [[0x7f, 0xff], 15],
  ])("%j has %i bits", (bytes, bits) => expect(bitLength(Uint8Array.from(bytes))).toBe(bits));
});

describe("the named curve", () => {
  const point = [3, 4, 5, 6];
  test("of a whole message", () => expect(namedCurve(Uint8Array.from([3, 0, 23, ...point, 99]))).toBe(23));
  test.each([
    ["explicit prime parameters", [1, 0, 23, ...point]],
    ["explicit binary parameters", [2, 0, 23, ...point]],
    ["a truncated point", [3, 0, 23, 3, 4, 5]],
    ["no point", [3, 0, 23]],
    ["no curve", [3]],
    ["nothing", []],
  ])("is null for %s", (_words, bytes) => expect(namedCurve(Uint8Array.from(bytes))).toBeNull());
});

describe("names of curves", () => {
  test.each(["secp160k1", "secp192r1", "sect163k1", "sect193r2"])("%s is short", (name) => expect(isShortCurve(name)).toBe(true));
  test.each(["secp224r1", "secp256r1", "sect233k1", "sect571r1", "x25519", ""])("%s is not short", (name) =>
    expect(isShortCurve(name)).toBe(false),
  );
  test("binary curves have names of their own", () =>
    expect(["sect163k1", "secp160k1", "x448"].map(isBinaryCurve)).toEqual([true, false, false]));
});
