/** Sends hostile results through the head: they are refused with one clause, or judged, rendered and exported like any other. */
import fc from "fast-check";
import { builtInChecks } from "../../checks/index.ts";
import { type Evidence, headerLimitOf } from "../../src/evidence/evidence.ts";
import { exportFormats } from "../../src/export/formats.ts";
import { createResultAssembly, type PackedResult, packResult, unpackResult } from "../../src/fleet/results.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import type { Gathered } from "../../src/scan/task.ts";
import { inFixOrder } from "../../src/text/ledger-rows.ts";
import { renderFullReport } from "../../src/text/render.ts";
import { exportedScan, exportSettings } from "../support/exported-scans.ts";
import { knownScans } from "../support/finished-scans.ts";
import { sentJson, sentResult } from "../support/sent-results.ts";
import { brokenEvidence, hostileEvidence } from "./hostile-evidence.ts";

const failuresMax = 5;
const catalog = { checks: builtInChecks, version: "fuzz" };
const { subject } = knownScans.bare.evidence;
/** One line of our own words. */
const clause = /^sent [\w ,.;:/-]{1,200}$/;

type Unpacked = ReturnType<typeof unpackResult>;

/** A result with correct sums, read as the head reads it. */
export function receivedFrom({ parts, manifest }: PackedResult, { url, scannedAt, headerValueCharsMax }: Evidence["subject"]): Unpacked {
  const assembly = createResultAssembly();
  for (const [at, part] of parts.entries()) assembly.add(at, part);
  assembly.add(null, Buffer.from(JSON.stringify(manifest)));
  const headerCharsMax = headerValueCharsMax ?? headerLimitOf(subject);
  return unpackResult(assembly, { url, scannedAt, headerCharsMax });
}

/** What is wrong after one result; `faults` gets the checks that threw. */
function complaintsOn(unpacked: Unpacked, faults: Map<string, string>): readonly string[] {
  if ("fault" in unpacked) return clause.test(unpacked.fault) ? [] : [`fault: ${unpacked.fault}`];
  if (typeof unpacked.gathered === "string") return [];
  const { evidence } = unpacked.gathered;
  const judged = performJudge({ evidence, hung: [] }, catalog, () => {});
  for (const { key, fault } of judged.faults) faults.set(key, fault);
  const result = inFixOrder(judged.result, builtInChecks);
  const scan = { ...exportedScan("bare", { result, evidence }), timings: unpacked.gathered.timings };
  for (const locale of ["en-gb", "de-de"] as const) {
    const settings = exportSettings({ locale });
    renderFullReport(scan.scan, result, { evidence, timings: scan.timings }, locale, settings.texts);
    for (const { write } of Object.values(exportFormats)) write([scan], settings);
  }
  const complaints: string[] = [];
  if (!Bun.deepEquals(JSON.parse(JSON.stringify(evidence)), evidence)) complaints.push("evidence that is no plain JSON");
  if (!JSON.stringify(evidence).isWellFormed()) complaints.push("evidence with unpaired surrogates");
  return complaints;
}

const gathered: Omit<Gathered, "evidence"> = {
  screenshot: null,
  timings: { total: 1 },
  unreachable: null,
  browserBroke: false,
  refusals: [],
};

/** Bytes of a real result with a few others in between. */
const brokenBytes = fc
  .tuple(
    fc.constantFrom(...Object.values(knownScans).map(({ evidence }) => packResult({ ...gathered, evidence }).parts[0] ?? new Uint8Array())),
    fc.array(fc.tuple(fc.nat({ max: 8_000 }), fc.nat({ max: 255 })), { maxLength: 4 }),
    fc.nat({ max: 8_000 }),
  )
  .map(([bytes, changes, length]) => {
    const copy = Uint8Array.from(bytes);
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return length % 2 === 0 ? copy : copy.subarray(0, 1 + (length % copy.length));
  });

const unpacked: fc.Arbitrary<{ readonly what: string; readonly sent: unknown; readonly read: () => Unpacked }> = fc.oneof(
  {
    arbitrary: hostileEvidence.map((evidence) => ({
      what: "hostile evidence",
      sent: evidence,
      read: () => receivedFrom(packResult({ ...gathered, evidence }), evidence.subject),
    })),
    weight: 5,
  },
  {
    arbitrary: brokenEvidence.map((evidence) => ({
      what: "broken evidence",
      sent: evidence,
      read: () => receivedFrom(sentJson({ ...gathered, evidence }), subject),
    })),
    weight: 4,
  },
  {
    arbitrary: brokenBytes.map((bytes) => ({
      what: "broken bytes",
      sent: bytes.length,
      read: () => receivedFrom(sentResult(bytes), subject),
    })),
    weight: 1,
  },
);

export interface ResultFuzzOutcome {
  readonly results: number;
  /** Results that were judged; the others were refused. */
  readonly judged: number;
  readonly failures: readonly string[];
  /** Fault by check that threw; its row is `notChecked` then. */
  readonly faults: ReadonlyMap<string, string>;
}

/** @param seed For a run that can be repeated; random if absent. */
export function fuzzResults(count: number, seed?: number): ResultFuzzOutcome {
  const failures = new Set<string>();
  const faults = new Map<string, string>();
  let results = 0;
  let judged = 0;
  const examine = fc.property(unpacked, ({ what, sent, read }) => {
    results++;
    const fail = (because: string) => {
      if (failures.size < failuresMax) failures.add(`results: ${what}: ${because} on ${JSON.stringify(sent)?.slice(0, 2_000)}`);
    };
    try {
      const answer = read();
      if ("gathered" in answer) judged++;
      else if (what === "hostile evidence") fail(answer.fault);
      for (const complaint of complaintsOn(answer, faults)) fail(complaint);
    } catch (error) {
      fail(`${(error as Error).stack?.split("\n").slice(0, 4).join(" ")}`);
    }
  });
  fc.assert(examine, { numRuns: count, ...(seed !== undefined && { seed }) });
  return { results, judged, failures: [...failures], faults };
}
