/** Metrics of scans, the same for the server and for workers elsewhere. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { Evidence } from "../evidence/evidence.ts";
import { readingNames } from "../evidence/facts.ts";
import type { ProgressStage } from "../evidence/scan.ts";

/** `returned`: given back, so that another worker takes the scan. */
export type CountedOutcome = "finished" | "failed" | "cancelled" | "returned";

/** Follows one scan. */
export interface ScanTimer {
  stage(stage: ProgressStage): void;
  /** The scan is over; null without evidence. */
  end(evidence: Evidence | null): void;
}

/** A worker does not know the lane. */
export interface ScanSeries {
  readonly location: string;
  readonly lane?: string;
}

export interface ScanMetrics {
  begin(): ScanTimer;
  ended(outcome: CountedOutcome, series: ScanSeries): void;
  /** `check` is a key of the catalog. */
  checkFailed(check: string): void;
  browserReplaced(): void;
}

/** Seconds. A page without scripts takes 1, and the deadline is 90 by default. */
const durationBuckets = [0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 90, 180];
const stageBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Registers the families. The series `finished` and `failed` exist from the start. */
export function createScanMetrics(registry: Registry, series: readonly ScanSeries[]): ScanMetrics {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers: [registry] });

  const scans = counter("assay_scans_total", "Scans that ended, by outcome.", ["outcome", "lane", "location"]);
  const durationHelp = "Time of a scan: on a worker until its evidence is complete, on the server until its outcome is stored.";
  const duration = histogram("assay_scan_duration_seconds", durationHelp, durationBuckets, []);
  const stages = histogram("assay_scan_stage_duration_seconds", "Time of each stage of a scan.", stageBuckets, ["stage"]);
  const readingsHelp = "Readings of scans, by result: read, or the reason of the failure.";
  const readings = counter("assay_readings_total", readingsHelp, ["reading", "result"]);
  const faultsHelp = "Times that a check threw an error, or returned what no check may return.";
  const checkFaults = counter("assay_check_faults_total", faultsHelp, ["check"]);
  const restarts = counter("assay_browser_restarts_total", "Browsers that were replaced, in order or after a fault.", []);
  for (const labels of series) for (const outcome of ["finished", "failed"]) scans.inc({ outcome, ...labels }, 0);

  return {
    ended: (outcome, labels) => scans.inc({ outcome, ...labels }),
    checkFailed: (check) => checkFaults.inc({ check }),
    browserReplaced: () => restarts.inc(),
    begin: () => {
      const startMs = performance.now();
      let current: { readonly stage: ProgressStage; readonly sinceMs: number } | null = null;
      const endStage = () => {
        if (current !== null) stages.observe({ stage: current.stage }, secondsSince(current.sinceMs));
        current = null;
      };
      return {
        stage: (stage) => {
          endStage();
          current = { stage, sinceMs: performance.now() };
        },
        end: (evidence) => {
          endStage();
          duration.observe(secondsSince(startMs));
          if (evidence === null) return;
          for (const reading of readingNames) {
            const one = evidence[reading];
            readings.inc({ reading, result: one.status === "read" ? "read" : one.because });
          }
        },
      };
    },
  };
}

function secondsSince(ms: number): number {
  return (performance.now() - ms) / 1_000;
}
