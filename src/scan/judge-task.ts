/** The judge task itself, free of thread code. */
import { deepFreeze } from "../base/deep-freeze.ts";
import type { JudgingCatalog } from "../catalog/catalog.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { judgeEvidence } from "../judge/ledger.ts";
import type { ScanDraft } from "../judge/result.ts";
import { linesToJudge } from "./predict.ts";
import type { Judged, JudgeTask } from "./task.ts";

/** `draftOf`: drafts the policy of the lines from what the scan saw; without it, they have the general advice. */
export function performJudge(
  { evidence, hung }: JudgeTask,
  catalog: JudgingCatalog,
  onCheck: (key: string) => void,
  draftOf: (evidence: Evidence) => ScanDraft | null = () => null,
): Judged {
  const faults: { key: string; fault: string }[] = [];
  const judge = (seen: Evidence, onFault: (key: string, fault: string) => void) =>
    // A check that changes the evidence throws.
    judgeEvidence(deepFreeze(seen), catalog, onFault, (check, input) => {
      if (hung.includes(check.key)) throw new Error("judge did not answer within its deadline");
      onCheck(check.key);
      const verdict: unknown = check.judge(input);
      // An async judge returns no verdict. Its rejection must not end the thread as well.
      if (verdict instanceof Promise) verdict.catch(() => {});
      return verdict as ReturnType<typeof check.judge>;
    });
  const result = judge(evidence, (key, fault) => faults.push({ key, fault }));
  // A check that fails here only has failed before, or its row stays unread in the prediction.
  const draft = draftOf(evidence);
  const drafted = draft === null ? result : { ...result, draft };
  const lines = linesToJudge({ evidence, result: drafted, checks: catalog.checks, chosen: null });
  return { result, lines: lines?.scoreOf(judge(lines.evidence, () => {})) ?? null, draft, faults };
}
