/** What all parts of the laboratory share: a case says which states it expects of which checks, scans for real, and is told in one table. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { State } from "../../src/check/check.ts";
import type { EgressSettings } from "../../src/egress/settings.ts";
import type { ScanDeadlines, ScanOutcome } from "../../src/scan/task.ts";
import { openLaboratory } from "./open-laboratory.ts";

export type FinishedScan = Extract<ScanOutcome, { status: "finished" }>;

/** States by ledger key; only what the case is about. */
export type States = Readonly<Record<string, State>>;

/** Where a case is served: running while it is scanned, stopped afterwards. */
export interface LabSite {
  readonly url: string;
  readonly egress: EgressSettings;
  /** PEM certificates that the scan trusts besides the bundled roots. */
  readonly caPems: readonly string[];
  readonly deadlines?: Partial<ScanDeadlines>;
  stop?(): void | Promise<void>;
}

export interface LabCase {
  /** What is served, in words. */
  readonly name: string;
  readonly expected: States;
  /** Finding codes that must be told, beyond the states. */
  readonly codes?: readonly string[];
  serve(): Promise<LabSite>;
  /** For what states and codes do not tell. */
  also?(scan: FinishedScan): void;
}

export interface SeenCase {
  readonly area: string;
  readonly name: string;
  readonly expected: States;
  /** Null when the scan itself failed. */
  readonly seen: States | null;
  /** Codes of all findings. */
  readonly told: readonly string[];
  /** Whether everything that the case demands held, states and all. */
  readonly held: boolean;
}

const caseMsMax = 90_000;
const seenCases: SeenCase[] = [];

/** Every case that was run in this process, in order; the table of the laboratory is made from it. */
export function casesSeen(): readonly SeenCase[] {
  return seenCases;
}

/** Registers a test for each case of one area of the laboratory. They share a browser, and each has a scan of its own. */
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
          let seen: States | null = null;
          let told: readonly string[] = [];
          let held = false;
          try {
            const scan = await laboratory.scan(labCase);
            const ledger = Object.fromEntries(scan.result.ledger.map((row) => [row.key, row.state]));
            seen = Object.fromEntries(Object.keys(expected).map((key) => [key, ledger[key] as State]));
            told = scan.result.findings.map(({ code }) => code);
            expect(seen).toEqual(expected);
            expect(told).toEqual(expect.arrayContaining([...(labCase.codes ?? [])]));
            labCase.also?.(scan);
            held = true;
          } finally {
            seenCases.push({ area, name, expected, seen, told, held });
          }
        },
        caseMsMax,
      );
    }
  });
}
