/** Evidence as a hostile worker may send it: each reading well-formed by the schema, and wildly wrong. */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import type { Evidence, ReadingName } from "../../src/evidence/evidence.ts";
import { factsSchema, readingNames } from "../../src/evidence/facts.ts";
import { probeFailure } from "../../src/evidence/fields.ts";
import { knownScans } from "../support/finished-scans.ts";
import { inputsOf } from "./inputs.ts";

/** Words of all protocols, beside markup, invisible characters and syntax. */
const tokens = [
  ..."|`*_[]()<>&\"'\\#@:;,.!~$^{}=+-%?/ \t\n\r\0\x1b\x7f",
  "\ud800",
  "\u202e",
  "\u{1f600}",
  "<script>alert(1)</script>",
  "{{host}}",
  "$t(checks)",
  "https://",
  "http://[::1]:99999/",
  "javascript:",
  "//a:b@",
  "[fe80::1%25eth0]",
  "999.1.2.3",
  "xn--",
  ".example",
  "..",
  "content-security-policy",
  "strict-transport-security",
  "set-cookie",
  "default-src",
  "max-age=",
  "sha256-",
  "v=spf1 ",
  "include:",
  "redirect=",
  "v=DMARC1; p=",
  "v=STSv1; id=",
  "TLSv1.3",
  "1e400",
  "-0",
  "NaN",
  "__proto__",
  "constructor",
];
const samples = [
  "https://site.example/a?b=c#d",
  "v=spf1 include:a.example ip4:192.0.2.0/99 -all",
  "default-src 'self'; script-src 'nonce-abc' https://cdn.example",
  "Contact: mailto:a@b.example\nExpires: 2027-13-41T00:00:00Z\n",
  "CN=a, O=b",
];
const texts = inputsOf({ tokens, samples });
const instants = ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2026-02-31T12:00:00.000Z", "2026-11-22T12:00:00.000Z"];
const itemsMax = 3;

function anyOf(schema: TSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf !== undefined) return fc.oneof(...(schema.anyOf as readonly TSchema[]).map(anyOf));
  switch (schema.type) {
    case "object": {
      const properties = Object.entries(schema.properties as Record<string, TSchema>);
      return fc.record(Object.fromEntries(properties.map(([name, part]) => [name, anyOf(part)])), { requiredKeys: schema.required ?? [] });
    }
    case "array":
      return fc.array(anyOf(schema.items), { maxLength: Math.min(itemsMax, schema.maxItems) });
    case "string":
      if (schema.pattern === undefined) return texts.map((text) => text.slice(0, schema.maxLength));
      return fc.constantFrom(...instants.map((instant) => (schema.pattern.includes("T") ? instant : instant.slice(0, 10))));
    case "integer":
      return fc
        .oneof(fc.constantFrom(0, 1, 200, 404, schema.maximum), fc.nat({ max: schema.maximum }))
        .filter((number) => number <= schema.maximum);
    case "boolean":
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

const known = Object.values(knownScans).map(({ evidence }) => evidence);

type Place = readonly [parent: Record<string, unknown>, name: string];

/** Texts, numbers and truth values inside. */
function leavesOf(parent: Record<string, unknown>): readonly Place[] {
  return Object.entries(parent).flatMap(([name, value]): readonly Place[] =>
    typeof value === "object" && value !== null ? leavesOf(value as Record<string, unknown>) : [[parent, name]],
  );
}

/** Facts of a real site in which a few values are others of the same type. Those that the schema refuses stay as they were. */
function changedReading(name: ReadingName): fc.Arbitrary<unknown> {
  const others = fc.record({ at: fc.nat({ max: 10_000 }), text: texts, cut: fc.nat({ max: 40 }), number: fc.nat({ max: 100_000 }) });
  return fc
    .tuple(fc.constantFrom(...known.map((evidence) => evidence[name])), fc.array(others, { minLength: 1, maxLength: 6 }))
    .map(([reading, changes]) => {
      if (reading.status === "failed") return reading;
      const facts = structuredClone(reading.facts) as unknown as Record<string, unknown>;
      const leaves = leavesOf(facts);
      for (const { at, text, cut, number } of changes) {
        const [parent, leaf] = leaves[at % leaves.length] ?? [facts, "more"];
        const value = parent[leaf];
        if (typeof value === "string") parent[leaf] = at % 2 === 0 ? text : value.slice(0, cut) + text + value.slice(cut + (number % 5));
        else parent[leaf] = typeof value === "number" ? number : !value;
        if (!Value.Check(factsSchema.properties[name], facts)) parent[leaf] = value;
      }
      return { status: "read", facts };
    });
}

function readingOf(name: ReadingName): fc.Arbitrary<unknown> {
  const read = anyOf(factsSchema.properties[name]).map((facts) => ({ status: "read", facts }));
  const failed = anyOf(probeFailure).map((because) => ({ status: "failed", because }));
  return fc.oneof(
    { arbitrary: read, weight: 3 },
    { arbitrary: changedReading(name), weight: 4 },
    { arbitrary: fc.constantFrom(...known.map((evidence) => evidence[name])), weight: 2 },
    { arbitrary: failed, weight: 1 },
  );
}

/** Each reading is well-formed, and fits no other. */
export const hostileEvidence = fc
  .tuple(fc.constantFrom(...known), fc.record(Object.fromEntries(readingNames.map((name) => [name, readingOf(name)]))))
  .map(([{ subject }, readings]) => ({ subject, ...readings }) as unknown as Evidence);

/** Evidence in which a few values, deep inside, are any JSON. */
export const brokenEvidence: fc.Arbitrary<unknown> = fc
  .tuple(
    fc.oneof(hostileEvidence, fc.constantFrom(...known)),
    fc.array(fc.tuple(fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 7 }), fc.jsonValue({ maxDepth: 3 })), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([evidence, changes]) => {
    const copy = structuredClone(evidence) as unknown;
    for (const [path, value] of changes) change(copy, path, value);
    return copy;
  });

/** Follows the numbers as positions of members, as far as there are any, and replaces the last member. */
function change(root: unknown, path: readonly number[], value: unknown): void {
  let at = root as Record<string, unknown>;
  for (const [step, number] of path.entries()) {
    const names = Object.keys(at);
    const name = number % 5 === 0 ? "more" : (names[number % Math.max(1, names.length)] ?? "more");
    const inner = at[name];
    if (step === path.length - 1 || typeof inner !== "object" || inner === null) {
      at[name] = value;
      return;
    }
    at = inner as Record<string, unknown>;
  }
}
