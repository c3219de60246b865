/** Browser of one scan slot: started on demand, used by one scan at a time, replaced after many scans or a fault. */
import { threadId } from "node:worker_threads";
import type { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import { systemClock, within } from "../base/clock.ts";
import { deadlineClock, heedingStandstill, ownProcessorWait, type ProcessorWait } from "../base/standstill.ts";
import { commandLimit } from "./browser-page.ts";
import { BrowserError, type ExecutableOptions, findExecutable } from "./executable.ts";
import { type BrowserState, launchBrowser, type RunningBrowser, type SandboxSetting } from "./launch.ts";
import { openProcessTable, type ProcessTable, watchProcessorWait } from "./processes.ts";

/** Deadline of a command that a healthy browser answers within milliseconds. */
const answerMs = 2_000;
/** Deadline for closing a context; a later close means that a page hangs. */
const closeMs = 3_000;
/** The network process starts within 100 ms, or within seconds on a busy machine. */
const networkStartMsMax = 5_000;
const networkPollMs = 10;
/** Memory of a browser grows with use. A warm start takes about 100 ms. */
const scansPerBrowserMax = 200;
const usedTooMuchMemory = "a process of it used too much memory";

export interface BrowserSlotOptions extends ExecutableOptions {
  readonly sandbox: SandboxSetting;
  /** Folder for profiles, which exists. */
  readonly profilesDir: string;
  /** Shared with the thread that watches the browsers; absent without such a thread. */
  readonly processes?: SharedArrayBuffer;
}

/** Lifecycle events of a browser, for the log. `because` is a clause. */
export type BrowserEvent =
  | { readonly event: "started"; readonly state: BrowserState }
  /** A running browser answered, and serves another scan. */
  | { readonly event: "reused" }
  | { readonly event: "replaced"; readonly pid: number; readonly because: string; readonly isFaulty: boolean }
  | { readonly event: "unavailable"; readonly because: string };

/** Browser as seen by one scan. */
export interface ScanBrowser {
  readonly connection: Connection;
  /** True if no page was shown before: every fault comes from the page of this scan. */
  readonly isFresh: boolean;
  /** Wait of the browser's processes during the scan. */
  readonly processorWait: ProcessorWait;
  /** True if Chromium's network process ended during the scan: then no page can load. */
  lostNetwork(): Promise<boolean>;
  /** Replaces the browser when the scan ends. */
  reportIllness(because: string): void;
  /** Closes a page after the scan; the next scan waits for it. */
  closeLater(closing: Promise<unknown>): void;
}

export type BrowserSlot = Pick<Slot, keyof Slot>;

export function openBrowserSlot(options: BrowserSlotOptions): BrowserSlot {
  return new Slot(options);
}

interface SlotBrowser {
  readonly browser: RunningBrowser;
  /** Index in the process table. */
  readonly index: () => number | null;
  scans: number;
  fault: string | null;
}

class Slot {
  readonly #options: BrowserSlotOptions;
  readonly #processes: ProcessTable;
  #current: SlotBrowser | null = null;
  #closing: Promise<unknown>[] = [];
  /** Work after the last scan: its pages close, and an unhealthy browser is replaced. */
  #settled: Promise<void> = Promise.resolve();
  #stopped = false;
  #onEvent: ((event: BrowserEvent) => void) | null = null;
  /** Events between scans, for the next one. */
  #events: BrowserEvent[] = [];

  constructor(options: BrowserSlotOptions) {
    this.#options = options;
    this.#processes = openProcessTable(options.processes);
  }

  /**
   * Browser for one scan, started if there is no healthy one. Waits until the pages of the previous scan are closed. With `fresh`, no
   * other page was shown in it. @throws BrowserError
   */
  async begin(onEvent: (event: BrowserEvent) => void = () => {}, fresh = false): Promise<ScanBrowser> {
    await this.#settled;
    for (const event of this.#events.splice(0)) onEvent(event);
    this.#onEvent = onEvent;
    const current = (await betweenScans(() => this.#healthy(fresh))) ?? (await this.#start());
    const { connection } = current.browser;
    const networkPids = firstNetworkPids(current.browser);
    current.scans++;
    return {
      connection,
      isFresh: current.scans === 1,
      processorWait: watchProcessorWait(() => pidsOf(connection)),
      lostNetwork: async () => {
        const [before, after] = await Promise.all([networkPids, networkPidsOf(connection)]);
        return before.some((pid) => after?.includes(pid) !== true);
      },
      reportIllness: (because) => {
        current.fault ??= because;
      },
      // Pages of a closed browser need no closing.
      closeLater: (closing) => this.#closing.push(closing.catch(() => {})),
    };
  }

  /** Must follow each `begin`. Replaces an unhealthy browser in the background. */
  end(): void {
    this.#onEvent = null;
    const current = this.#current;
    if (current !== null) this.#settled = betweenScans(() => this.#settle(current));
  }

  state(): BrowserState | null {
    return this.#current?.browser.isAlive() ? this.#current.browser.state : null;
  }

  /** Ends the browser and deletes its profile; later calls of `begin` fail. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#settled;
    await this.#current?.browser.end();
    this.#current = null;
  }

  async #settle(current: SlotBrowser): Promise<void> {
    const closing = Promise.all(this.#closing.splice(0)).then(() => true);
    if (isMarkedFaulty(current, this.#processes)) current.fault ??= usedTooMuchMemory;
    if (current.fault === null && !(await within(deadlineClock, closeMs, closing, false))) current.fault ??= "a page of it did not close";
    if (current.fault !== null || current.scans >= scansPerBrowserMax) await this.#replace(current);
  }

  /** The running browser if it is healthy, and fresh if required; null after ending it. */
  async #healthy(fresh: boolean): Promise<SlotBrowser | null> {
    const current = this.#current;
    if (current === null) return null;
    if (!current.browser.isAlive()) current.fault ??= "it ended";
    if (isMarkedFaulty(current, this.#processes)) current.fault ??= usedTooMuchMemory;
    if (current.fault === null && !(await answers(current.browser))) current.fault = "it did not answer";
    if (current.fault !== null || (fresh && current.scans > 0)) {
      await this.#replace(current);
      return null;
    }
    this.#emit({ event: "reused" });
    return current;
  }

  /** Ends a browser that is unhealthy or has served its number of scans. */
  async #replace(current: SlotBrowser): Promise<void> {
    if (this.#current === current) this.#current = null;
    await current.browser.end();
    const { browser, fault, scans } = current;
    const because = fault ?? `it ran ${scans} scans`;
    this.#emit({ event: "replaced", pid: browser.state.pid, because, isFaulty: fault !== null });
  }

  async #start(): Promise<SlotBrowser> {
    if (this.#stopped) throw new BrowserError("the browser was stopped");
    const { profilesDir, sandbox } = this.#options;
    let entry: { readonly index: number; readonly pid: number } | null = null;
    const onProcess = (pid: number | null) => {
      if (entry !== null) this.#processes.remove(entry.index, entry.pid);
      entry = pid === null ? null : { index: this.#processes.add(pid, threadId), pid };
    };
    try {
      const executable = await findExecutable(this.#options);
      const browser = await launchBrowser({ executable, profilesDir, sandbox, onProcess });
      const current: SlotBrowser = { browser, index: () => entry?.index ?? null, scans: 0, fault: null };
      this.#current = current;
      this.#emit({ event: "started", state: browser.state });
      return current;
    } catch (error) {
      this.#emit({ event: "unavailable", because: (error as Error).message });
      throw error;
    }
  }

  #emit(event: BrowserEvent): void {
    if (this.#onEvent === null) this.#events.push(event);
    else this.#onEvent(event);
  }
}

/** Waits for the network process: a new browser answers commands earlier, but cannot load a page yet. */
async function firstNetworkPids({ connection, isAlive }: SlotBrowser["browser"]): Promise<readonly number[]> {
  const endMs = systemClock.monotonicMs() + networkStartMsMax;
  while (isAlive() && systemClock.monotonicMs() < endMs) {
    const pids = await networkPidsOf(connection);
    if (pids !== null && pids.length > 0) return pids;
    await Bun.sleep(networkPollMs);
  }
  return [];
}

/** Process ids of the network process, at most one; null if the browser does not answer. */
function networkPidsOf(connection: Connection): Promise<readonly number[] | null> {
  return pidsOf(connection, "NetworkService");
}

/** Ids of the processes whose type contains the text; null if the browser does not answer. */
async function pidsOf(connection: Connection, typePart = ""): Promise<readonly number[] | null> {
  const answer = await answerOf(connection.send("SystemInfo.getProcessInfo", undefined, commandLimit(answerMs)));
  return answer?.processInfo.filter(({ type }) => type.includes(typePart)).map(({ id }) => id) ?? null;
}

function isMarkedFaulty({ index }: SlotBrowser, processes: ProcessTable): boolean {
  const at = index();
  return at !== null && processes.isFaulty(at);
}

async function answers({ connection }: RunningBrowser): Promise<boolean> {
  return (await answerOf(connection.send("Browser.getVersion", undefined, commandLimit(answerMs)))) !== null;
}

/** Null if the command fails, or has no answer in time. */
function answerOf<T>(command: Promise<T>): Promise<T | null> {
  return within(
    deadlineClock,
    answerMs,
    command.catch(() => null),
    null,
  );
}

/** Between scans, too, a browser is not to blame for the time in which this thread stood still. */
function betweenScans<T>(action: () => Promise<T>): Promise<T> {
  return heedingStandstill(systemClock, [ownProcessorWait], action);
}
