/** Results of workers, as packed and as a hostile or broken worker sends them. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { headerLimitOf } from "../../../src/evidence/subject.ts";
import { createResultAssembly, type ExpectedResult, unpackResult } from "../../../src/fleet/received-result.ts";
import { type PackedResult, packResult } from "../../../src/fleet/result-parts.ts";
import type { Gathered } from "../../../src/scan/task.ts";
import { unreachableBecause } from "../../../src/scan/unreachable.ts";
import { knownScans, shopPicture } from "../../support/finished-scans.ts";

const { evidence } = knownScans.shop;
const screenshot = new Uint8Array(readFileSync(shopPicture));
const gathered: Gathered = {
  evidence,
  screenshot,
  timings: { page: 1_612, total: 2_340 },
  unreachable: null,
  browserBroke: false,
  refusals: [],
};

const expected: ExpectedResult = {
  url: evidence.subject.url,
  scannedAt: evidence.subject.scannedAt,
  headerCharsMax: headerLimitOf(evidence.subject),
};

function received({ parts, manifest }: PackedResult, terms = expected) {
  const assembly = createResultAssembly();
  for (const [at, part] of parts.entries()) expect(assembly.add(at, part)).toBe("more");
  expect(assembly.add(null, Buffer.from(JSON.stringify(manifest)))).toBe("complete");
  return unpackResult(assembly, terms);
}

describe("a result comes back as it was gathered", () => {
  test.each(Object.entries(knownScans))("%s", (_name, { evidence: known }) => {
    const { url, scannedAt } = known.subject;
    const result = { ...gathered, evidence: known, unreachable: unreachableBecause(known) };
    expect(received(packResult(result), { url, scannedAt, headerCharsMax: headerLimitOf(known.subject) })).toEqual({ gathered: result });
  });

  test("of a scan that could not be gathered", () => {
    expect(received(packResult("browser-unavailable"))).toEqual({ gathered: "browser-unavailable" });
  });
});
