/** Scans of the store as export formats take them. */
import type { CheckDefinition } from "../check/registry.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { inFixOrder } from "../text/ledger-rows.ts";
import type { ExportedScan } from "./export.ts";

/** `checks`: of the catalog. Nothing is marked, since a policy belongs to a pipeline. */
export function storedExport(
  scan: ScanRecord & { readonly endedAt: string },
  { results, evidence }: Pick<Store, "results" | "evidence">,
  checks: readonly CheckDefinition[],
): ExportedScan {
  const result = results.find(scan.token);
  const gathered = evidence.find(scan.token);
  return {
    scan,
    result: result === undefined ? null : inFixOrder(result, checks),
    evidence: gathered?.evidence ?? null,
    timings: gathered?.timings ?? null,
    marks: new Map(),
  };
}
