/** Computes since when a finding exists, from earlier scans of the same URL. */
import type { StoredFinding, StoredResult } from "../judge/result.ts";

/** Checks and findings of an earlier scan, indexed once for all findings of the report. */
export interface EarlierScan {
  /** End of that scan; ISO 8601, UTC. */
  readonly at: string;
  readonly token: string;
  /** Keys of checks that ran or were not applicable. */
  readonly checkedKeys: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
}

export function earlierScan(at: string, token: string, { ledger, findings }: StoredResult): EarlierScan {
  return {
    at,
    token,
    checkedKeys: new Set(ledger.flatMap(({ key, state }) => (state === "notChecked" ? [] : [key]))),
    codes: new Set(findings.map(({ code }) => code)),
  };
}

export type FirstSeen =
  /** The previous scan ran the check without this finding. */
  | { readonly seen: "now" }
  /** Continuously since that scan. `orEarlier`: every examined scan that ran the check had it. */
  | { readonly seen: "before"; readonly at: string; readonly token: string; readonly orEarlier: boolean };

/** `earlier`: newest first. Scans that did not run the check are skipped. Null if none ran it. */
export function firstSeen({ code, checkKey }: Pick<StoredFinding, "code" | "checkKey">, earlier: readonly EarlierScan[]): FirstSeen | null {
  const scans = earlier.filter(({ checkedKeys }) => checkedKeys.has(checkKey));
  const firstWithout = scans.findIndex(({ codes }) => !codes.has(code));
  if (scans.length === 0) return null;
  const oldest = scans[(firstWithout < 0 ? scans.length : firstWithout) - 1];
  return oldest === undefined ? { seen: "now" } : { seen: "before", at: oldest.at, token: oldest.token, orEarlier: firstWithout < 0 };
}
