/** Entry of the threads that gather: one scan slot each, with a browser of its own. */
import type { MessagePort } from "node:worker_threads";
import { systemClock } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import { openBrowserSlot, type ScanBrowser } from "../browser/slot.ts";
import { shareBlockedPorts } from "../egress/address-policy.ts";
import { usePublicSuffixes } from "../parse/site.ts";
import { usePreloadList } from "../probe/browser/page-preload.ts";
import { type GatherListener, gatherEvidence } from "../scan/gather.ts";
import { type GatherWorkerData, type WorkerCall, workerData } from "../scan/pool.ts";
import type { BrowserUnavailable, Gathered, GatherTask, Visited, VisitTask, WorkerMessage } from "../scan/task.ts";
import { visitPage } from "../scan/visit.ts";

/** Each collection takes about 15 ms. Without it, the garbage of a thread grows to three times the memory in use. */
const scansPerCollection = 2;
let scansSinceCollection = 0;

const { blockedPorts, preloadList, publicSuffixes, browser: slotOptions } = workerData<GatherWorkerData>();
shareBlockedPorts(blockedPorts);
usePreloadList(preloadList);
usePublicSuffixes(publicSuffixes);
const slot = openBrowserSlot(slotOptions);

export function gather({ task, port }: WorkerCall<GatherTask>): Promise<Gathered | BrowserUnavailable> {
  return withListener({ port, fresh: task.freshBrowser }, (browser, listener) => gatherEvidence(task, browser, listener));
}

export function visit({ task, port }: WorkerCall<VisitTask>): Promise<Visited | BrowserUnavailable> {
  return withListener({ port, fresh: task.freshBrowser }, (browser, listener) => visitPage(task, browser, listener));
}

function withListener<T>(
  { port, fresh }: { readonly port: MessagePort; readonly fresh: boolean },
  action: (browser: ScanBrowser, listener: GatherListener) => Promise<T>,
): Promise<T | BrowserUnavailable> {
  const post = (message: WorkerMessage) => port.postMessage(message);
  return withBrowser({ port, fresh }, (browser) => {
    // Only now: the deadline of the task does not include the start of a browser.
    post({ type: "started" });
    return action(browser, {
      clock: systemClock,
      onStage: (stage) => post({ type: "stage", stage }),
      onTrace: (trace) => post({ type: "trace", trace }),
    });
  });
}

export async function startBrowser({ port }: WorkerCall<null>): Promise<null> {
  await withBrowser({ port, fresh: false }, () => Promise.resolve());
  return null;
}

async function withBrowser<T>(
  { port, fresh }: { readonly port: MessagePort; readonly fresh: boolean },
  action: (browser: ScanBrowser) => Promise<T>,
): Promise<T | BrowserUnavailable> {
  let browser: ScanBrowser;
  try {
    browser = await slot.begin((event) => port.postMessage({ type: "browser", event } satisfies WorkerMessage), fresh);
  } catch (error) {
    return { browserUnavailable: messageOf(error) };
  }
  try {
    return await action(browser);
  } finally {
    slot.end();
    collectGarbage();
  }
}

/** After the answer was sent, while the thread is idle. */
function collectGarbage(): void {
  if (++scansSinceCollection < scansPerCollection) return;
  scansSinceCollection = 0;
  setTimeout(() => Bun.gc(true), 0);
}
