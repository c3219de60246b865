/** Judged results of scans, and their evidence, which is larger and has its own retention. */
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { Db } from "./database.ts";

export interface ResultRepository {
  /** Undefined unless the scan finished. The scan must exist. */
  find(token: string): StoredResult | undefined;
}

export function resultRepository(db: Db): ResultRepository {
  return { find: (token) => db.results.get(token) };
}

export interface EvidenceRepository {
  /** Undefined for an unfinished scan and for one that failed without evidence. The scan must exist. */
  find(token: string): { readonly evidence: Evidence; readonly timings: Timings } | undefined;
}

export function evidenceRepository(db: Db): EvidenceRepository {
  return { find: (token) => db.evidence.get(token) };
}
