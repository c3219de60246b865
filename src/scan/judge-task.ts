/** What a worker does with a task, apart from being a worker. */
import type { Catalog } from "../catalog/load.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { judgeEvidence } from "../judge/ledger.ts";
import type { Judged, JudgeTask } from "./task.ts";

/** Judges evidence, and tells `onCheck` the key of each check before it is asked. */
export function performJudge({ evidence, hung }: JudgeTask, catalog: Catalog, onCheck: (key: string) => void): Judged {
  const faults: { key: string; fault: string }[] = [];
  const result = judgeEvidence(
    deepFrozen(evidence),
    catalog,
    (key, fault) => faults.push({ key, fault }),
    (check, given) => {
      if (hung.includes(check.key)) throw new Error("judge did not answer within its deadline");
      onCheck(check.key);
      const verdict: unknown = check.judge(given);
      // A judge that was written as an async function gives no verdict; its rejection must not end the thread on top of that.
      if (verdict instanceof Promise) verdict.catch(() => {});
      return verdict as ReturnType<typeof check.judge>;
    },
  );
  return { result, faults };
}

/** A check that changes what the next one sees is stopped at the attempt. */
function deepFrozen(evidence: Evidence): Evidence {
  const freeze = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  };
  freeze(evidence);
  return evidence;
}
