/** Browsers of all scan slots and of documents, managed by the main thread: settings for their threads, state, watchdog and end. */

import { statfsSync } from "node:fs";
import { threadId as ownThreadId } from "node:worker_threads";
import type { Log } from "../base/log.ts";
import { type ExecutableOptions, findExecutable } from "./executable.ts";
import { type BrowserState, type SandboxSetting, sharedMemoryDir, sharedMemoryIsSmall } from "./launch.ts";
import {
  type BrowserEntry,
  collectEnded,
  collectGroup,
  endProcessTree,
  kill,
  memoryOf,
  openProcessTable,
  type ProcessTable,
  pidsBelow,
  readChildPids,
  sharedFilesOf,
} from "./processes.ts";
import { openProfilesDir, type ProfilesDir } from "./profiles.ts";
import type { BrowserEvent, BrowserSlotOptions } from "./slot.ts";

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

// Watches the browsers of all threads: bounds their memory, and ends those whose thread is gone.

/** A page can allocate 250 MB within this time; the margin of the limits must hold it. */
const watchEveryMs = 100;
/** Processes and their shared memory take longer to list, and change less. */
const turnsPerSurvey = 5;
/** Use of /dev/shm above which the shared memory of each process is listed. Ordinary pages need a tenth of it. */
const sharedBytesOrdinary = 200 * 1_024 ** 2;

interface MemoryLimits {
  /** One process of a browser, in bytes. */
  readonly childBytesMax: number;
  /** All processes of a browser together, in bytes. */
  readonly browserBytesMax: number;
}

interface WatchdogOptions {
  readonly table: ProcessTable;
  readonly limits: MemoryLimits;
  /** Ids of the threads that are alive. */
  readonly threadIds: () => ReadonlySet<number>;
  /** Called when the browser of a thread that is gone has ended. */
  readonly onLost: (threadId: number) => void;
  readonly log: Log;
}

interface Surveyed {
  readonly pid: number;
  /** Bytes by inode; empty while all processes together use little shared memory. */
  readonly sharedFiles: ReadonlyMap<number, number>;
}

/** Processes by the pid of their browser. */
type Survey = ReadonlyMap<number, readonly Surveyed[]>;

/** Returns the function that stops it. */
export function startWatchdog(options: WatchdogOptions): () => void {
  let turns = 0;
  let survey: Survey = new Map();
  const timer = setInterval(() => {
    const entries = options.table.list();
    if (turns++ % turnsPerSurvey === 0) survey = surveyOf(entries);
    watch(entries, survey, options);
  }, watchEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function surveyOf(entries: readonly BrowserEntry[]): Survey {
  if (entries.length === 0) return new Map();
  const children = readChildPids();
  const filesOf = sharedMemoryIsInUse() ? sharedFilesOf : () => new Map<number, number>();
  return new Map(entries.map(({ pid: root }) => [root, pidsBelow(root, children).map((pid) => ({ pid, sharedFiles: filesOf(pid) }))]));
}

/** True if more shared memory is used than ordinary pages need. Also true if Chromium keeps it on disk, where usage says nothing. */
function sharedMemoryIsInUse(): boolean {
  if (sharedMemoryIsSmall()) return true;
  const { blocks, bfree, bsize } = statfsSync(sharedMemoryDir);
  return (blocks - bfree) * bsize > sharedBytesOrdinary;
}

function watch(entries: readonly BrowserEntry[], survey: Survey, options: WatchdogOptions): void {
  if (entries.length === 0) return;
  const threadIds = options.threadIds();
  for (const entry of entries) {
    if (threadIds.has(entry.threadId)) boundMemory(entry, survey.get(entry.pid) ?? [], options);
    else endLost(entry, options);
  }
}

/** Ends a browser whose thread is gone, and removes its entry and profile. Called again until the process is gone. */
function endLost({ index, pid, threadId }: BrowserEntry, { table, onLost, log }: WatchdogOptions): void {
  endProcessTree(pid);
  if (!collectEnded(pid)) return;
  table.remove(index, pid);
  onLost(threadId);
  // Also reached after the end of an idle slot.
  log.info("browser ended", { pid, because: "its worker is gone" });
}

function boundMemory({ index, pid: root }: BrowserEntry, surveyed: readonly Surveyed[], { table, limits, log }: WatchdogOptions): void {
  const processes = surveyed.map(({ pid, sharedFiles }) => {
    const { anonymousBytes, sharedBytes } = memoryOf(pid);
    return { pid, anonymousBytes, sharedBytes, bytes: anonymousBytes + Math.max(sharedBytes, sum(sharedFiles.values())) };
  });
  // Several processes share the same file.
  const filesBytes = sum(new Map(surveyed.flatMap(({ sharedFiles }) => [...sharedFiles])).values());
  const mappedBytes = sum(processes.map(({ sharedBytes }) => sharedBytes));
  const sumBytes = sum(processes.map(({ anonymousBytes }) => anonymousBytes)) + Math.max(mappedBytes, filesBytes);
  const tooLarge = processes.filter(({ bytes }) => bytes > limits.childBytesMax);
  if (sumBytes > limits.browserBytesMax || tooLarge.some(({ pid }) => pid === root)) {
    table.markFaulty(index);
    endProcessTree(root);
    log.warn("browser ended", { pid: root, because: "its memory", megabytes: megabytes(sumBytes) });
    return;
  }
  for (const { pid, bytes } of tooLarge) {
    table.markFaulty(index);
    kill(pid);
    log.warn("browser process ended", { pid, browser: root, because: "its memory", megabytes: megabytes(bytes) });
  }
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, each) => all + each, 0);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
