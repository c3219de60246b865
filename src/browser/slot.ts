/** Browser of one scan slot: started on demand, used by one scan at a time, replaced after many scans and at every sign of illness. */
import { threadId } from "node:worker_threads";
import type { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import { systemClock, within } from "../base/clock.ts";
import { BrowserError, type ExecutableOptions, findExecutable } from "./executable.ts";
import { type BrowserState, launchBrowser, type RunningBrowser, type SandboxSetting } from "./launch.ts";
import { openProcessTable, type ProcessTable } from "./process-table.ts";

/** For a command that a sound browser answers within milliseconds. */
const answerMs = 2_000;
/** A context that does not close within this holds a page that hangs. */
const closeMs = 3_000;
/** The network process starts within 100 ms. */
const networkPollMs = 10;
const networkPollsMax = 100;
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

/** Steps in the life of a browser, for the log. `because` is a clause. */
export type BrowserEvent =
  | { readonly event: "started"; readonly state: BrowserState }
  /** A running browser answered, and serves another scan. */
  | { readonly event: "reused" }
  | { readonly event: "replaced"; readonly pid: number; readonly because: string; readonly isIll: boolean }
  | { readonly event: "unavailable"; readonly because: string };

/** What a scan may use of the browser. */
export interface ScanBrowser {
  readonly connection: Connection;
  /** No page was shown in it before: what is wrong with it comes from the page of this scan. */
  readonly isFresh: boolean;
  /** Whether Chromium's network process ended during the scan: then no page can load. */
  lostNetwork(): Promise<boolean>;
  /** Replaces the browser when the scan ends. */
  reportIllness(because: string): void;
  /** Closes a page after the scan: the next one waits for it. */
  closeLater(closing: Promise<unknown>): void;
}

export interface BrowserSlot {
  /**
   * Browser for one scan, started if there is no healthy one. Waits for the pages of the scan before. With `fresh`, no other page was
   * shown in it. @throws BrowserError
   */
  begin(onEvent?: (event: BrowserEvent) => void, fresh?: boolean): Promise<ScanBrowser>;
  /** After each `begin`. Replaces an ill browser in the background. */
  end(): void;
  state(): BrowserState | null;
  /** Ends the browser and deletes its profile; later calls of `begin` fail. */
  stop(): Promise<void>;
}

export function openBrowserSlot(options: BrowserSlotOptions): BrowserSlot {
  return new Slot(options);
}

interface Occupant {
  readonly browser: RunningBrowser;
  /** Index in the process table. */
  readonly index: () => number | null;
  scans: number;
  illness: string | null;
}

class Slot implements BrowserSlot {
  readonly #options: BrowserSlotOptions;
  readonly #processes: ProcessTable;
  #occupant: Occupant | null = null;
  #closing: Promise<unknown>[] = [];
  /** What follows the last scan: its pages close, and an ill browser is replaced. */
  #settled: Promise<void> = Promise.resolve();
  #stopped = false;
  #onEvent: ((event: BrowserEvent) => void) | null = null;
  /** Events between scans, for the next one. */
  #events: BrowserEvent[] = [];

  constructor(options: BrowserSlotOptions) {
    this.#options = options;
    this.#processes = openProcessTable(options.processes);
  }

  async begin(onEvent: (event: BrowserEvent) => void = () => {}, fresh = false): Promise<ScanBrowser> {
    await this.#settled;
    for (const event of this.#events.splice(0)) onEvent(event);
    this.#onEvent = onEvent;
    const occupant = (await this.#healthy(fresh)) ?? (await this.#start());
    const { connection } = occupant.browser;
    const networkPids = firstNetworkPids(connection);
    occupant.scans++;
    return {
      connection,
      isFresh: occupant.scans === 1,
      lostNetwork: async () => {
        const [before, after] = await Promise.all([networkPids, networkPidsOf(connection)]);
        return before.some((pid) => after?.includes(pid) !== true);
      },
      reportIllness: (because) => {
        occupant.illness ??= because;
      },
      // A page of a browser that is gone cannot be closed, and need not be.
      closeLater: (closing) => this.#closing.push(closing.catch(() => {})),
    };
  }

  end(): void {
    this.#onEvent = null;
    if (this.#occupant !== null) this.#settled = this.#settle(this.#occupant);
  }

  state(): BrowserState | null {
    return this.#occupant?.browser.isAlive() ? this.#occupant.browser.state : null;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#settled;
    await this.#occupant?.browser.end();
    this.#occupant = null;
  }

  async #settle(occupant: Occupant): Promise<void> {
    const closing = Promise.all(this.#closing.splice(0)).then(() => true);
    if (isMarkedIll(occupant, this.#processes)) occupant.illness ??= usedTooMuchMemory;
    if (occupant.illness === null && !(await within(systemClock, closeMs, closing, false)))
      occupant.illness ??= "a page of it did not close";
    if (occupant.illness !== null || occupant.scans >= scansPerBrowserMax) await this.#replace(occupant);
  }

  /** The running browser if it is well, and fresh where that is needed; null after it was ended. */
  async #healthy(fresh: boolean): Promise<Occupant | null> {
    const occupant = this.#occupant;
    if (occupant === null) return null;
    if (!occupant.browser.isAlive()) occupant.illness ??= "it ended";
    if (isMarkedIll(occupant, this.#processes)) occupant.illness ??= usedTooMuchMemory;
    if (occupant.illness === null && !(await answers(occupant.browser))) occupant.illness = "it did not answer";
    if (occupant.illness !== null || (fresh && occupant.scans > 0)) {
      await this.#replace(occupant);
      return null;
    }
    this.#emit({ event: "reused" });
    return occupant;
  }

  /** Of a browser that is ill, or showed too many pages. */
  async #replace(occupant: Occupant): Promise<void> {
    if (this.#occupant === occupant) this.#occupant = null;
    await occupant.browser.end();
    const { browser, illness, scans } = occupant;
    const because = illness ?? `it ran ${scans} scans`;
    this.#emit({ event: "replaced", pid: browser.state.pid, because, isIll: illness !== null });
  }

  async #start(): Promise<Occupant> {
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
      const occupant: Occupant = { browser, index: () => entry?.index ?? null, scans: 0, illness: null };
      this.#occupant = occupant;
      this.#emit({ event: "started", state: browser.state });
      return occupant;
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

/** A fresh browser answers before its network process runs, without which no page can load. */
async function firstNetworkPids(connection: Connection): Promise<readonly number[]> {
  for (let polls = 0; polls < networkPollsMax; polls++) {
    const pids = await networkPidsOf(connection);
    if (pids === null || pids.length > 0) return pids ?? [];
    await Bun.sleep(networkPollMs);
  }
  return [];
}

/** One pid, or none; null if the browser does not answer. */
async function networkPidsOf(connection: Connection): Promise<readonly number[] | null> {
  try {
    const { processInfo } = await connection.send("SystemInfo.getProcessInfo", undefined, { timeout: answerMs });
    return processInfo.filter(({ type }) => type.includes("NetworkService")).map(({ id }) => id);
  } catch {
    return null;
  }
}

function isMarkedIll({ index }: Occupant, processes: ProcessTable): boolean {
  const at = index();
  return at !== null && processes.isIll(at);
}

async function answers({ connection }: RunningBrowser): Promise<boolean> {
  return connection.send("Browser.getVersion", undefined, { timeout: answerMs }).then(
    () => true,
    () => false,
  );
}
