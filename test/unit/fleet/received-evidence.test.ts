/** The schema of evidence, pinned to its version: the head checks all evidence of workers with it. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Evidence, evidenceVersion, failed, type ProbeFailure } from "../../../src/evidence/evidence.ts";
import { factsSchema } from "../../../src/evidence/facts.ts";
import type { HeaderField } from "../../../src/evidence/http-facts.ts";
import { receivedEvidence } from "../../../src/fleet/results.ts";
import { evidence as evidenceOfAuthor } from "../../support/evidence.ts";
import { knownScans } from "../../support/finished-scans.ts";

const known = knownScans.bare.evidence;

/** Evidence as it arrives: through JSON. */
const received = (sent: unknown, { version = evidenceVersion, expected = known.subject } = {}) =>
  receivedEvidence(JSON.parse(JSON.stringify(sent)), expected, version);

/** The evidence with another value at a path. */
function withValue(path: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(known));
  const names = path.split("/");
  const parent = names.slice(0, -1).reduce((at, name) => at[name], copy);
  parent[names.at(-1) ?? ""] = value;
  return copy;
}

describe("the schema", () => {
  test("gives the facts their types", () => {
    const field: HeaderField = { name: "server", value: "", truncated: false };
    const wrong: readonly HeaderField[] = [
      // @ts-expect-error a field is missing
      { name: "", value: "" },
      // @ts-expect-error a field too many
      { ...field, more: true },
      // @ts-expect-error another type
      { ...field, truncated: 0 },
    ];
    // @ts-expect-error a word that the schema does not have
    const failure: ProbeFailure = "late";
    // @ts-expect-error facts are read only
    field.value = "nginx";
    expect([wrong.length, failure, field.value]).toEqual([3, "late", "nginx"]);
  });

  /** A changed sum asks for a decision: raise `evidenceVersion` if a program with the older schema would refuse or misread new evidence. */
  test("is the one of its version", () => {
    const sum = createHash("sha256").update(JSON.stringify(factsSchema)).digest("hex").slice(0, 16);
    expect([evidenceVersion, sum]).toEqual([2, "d316f423ec6c1e27"]);
  });

  test("limits every text, list and number", () => {
    const unlimited: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const part = schema as Readonly<Record<string, unknown>>;
      const isUnlimited =
        (part.type === "string" && part.maxLength === undefined && part.pattern === undefined && part.const === undefined) ||
        (part.type === "array" && part.maxItems === undefined) ||
        ((part.type === "integer" || part.type === "number") && part.maximum === undefined) ||
        (part.type === "object" && part.additionalProperties !== false);
      if (isUnlimited) unlimited.push(path);
      for (const [name, inner] of Object.entries(part)) visit(inner, `${path}/${name}`);
    };
    visit(factsSchema, "");
    expect(unlimited).toEqual([]);
  });
});

describe("evidence that is as it should be", () => {
  test.each(Object.entries(knownScans))("of the site %s comes back equal", (_name, { evidence }) => {
    expect(received(evidence, { expected: evidence.subject })).toEqual({ evidence });
  });

  test("of a check's author comes back equal", () => {
    const evidence = evidenceOfAuthor();
    expect(received(evidence, { expected: evidence.subject })).toEqual({ evidence });
  });
});

describe("what the schema does not know", () => {
  const clean = { evidence: known };

  test.each([
    ["a reading", "more"],
    ["a field of a reading", "page/more"],
    ["a fact", "page/facts/more"],
    ["a field in a list", "page/facts/headers/0/more"],
    ["a field of a value that may be null", "navigation/facts/security/more"],
    ["a field of an answer", "dnsNameServers/facts/servers/0/ipv4/more"],
  ])("is removed: %s", (_name, path) => {
    expect(received(withValue(path, { x: [1] }))).toEqual(clean);
  });

  test("is removed from a failed reading", () => {
    const back = received(withValue("dnssec", { status: "failed", because: "timeout", facts: {} }));
    expect(back).toEqual({ evidence: { ...known, dnssec: failed("timeout") } });
  });

  test("is removed if it is named as a prototype", () => {
    const copy = JSON.stringify(known).replace('"finalUrl":', '"__proto__":{"polluted":1},"finalUrl":');
    const back = receivedEvidence(JSON.parse(copy), known.subject, evidenceVersion) as { readonly evidence: Evidence };
    expect(back).toEqual(clean);
    const facts = back.evidence.navigation.status === "read" ? back.evidence.navigation.facts : {};
    expect(Object.getPrototypeOf(facts)).toBe(Object.prototype);
  });
});

describe("facts that break their limits are refused", () => {
  test.each([
    ["page/facts/status", -1, "page with invalid facts at /status"],
    ["page/facts/status", 200.5, "page with invalid facts at /status"],
    ["page/facts/status", "200", "page with invalid facts at /status"],
    ["page/facts/headers", Array(201).fill({ name: "a", value: "", truncated: false }), "page with invalid facts at /headers"],
    ["page/facts/headers/0/name", "x".repeat(129), "page with invalid facts at /headers/0/name"],
    ["page/facts/headers/0/value", "x".repeat(16_385), "page with invalid facts at /headers/0/value"],
    ["navigation/facts/finalUrl", null, "navigation with invalid facts at /finalUrl"],
    ["navigation/facts/finalUrl", `http://a/${"x".repeat(2_040)}`, "navigation with invalid facts at /finalUrl"],
    ["navigation/facts/security", "TLS", "navigation with invalid facts at /security"],
    ["dnssec/facts/status", "fine", "dnssec with invalid facts at /status"],
    ["scriptLibraries/facts/advisoriesDate", "2026-13-01", "scriptLibraries with invalid facts at /advisoriesDate"],
    ["page/facts", null, "page with invalid facts at /"],
    ["page/facts", [], "page with invalid facts at /"],
  ])("%s: %j", (path, value, end) => {
    expect(received(withValue(path, value))).toEqual({ fault: `sent the reading ${end}` });
  });

  test.each([
    ["tls", undefined, "sent evidence without the reading tls"],
    ["tls", null, "sent evidence without the reading tls"],
    ["tls", { status: "failed", because: "<script>" }, "sent the reading tls without facts and without a known failure"],
    ["tls", { status: "failed" }, "sent the reading tls without facts and without a known failure"],
    ["tls", { status: "unknown", facts: {} }, "sent the reading tls without facts and without a known failure"],
  ])("the reading %s: %j", (path, value, fault) => {
    expect(received(withValue(path, value))).toEqual({ fault });
  });

  test.each([[null], [[]], ["text"], [1], [{}], [{ subject: null }]])("%j is no evidence", (sent) => {
    expect(received(sent)).toEqual({ fault: "sent a result without evidence" });
  });
});

describe("evidence of another scan is refused", () => {
  test.each([
    ["url", "https://other.example/"],
    ["host", "other.example"],
    ["scannedAt", "2020-01-01T00:00:00.000Z"],
    ["headerValueCharsMax", 16_384],
    ["more", 1],
    ["host", undefined],
  ])("subject.%s: %j", (name, value) => {
    expect(received(withValue(`subject/${name}`, value))).toEqual({ fault: "sent evidence of another scan" });
  });

  test.each([[null], ["other.example"], [undefined]])("with the registered domain %j, which another public suffix list gave", (value) => {
    const fault = "sent another registered domain, by another public suffix list; set the same public_suffixes.file for both";
    expect(received(withValue("subject/registrableDomain", value))).toEqual({ fault });
  });

  test("the date of the worker's public suffix list stays, if it is one", () => {
    const dated = withValue("subject/publicSuffixesDate", "2026-11-01");
    expect(received(dated)).toEqual({ evidence: { ...known, subject: { ...known.subject, publicSuffixesDate: "2026-11-01" } } });
    const fault = "sent an invalid date of its public suffix list";
    expect(received(withValue("subject/publicSuffixesDate", "<b>"))).toEqual({ fault });
  });
});

describe("evidence of the version before", () => {
  const version = evidenceVersion - 1;

  test("may lack readings", () => {
    const { markup: _, mailDane: __, ...older } = known;
    expect(received(older, { version })).toEqual({
      evidence: { ...known, markup: failed("not-asked"), mailDane: failed("not-asked") },
    });
  });

  test("may have readings of another shape, and others that are gone", () => {
    const older = { ...known, tls: { status: "read", facts: { version: "1.2" } }, cookies: { status: "read", facts: [] } };
    expect(received(older, { version })).toEqual({ evidence: { ...known, tls: failed("not-asked") } });
  });

  test("is of this scan all the same", () => {
    const other = { ...known, subject: { ...known.subject, url: "https://other.example/" } };
    expect(received(other, { version })).toEqual({ fault: "sent evidence of another scan" });
  });
});
