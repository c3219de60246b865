/** Engine as the server runs it (store, browser, workers, dispatcher), for tests in this and in a separate process. */

import { workerFiles } from "../../../src/app/placement.ts";
import { createPolicyRetries } from "../../../src/app/policy-retries.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { type Browsers, openBrowsers } from "../../../src/browser/browser.ts";
import { loadCatalog } from "../../../src/catalog/load.ts";
import type { EgressSettings } from "../../../src/egress/settings.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { createProofRunner } from "../../../src/prove/run-proof.ts";
import { type Dispatcher, startDispatcher } from "../../../src/scan/dispatcher.ts";
import { createProgress, type ProgressHub } from "../../../src/scan/progress.ts";
import { openScanner, type Scanner } from "../../../src/scan/scanner.ts";
import { defaultDeadlines, type ScanDeadlines } from "../../../src/scan/task.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { browserPath } from "../../support/test-browser.ts";

export interface EngineOptions {
  readonly dataDir: string;
  /** Directory of the unpacked browser. */
  readonly browserDir: string;
  readonly egress: EgressSettings;
  readonly caPems: readonly string[];
  readonly deadlines?: Partial<ScanDeadlines>;
  readonly concurrency?: number;
  readonly checksDir?: string;
  /** For the tries of planned headers; the real one by default. */
  readonly retryClock?: Pick<Clock, "now" | "randomBytes">;
}

export interface Engine {
  readonly store: Store;
  readonly browsers: Browsers;
  readonly scanner: Scanner;
  readonly dispatcher: Dispatcher;
  readonly progress: ProgressHub;
  readonly lines: readonly string[];
  queue(url: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startEngine({
  dataDir,
  browserDir,
  egress,
  caPems,
  deadlines,
  concurrency = 2,
  checksDir,
  retryClock = systemClock,
}: EngineOptions): Promise<Engine> {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const store = openStore(dataDir);
  const limits = { childBytesMax: 1_024 ** 3, browserBytesMax: 2 * 1_024 ** 3 };
  const browsers = openBrowsers({ path: browserPath, dir: browserDir, sandbox: "auto", limits, log });
  const scanner = openScanner({
    clock: systemClock,
    egress,
    caPems,
    deadlines: { ...defaultDeadlines, settleMs: 100, ...deadlines },
    concurrency,
    catalog: await loadCatalog({ checksDir: checksDir ?? null, unknownKeys: "warn", workerFile: workerFiles.catalog }),
    browsers,
    workerFiles,
    log,
    screenshots: true,
  });
  const progress = createProgress({ concurrency, clock: systemClock, log });
  const dispatcher = await startDispatcher({
    clock: systemClock,
    store,
    scanner,
    prove: createProofRunner({ scanner, headerCharsMax: headerValueCharsMax, clock: systemClock, log }),
    afterScan: createPolicyRetries({ store, scanner, onEvents: () => {}, clock: retryClock, log }),
    concurrency,
    remote: null,
    waitMaxMs: 1_000,
    progress,
    observer: silentObserver,
    log,
  });
  return {
    store,
    browsers,
    scanner,
    dispatcher,
    progress,
    lines,
    queue: async (url) => {
      const scan = await store.scans.queue({ accountId: 1, url, now: new Date() });
      if (scan === "full") throw new Error("the queue is full");
      dispatcher.wake();
      return scan.token;
    },
    stop: async () => {
      await dispatcher.stop(0);
      await scanner.close();
      await browsers.stop();
      await store.close();
    },
  };
}
