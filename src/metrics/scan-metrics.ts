/** Metrics of scans, the same for the server and for workers elsewhere. */
import { Counter, Histogram, type Registry } from "prom-client";
import { type Evidence, readingNames } from "../evidence/evidence.ts";
import type { ProgressStage } from "../evidence/scan.ts";

/** `returned`: given back, so that another worker takes the scan. */
export type CountedOutcome = "finished" | "failed" | "cancelled" | "returned";

/** Follows one scan. */
export interface ScanTimer {
  stage(stage: ProgressStage): void;
  /** The evidence is complete, or there is none. */
  gathered(evidence: Evidence | null): void;
}

export interface ScanMetrics {
  begin(): ScanTimer;
  ended(outcome: CountedOutcome): void;
  browserReplaced(): void;
}

/** Seconds. A page without scripts takes 1, and the deadline is 90 by default. */
const durationBuckets = [0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 90, 180];
const stageBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Registers the families. `location` is the place where this process gathers. */
export function createScanMetrics(registry: Registry, location: string): ScanMetrics {
  const registers = [registry];
  const scans = new Counter({
    name: "assay_scans_total",
    help: "Scans that ended, by outcome.",
    labelNames: ["outcome", "lane", "location"],
    registers,
  });
  const duration = new Histogram({
    name: "assay_scan_duration_seconds",
    help: "Time from the start of a scan until its evidence is complete.",
    buckets: durationBuckets,
    registers,
  });
  const stages = new Histogram({
    name: "assay_scan_stage_duration_seconds",
    help: "Time of each stage of a scan.",
    labelNames: ["stage"],
    buckets: stageBuckets,
    registers,
  });
  const readings = new Counter({
    name: "assay_readings_total",
    help: "Readings of scans, by result: read, or the reason of the failure.",
    labelNames: ["reading", "result"],
    registers,
  });
  const restarts = new Counter({
    name: "assay_browser_restarts_total",
    help: "Browsers that were replaced, in order or after a fault.",
    registers,
  });
  for (const outcome of ["finished", "failed"]) scans.inc({ outcome, location }, 0);

  return {
    ended: (outcome) => scans.inc({ outcome, location }),
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
        gathered: (evidence) => {
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
