/** Progress of one running scan, for its listeners and for the store. */
import { messageOf } from "../base/log.ts";
import { type ProgressStage, stagePercent } from "../evidence/scan.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { DispatcherOptions } from "./dispatcher.ts";

/** Interval between writes of a scan's progress: each write reaches the disk. */
const progressEveryMs = 250;

type ProgressWriterParts = Pick<DispatcherOptions, "store" | "progress" | "clock" | "log">;

/** Publishes each stage at once, and stores the latest at most once per `progressEveryMs`. */
export function createProgressWriter({ store, progress, log, clock }: ProgressWriterParts, { token, progressPercent }: ScanRecord) {
  let percent = progressPercent;
  let latest: ProgressStage | null = null;
  let cancelWrite: (() => void) | null = null;
  const write = () => {
    cancelWrite = null;
    if (latest === null) return;
    const stage = latest;
    latest = null;
    cancelWrite = clock.after(progressEveryMs, write);
    store.scans
      .setProgress(token, stage, stagePercent[stage])
      .catch((error) => log.warn("progress not stored", { because: messageOf(error) }));
  };
  return {
    report: (stage: ProgressStage) => {
      percent = Math.max(percent, stagePercent[stage]);
      progress.publish(token, { type: "stage", stage, percent });
      latest = stage;
      if (cancelWrite === null) write();
    },
    end: () => {
      latest = null;
      cancelWrite?.();
    },
  };
}
