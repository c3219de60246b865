/** Judging for one command: in this thread without plugins, in a thread of its own with them. */
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { builtInCatalog, type Catalog } from "../catalog/catalog.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { performJudge } from "../scan/judge-task.ts";
import { openJudging } from "../scan/judging.ts";
import { defaultDeadlines } from "../scan/task.ts";
import { workerFiles } from "./placement.ts";

interface JudgeOnceOptions {
  readonly catalog: Catalog;
  readonly log: Log;
  /** A check that threw or returned no verdict; its row is `notChecked`. */
  readonly onCheckFault: (key: string, fault: string) => void;
}

/** The error code is that of a thread that could not judge. */
export async function judgeOnce(
  evidence: Evidence,
  { catalog, log, onCheckFault }: JudgeOnceOptions,
): Promise<StoredResult | ScanErrorCode> {
  if (catalog.snapshot === null) {
    const { result, faults } = performJudge({ evidence, hung: [] }, builtInCatalog(), () => {});
    for (const { key, fault } of faults) onCheckFault(key, fault);
    return result;
  }
  const judging = openJudging(
    {
      workerFile: workerFiles.judge,
      threads: 1,
      deadlineMs: defaultDeadlines.judgeMs,
      onIdleFault: (fault) => log.error("idle worker broke", { fault }),
      onCheckFault,
      clock: systemClock,
      log,
    },
    catalog,
  );
  try {
    return await judging.withCurrent((judge) => judge({ fields: { url: evidence.subject.url }, evidence }));
  } finally {
    await judging.close();
  }
}
