/** Runs laboratory cases as tests: each serves a site, scans it, and compares the states of checks. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { State } from "../../src/check/check.ts";
import type { EgressSettings } from "../../src/egress/settings.ts";
import type { ScanDeadlines, ScanOutcome } from "../../src/scan/task.ts";
import { openLaboratory } from "./open-laboratory.ts";

export type FinishedScan = Extract<ScanOutcome, { status: "finished" }>;

/** Expected states by ledger key; keys that are left out do not matter. */
export type States = Readonly<Record<string, State>>;

/** A running site; stopped after its scan. */
export interface LabSite {
  readonly url: string;
  readonly egress: EgressSettings;
  /** PEM certificates that the scan trusts in addition to the bundled roots. */
  readonly caPems: readonly string[];
  readonly deadlines?: Partial<ScanDeadlines>;
  stop?(): void | Promise<void>;
}

export interface LabCase {
  /** Describes the site. */
  readonly name: string;
  readonly expected: States;
  /** Finding codes that must be reported. */
  readonly codes?: readonly string[];
  serve(): Promise<LabSite>;
  /** Further expectations. */
  verify?(scan: FinishedScan): void;
}

export interface CaseResult {
  readonly area: string;
  readonly name: string;
  readonly expected: States;
  /** Null if the scan failed. */
  readonly actual: States | null;
  /** Codes of all findings. */
  readonly codes: readonly string[];
  /** Whether all expectations held. */
  readonly ok: boolean;
}

const caseMsMax = 90_000;
const results: CaseResult[] = [];

/** Results of all cases that ran in this process, in order. */
export function caseResults(): readonly CaseResult[] {
  return results;
}

/** Registers a test for each case of an area. Cases share a browser but not a scanner. */
export function labTests(area: string, cases: readonly LabCase[]): void {
  describe(`laboratory: ${area}`, () => {
    const laboratory = openLaboratory();
    beforeAll(laboratory.ready, caseMsMax);
    afterAll(laboratory.close);
    for (const labCase of cases) {
      test(
        labCase.name,
        async () => {
          const { name, expected } = labCase;
          let actual: States | null = null;
          let codes: readonly string[] = [];
          let ok = false;
          try {
            const scan = await laboratory.scan(labCase);
            const ledger = Object.fromEntries(scan.result.ledger.map((row) => [row.key, row.state]));
            actual = Object.fromEntries(Object.keys(expected).map((key) => [key, ledger[key] as State]));
            codes = scan.result.findings.map(({ code }) => code);
            expect(actual).toEqual(expected);
            expect(codes).toEqual(expect.arrayContaining([...(labCase.codes ?? [])]));
            labCase.verify?.(scan);
            ok = true;
          } finally {
            results.push({ area, name, expected, actual, codes, ok });
          }
        },
        caseMsMax,
      );
    }
  });
}
