/**
 * Browsers of all scan slots and of documents, managed by the main thread: settings for their threads, state, watchdog and
 * shutdown.
 */
import { threadId as ownThreadId } from "node:worker_threads";
import type { Log } from "../base/log.ts";
import { type ExecutableOptions, findExecutable } from "./executable.ts";
import type { BrowserState, SandboxSetting } from "./launch.ts";
import { collectGroup, endProcessTree, openProcessTable } from "./processes.ts";
import { openProfilesDir, type ProfilesDir } from "./profiles.ts";
import type { BrowserEvent, BrowserSlotOptions } from "./slot.ts";
import { type MemoryLimits, startWatchdog } from "./watchdog.ts";

interface BrowsersOptions extends ExecutableOptions {
  readonly sandbox: SandboxSetting;
  readonly limits: MemoryLimits;
  /** Called for each browser that was replaced, in order or after a fault. */
  readonly onReplaced?: () => void;
  readonly log: Log;
}

export type Browsers = Pick<ManagedBrowsers, keyof ManagedBrowsers>;

export function openBrowsers(options: BrowsersOptions): Browsers {
  return new ManagedBrowsers(options);
}

class ManagedBrowsers {
  readonly #options: BrowsersOptions;
  readonly #table = openProcessTable();
  #profiles: ProfilesDir | null = null;
  #preparing: Promise<BrowserSlotOptions> | null = null;
  #stopWatch: () => void = () => {};
  #state: BrowserState | null = null;
  #fault: string | null = null;

  constructor(options: BrowsersOptions) {
    this.#options = options;
  }

  /**
   * Unpacks the embedded browser, deletes what killed processes left, and returns the settings of a slot for its thread. Later calls
   * return the same. @throws BrowserError
   */
  prepare(): Promise<BrowserSlotOptions> {
    this.#preparing ??= this.#prepare().catch((error: Error) => {
      // The next call tries again, because a full disk may be temporary.
      this.#preparing = null;
      this.record({ event: "unavailable", because: error.message });
      throw error;
    });
    return this.#preparing;
  }

  /** Ends browsers whose thread is neither this one nor among `threadIds`, from now on. */
  watch(threadIds: () => ReadonlySet<number>): void {
    this.#stopWatch();
    const { limits, log } = this.#options;
    const onLost = (threadId: number) => this.#profiles?.deleteOf(threadId);
    const living = () => new Set([...threadIds(), ownThreadId]);
    this.#stopWatch = startWatchdog({ table: this.#table, limits, threadIds: living, onLost, log });
  }

  /** Handles an event that a slot reports. */
  record(event: BrowserEvent): void {
    const { log, onReplaced } = this.#options;
    if (event.event === "replaced") onReplaced?.();
    if (event.event === "replaced") log[event.isFaulty ? "warn" : "info"]("browser replaced", { pid: event.pid, because: event.because });
    if (event.event === "reused") this.#fault = null;
    if (event.event === "unavailable") {
      this.#fault = event.because;
      log.error("browser does not start", { because: event.because });
    }
    if (event.event !== "started") return;
    const { pid, version, unsandboxedBecause } = event.state;
    log.info("browser started", { pid, version });
    if (unsandboxedBecause !== null && this.#state?.unsandboxedBecause !== unsandboxedBecause)
      log.warn("browser runs without sandbox", { because: unsandboxedBecause });
    this.#state = event.state;
    this.#fault = null;
  }

  /** State of the browser that was started last; null before the first start. */
  state(): BrowserState | null {
    return this.#state;
  }

  /** Reason why no browser can be started, as a sentence; null if the last start succeeded or none was tried. */
  fault(): string | null {
    return this.#fault;
  }

  /** Ends all browsers, also of terminated threads, and deletes their profiles. */
  async stop(): Promise<void> {
    this.#stopWatch();
    for (const { pid, index } of this.#table.list()) {
      endProcessTree(pid);
      await collectGroup(pid);
      this.#table.remove(index, pid);
    }
    this.#profiles?.close();
    this.#profiles = null;
    await this.#preparing?.catch(() => {});
  }

  async #prepare(): Promise<BrowserSlotOptions> {
    const { path, dir, sandbox } = this.#options;
    await findExecutable({ path, dir });
    this.#profiles ??= openProfilesDir(dir);
    return { path, dir, sandbox, profilesDir: this.#profiles.path, processes: this.#table.memory };
  }
}
