/** What scans brought back, kept apart from their results because it is larger and may be forgotten sooner. */
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { Db } from "./database.ts";

export interface EvidenceRepository {
  /** Undefined while the scan is under way, and when it failed without evidence. The token is one of a stored scan. */
  find(token: string): { readonly evidence: Evidence; readonly timings: Timings } | undefined;
}

export function evidenceRepository(db: Db): EvidenceRepository {
  return { find: (token) => db.evidence.get(token) };
}
