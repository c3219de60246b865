/** Computes since when a finding exists, from earlier scans of the same URL. */
import type { StoredFinding, StoredResult } from "../../judge/result.ts";

/** Checks and findings of an earlier scan, indexed once for all findings of the report. */
export interface EarlierLook {
  /** End of that scan; ISO 8601, UTC. */
  readonly at: string;
  readonly token: string;
  /** Keys of checks that ran or were not applicable. */
  readonly looked: ReadonlySet<string>;
  readonly found: ReadonlySet<string>;
}

export function earlierLook(at: string, token: string, { ledger, findings }: StoredResult): EarlierLook {
  return {
    at,
    token,
    looked: new Set(ledger.flatMap(({ key, state }) => (state === "notChecked" ? [] : [key]))),
    found: new Set(findings.map(({ code }) => code)),
  };
}

export type FirstSeen =
  /** The previous scan ran the check without this finding. */
  | { readonly seen: "now" }
  /** Continuously since that scan. `orEarlier`: every examined scan that ran the check had it. */
  | { readonly seen: "before"; readonly at: string; readonly token: string; readonly orEarlier: boolean };

/** `earlier`: newest first. Scans that did not run the check are skipped. Null if none ran it. */
export function firstSeen({ code, checkKey }: Pick<StoredFinding, "code" | "checkKey">, earlier: readonly EarlierLook[]): FirstSeen | null {
  const looks = earlier.filter(({ looked }) => looked.has(checkKey));
  const without = looks.findIndex(({ found }) => !found.has(code));
  if (looks.length === 0) return null;
  const oldest = looks[(without < 0 ? looks.length : without) - 1];
  return oldest === undefined ? { seen: "now" } : { seen: "before", at: oldest.at, token: oldest.token, orEarlier: without < 0 };
}
