/** Judges evidence with one check, and keeps what explains the verdict. */
import type { CheckTexts, Locale } from "../check/check.ts";
import type { AnyCheck, CheckDefinition } from "../check/registry.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { judgeEvidence } from "../judge/ledger.ts";
import type { StoredResult } from "../judge/result.ts";

export type TextsOfOneCheck = { readonly [L in Locale]?: CheckTexts | undefined };

/** Plain data. */
export interface TriedVerdict {
  readonly definition: CheckDefinition;
  readonly texts: TextsOfOneCheck;
  /** Of this check alone. */
  readonly result: StoredResult;
  /** False if the ledger decided without the check. */
  readonly judged: boolean;
}

export interface TryOutcome extends Pick<TriedVerdict, "result" | "judged"> {
  /** What `judge` threw; null if it returned. */
  readonly thrown: { readonly error: unknown } | null;
  /** How the verdict breaks the contract; null if it does not. */
  readonly fault: string | null;
}

export function tryCheck(check: AnyCheck, evidence: Evidence): TryOutcome {
  let judged = false;
  let thrown: TryOutcome["thrown"] = null;
  let fault: string | null = null;
  const result = judgeEvidence(
    evidence,
    { checks: [check], version: "try" },
    (_key, reason) => {
      fault = reason;
    },
    (called, narrowed) => {
      judged = true;
      try {
        return called.judge(narrowed);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    },
  );
  return { result, judged, thrown, fault };
}
