/** Judges evidence with one check, and keeps what explains the verdict. */
import { deepFreeze } from "../base/deep-freeze.ts";
import type { CheckTexts, Locale } from "../check/check.ts";
import type { AnyCheck, CheckDefinition } from "../check/registry.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { judgeEvidence } from "../judge/ledger.ts";
import type { StoredResult } from "../judge/result.ts";

type TextsOfOneCheck = { readonly [L in Locale]?: CheckTexts | undefined };

/** Plain data. */
export interface TriedVerdict {
  readonly definition: CheckDefinition;
  readonly texts: TextsOfOneCheck;
  /** Ledger with this check alone. */
  readonly result: StoredResult;
  /** False if the ledger decided without the check. */
  readonly judged: boolean;
}

interface TryOutcome extends Pick<TriedVerdict, "result" | "judged"> {
  /** Time of `judge`, in milliseconds. */
  readonly judgeMs: number;
  /** What `judge` threw; null if it returned. */
  readonly thrown: { readonly error: unknown } | null;
  /** How the verdict breaks the contract; null if it does not. */
  readonly fault: string | null;
}

/** As a scan judges: by the ledger, with evidence that cannot be changed. Never throws. */
export function tryCheck(check: AnyCheck, evidence: Evidence): TryOutcome {
  let judged = false;
  let isAsync = false;
  let judgeMs = 0;
  let thrown: TryOutcome["thrown"] = null;
  let fault: string | null = null;
  let wrongValue: string | null = null;
  const result = judgeEvidence(
    deepFreeze(evidence),
    { checks: [check], version: "try" },
    (_key, reason) => {
      fault = isAsync ? "judge is async, but must return its verdict at once" : reason;
    },
    (called, narrowed) => {
      judged = true;
      const began = performance.now();
      try {
        const verdict: unknown = called.judge(narrowed);
        // An async judge returns no verdict. Its rejection must not end the thread as well.
        if (verdict instanceof Promise) {
          isAsync = true;
          verdict.catch(() => {});
        }
        wrongValue = wrongValueOf(verdict);
        return verdict as ReturnType<typeof called.judge>;
      } catch (error) {
        thrown = { error };
        throw error;
      } finally {
        judgeMs = performance.now() - began;
      }
    },
  );
  return { result, judged, judgeMs, thrown, fault: fault ?? wrongValue };
}

/** A scan would show such a value as the word that JavaScript makes of it. */
function wrongValueOf(verdict: unknown): string | null {
  const { findings } = Object(verdict) as { readonly findings?: unknown };
  for (const { code, values } of Array.isArray(findings) ? findings.map(Object) : [])
    for (const [name, value] of Object.entries(Object(values)))
      if (typeof value !== "string" && typeof value !== "number")
        return `the value ${name} of ${code} is ${value === null ? "null" : typeof value}, but must be a text or a number`;
  return null;
}
