/** Since when a finding stands, by the earlier scans of the same URL that are looked at. */
import type { StoredFinding, StoredResult } from "../../judge/result.ts";

/** What an earlier scan looked at and found, made once and asked for every finding. */
export interface EarlierLook {
  /** When that scan ended; ISO 8601, UTC. */
  readonly at: string;
  readonly token: string;
  /** Keys of the checks that ran or had nothing to say. */
  readonly looked: ReadonlySet<string>;
  /** Codes of its findings. */
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
  /** The scan before this one looked, and it was not there. */
  | { readonly seen: "now" }
  /** Since that scan, without a break; `orEarlier` when no scan that is looked at was without it. */
  | { readonly seen: "before"; readonly at: string; readonly token: string; readonly orEarlier: boolean };

/** `earlier`: newest first. Null when no earlier scan looked. One that did not run the check says nothing either way. */
export function firstSeen({ code, checkKey }: Pick<StoredFinding, "code" | "checkKey">, earlier: readonly EarlierLook[]): FirstSeen | null {
  const looks = earlier.filter(({ looked }) => looked.has(checkKey));
  const without = looks.findIndex(({ found }) => !found.has(code));
  if (looks.length === 0) return null;
  const oldest = looks[(without < 0 ? looks.length : without) - 1];
  return oldest === undefined ? { seen: "now" } : { seen: "before", at: oldest.at, token: oldest.token, orEarlier: without < 0 };
}
