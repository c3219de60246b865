/** The judge task itself, free of thread code. */
import { deepFreeze } from "../base/deep-freeze.ts";
import type { JudgingCatalog } from "../catalog/catalog.ts";
import { judgeEvidence } from "../judge/ledger.ts";
import type { Judged, JudgeTask } from "./task.ts";

export function performJudge({ evidence, hung }: JudgeTask, catalog: JudgingCatalog, onCheck: (key: string) => void): Judged {
  const faults: { key: string; fault: string }[] = [];
  const result = judgeEvidence(
    // A check that changes the evidence throws.
    deepFreeze(evidence),
    catalog,
    (key, fault) => faults.push({ key, fault }),
    (check, input) => {
      if (hung.includes(check.key)) throw new Error("judge did not answer within its deadline");
      onCheck(check.key);
      const verdict: unknown = check.judge(input);
      // An async judge returns no verdict. Its rejection must not end the thread as well.
      if (verdict instanceof Promise) verdict.catch(() => {});
      return verdict as ReturnType<typeof check.judge>;
    },
  );
  return { result, faults };
}
