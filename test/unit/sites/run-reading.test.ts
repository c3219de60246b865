/** One reading from the scans of all addresses. */
import { describe, expect, test } from "vitest";
import { failed } from "../../../src/evidence/evidence.ts";
import type { LedgerRow, StoredFinding, StoredResult } from "../../../src/judge/result.ts";
import { type MeasuredReading, type RunReading, readRun, type ScannedAddress } from "../../../src/sites/run-reading.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { emptyResult } from "../../support/stored.ts";

const first = "https://a.example/";
const second = "https://a.example/shop";
const basis = { headerValueCharsMax: 512, dataDates: {} };

const row = (key: string, state: LedgerRow["state"], given: Partial<LedgerRow> = {}): LedgerRow => ({
  key,
  state,
  weight: 3,
  evidence: ["page"],
  ...given,
});
const finding = (code: string, severity: StoredFinding["severity"] = "medium"): StoredFinding => ({
  code,
  checkKey: code.split(".")[1] ?? "",
  severity,
  riskLevel: "low",
  effort: "low",
  values: {},
});
const resultOf = (given: Partial<StoredResult>): StoredResult => ({ ...emptyResult, algorithmVersion: 3, basis, ...given });

/** Result of a scan whose appliance had too little processor time. */
const busy = {
  measured: false,
  score: null,
  ledger: [row("x", "violated"), row("y", "notChecked", { notCheckedBecause: "tls: server-busy" })],
};

function scanned(url: string, given: Partial<StoredResult> | string | null): ScannedAddress {
  const scan = { token: `token of ${url}`, endedAt: "2026-11-02T12:00:00.000Z" };
  if (given === null) return { url, scan: undefined, result: undefined };
  if (typeof given === "string") return { url, scan: { ...scan, status: "failed", errorCode: given }, result: undefined };
  return { url, scan: { ...scan, status: "finished", errorCode: null }, result: resultOf(given) };
}

function measured(reading: RunReading): MeasuredReading {
  if (!reading.measured) throw new Error("not measured");
  return reading;
}

const readAll = (...addresses: readonly ScannedAddress[]) => measured(readRun(addresses, undefined));

describe("a reading", () => {
  test("has the lowest score, and the findings of all addresses with the worst severity", () => {
    const reading = readAll(
      scanned(first, { score: 88, findings: [finding("security.x.a", "low"), finding("security.x.a", "low")] }),
      scanned(second, { score: 61, findings: [finding("security.x.a", "high"), finding("security.y.b")] }),
    );
    expect(reading).toMatchObject({ score: 61, token: `token of ${first}`, addresses: [first, second] });
    expect([...reading.scores]).toEqual([
      [first, 88],
      [second, 61],
    ]);
    expect([...reading.unmeasured]).toEqual([]);
    expect([...reading.findings]).toEqual([
      ["security.x.a", { checkKey: "x", severity: "high", urls: [first, second] }],
      ["security.y.b", { checkKey: "y", severity: "medium", urls: [second] }],
    ]);
  });

  test("names the addresses with a verdict, and knows whether every one has it", () => {
    const reading = readAll(
      scanned(first, { ledger: [row("x", "passed"), row("y", "violated"), row("z", "notChecked")] }),
      scanned(second, { ledger: [row("x", "notApplicable"), row("y", "notChecked"), row("z", "notChecked")] }),
    );
    const states = [...reading.checks].map(([key, { decided, decidedUrls }]) => [key, decided, [...decidedUrls]]);
    expect(states).toEqual([
      ["x", true, [first, second]],
      ["y", false, [first]],
      ["z", false, []],
    ]);
    expect([...reading.checks].map(([key, { inapplicableUrls }]) => [key, [...inapplicableUrls]])).toEqual([
      ["x", [second]],
      ["y", []],
      ["z", []],
    ]);
  });

  test.each([
    ["failed", "timeout"],
    ["was not measured", { measured: false, score: null }],
    ["was judged by another catalog", { catalogVersion: "other", score: 10 }],
    ["was deleted", null],
  ])("has no verdict where one address %s, and the score of the others", (_name, other) => {
    const reading = readAll(scanned(first, { score: 70, ledger: [row("x", "passed")] }), scanned(second, other));
    expect(reading.score).toBe(70);
    expect(reading.checks.get("x")?.decided).toBe(false);
    expect([...reading.unmeasured]).toEqual([[second, other === "timeout" ? "timeout" : null]]);
  });

  test("knows the data files of all addresses", () => {
    const reading = readAll(
      scanned(first, { basis: { ...basis, dataDates: { hstsPreload: "2026-10-01" } } }),
      scanned(second, { basis: { ...basis, dataDates: { scriptLibraries: "2026-10-02" } } }),
    );
    expect(reading.rules.basis?.dataDates).toEqual({ hstsPreload: "2026-10-01", scriptLibraries: "2026-10-02" });
  });

  test("compares scores without the limit for an unread main defence", () => {
    const limited = { score: 79, ledger: [row("x", "notChecked", { weight: 9 }), row("y", "violated", { charged: 5 })] };
    expect(readAll(scanned(first, limited))).toMatchObject({ score: 79, scores: new Map([[first, 95]]) });
    const decided = { score: 79, ledger: [row("x", "passed", { weight: 9 }), row("y", "violated", { charged: 24 })] };
    expect(readAll(scanned(first, decided))).toMatchObject({ score: 79, scores: new Map([[first, 79]]) });
  });
});

describe("a run without a measured first address", () => {
  test.each([
    ["failed", "refused", "refused", false],
    ["failed by the appliance", "browser-unavailable", "browser-unavailable", true],
    ["was cancelled", "cancelled", "cancelled", true],
    ["was not measured", { measured: false, score: null }, null, false],
    ["was not measured by an appliance without processor time", busy, "server-busy", true],
    ["was deleted", null, null, true],
  ])("that %s measures nothing", (_name, given, errorCode, ownFault) => {
    const reading = readRun([scanned(first, given), scanned(second, { score: 70 })], undefined);
    expect(reading).toEqual({ measured: false, addresses: [first, second], certificate: null, errorCode, ownFault });
  });
});

describe("the certificate", () => {
  test("is the first one of the chain", () => {
    const { evidence, result } = knownScans.sound;
    const { tls } = evidence;
    const leaf = tls.status === "read" ? tls.facts.chain[0] : undefined;
    expect(leaf).toBeDefined();
    const { certificate } = readRun([{ ...scanned(first, {}), result }], evidence);
    expect(certificate).toEqual({ validFrom: leaf?.validFrom, expiresAt: leaf?.validTo });
  });

  test("is also read where nothing was measured", () => {
    expect(readRun([scanned(first, "timeout")], knownScans.sound.evidence).certificate).not.toBeNull();
    const unread = { ...knownScans.sound.evidence, tls: failed("timeout") };
    expect(readRun([scanned(first, "timeout")], unread).certificate).toBeNull();
  });
});
