/** Idempotency-Key: any text of visible ASCII is a key, bare or as a string of a structured field; nothing else is. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprintOf, idempotencyKeyCharsMax, idempotencyKeyOf } from "../../../src/api/scans/starts.ts";

const requestWith = (field: string) => ({ headers: { get: () => field } }) as unknown as Request;
const character = (from: number, to: number) => fc.integer({ min: from, max: to }).map((code) => String.fromCharCode(code));
const key = fc.array(character(0x21, 0x7e), { minLength: 1, maxLength: idempotencyKeyCharsMax }).map((parts) => parts.join(""));
const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;

test("is the same with and without quotes", () => {
  fc.assert(
    fc.property(key, (text) => {
      expect(idempotencyKeyOf(requestWith(quoted(text)))).toBe(text);
      if (!text.startsWith('"')) expect(idempotencyKeyOf(requestWith(text))).toBe(text);
    }),
  );
});

test("is refused with any other character, wherever it stands, and when it is too long", () => {
  const other = fc.oneof(character(0, 0x20), character(0x7f, 0xffff));
  fc.assert(
    fc.property(key, other, key, (before, unfit, after) => {
      for (const field of [before + unfit + after, quoted(before + unfit + after)])
        expect(() => idempotencyKeyOf(requestWith(field))).toThrow("visible ASCII");
    }),
  );
  for (const field of ["k".repeat(idempotencyKeyCharsMax + 1), quoted("k".repeat(idempotencyKeyCharsMax + 1))])
    expect(() => idempotencyKeyOf(requestWith(field))).toThrow("1 to 255");
});

test("of requests with other URLs, another order, another path or another location, the fingerprints differ", () => {
  const [a, b] = ["https://a.example/", "https://b.example/"];
  const requests = [
    ["/x", [a]],
    ["/y", [a]],
    ["/x", [a, b]],
    ["/x", [b, a]],
    ["/x", [a, null]],
    ["/x", [a, a]],
    ["/x", []],
    ["/x", [a], "berlin"],
    ["/x", [a], "tokyo"],
  ] as const;
  const fingerprints = requests.map(([path, urls, location = "local"]) => fingerprintOf({ path, urls, location }));
  expect(new Set(fingerprints).size).toBe(requests.length);
});

test("without a location the fingerprint is that of earlier releases, whose keys may be repeated after an update", () => {
  const fingerprint = fingerprintOf({ path: "/api/v1/scans", urls: ["https://a.example/"], location: "local" });
  expect(fingerprint).toBe("4YBc3eGhfh-Vs8pnrLXCSErqCiu8wR0n0WlttVrmalk");
});
