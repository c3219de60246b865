/** Browser lifecycle: starts the browser on demand, restarts it after a crash, replaces it after many scans, and ends it. */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BrowserError, type ExecutableOptions, findExecutable } from "./executable.ts";
import { type BrowserState, endProcess, isAlive, launchBrowser, type RunningBrowser, type SandboxSetting } from "./launch.ts";

const answerMs = 5_000;
/** Crash loop limit: further starts fail until the window has passed. */
const startsMax = 8;
const startsWindowMs = 60_000;
/** Scans per browser: its memory grows with use, so another one takes over. */
const scansPerBrowserMax = 500;
/** Time for a replaced browser to complete its open scans. */
const drainMs = 120_000;

export interface BrowserOptions extends ExecutableOptions {
  readonly sandbox: SandboxSetting;
  readonly onStart?: (state: BrowserState) => void;
}

export interface BrowserHost {
  /** DevTools WebSocket URL of a healthy browser, started if necessary. Called once per scan. @throws BrowserError */
  endpoint(): Promise<string>;
  state(): BrowserState | null;
  /** Ends a faulty browser; the next `endpoint()` starts another. */
  retire(): Promise<void>;
  /** Ends the browser and deletes its profile; later calls of `endpoint()` fail. */
  stop(): Promise<void>;
}

export function openBrowser(options: BrowserOptions): BrowserHost {
  return new ManagedBrowser(options);
}

class ManagedBrowser implements BrowserHost {
  readonly #options: BrowserOptions;
  readonly #profilesDir: string;
  #running: RunningBrowser | null = null;
  #starting: Promise<RunningBrowser> | null = null;
  readonly #draining = new Set<RunningBrowser>();
  #scans = 0;
  #stopped = false;
  #startedAtMs: readonly number[] = [];

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.#profilesDir = join(options.dir, "profiles");
  }

  async endpoint(): Promise<string> {
    const browser = await this.#ensureRunning();
    try {
      await browser.control.version(answerMs);
    } catch {
      await this.#end(browser);
      return (await this.#ensureRunning()).control.endpoint;
    }
    if (++this.#scans >= scansPerBrowserMax && this.#running === browser) this.#drain(browser);
    return browser.control.endpoint;
  }

  state(): BrowserState | null {
    return this.#running !== null && isAlive(this.#running.child) ? this.#running.state : null;
  }

  async retire(): Promise<void> {
    if (this.#running !== null) await this.#end(this.#running);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#starting?.catch(() => {});
    await Promise.all([this.retire(), ...[...this.#draining].map(({ child }) => endProcess(child))]);
  }

  async #ensureRunning(): Promise<RunningBrowser> {
    if (this.#stopped) throw new BrowserError("the browser was stopped");
    if (this.#running !== null && isAlive(this.#running.child)) return this.#running;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    this.#running = await this.#starting;
    this.#scans = 0;
    return this.#running;
  }

  async #start(): Promise<RunningBrowser> {
    const nowMs = Date.now();
    this.#startedAtMs = [...this.#startedAtMs.filter((atMs) => nowMs - atMs < startsWindowMs), nowMs];
    if (this.#startedAtMs.length > startsMax)
      throw new BrowserError(`the browser ended ${startsMax} times within ${startsWindowMs / 1000} seconds; it is started again later`);
    const executable = await findExecutable(this.#options);
    mkdirSync(this.#profilesDir, { recursive: true, mode: 0o700 });
    if (this.#startedAtMs.length === 1) removeOldProfiles(this.#profilesDir);
    const browser = await launchBrowser(executable, this.#profilesDir, this.#options.sandbox);
    browser.child.once("exit", () => {
      if (this.#running === browser) this.#running = null;
      this.#draining.delete(browser);
      rmSync(browser.profileDir, { recursive: true, force: true });
    });
    // A browser that closes its control connection is ending; this limits how long that takes.
    void browser.control.closed.then(() => this.#end(browser));
    if (this.#stopped) {
      await endProcess(browser.child);
      throw new BrowserError("the browser was stopped while it started");
    }
    this.#options.onStart?.(browser.state);
    return browser;
  }

  async #end(browser: RunningBrowser): Promise<void> {
    if (this.#running === browser) this.#running = null;
    await endProcess(browser.child);
  }

  /** Takes no new scans, and ends once the open ones must be complete. */
  #drain(browser: RunningBrowser): void {
    this.#running = null;
    this.#draining.add(browser);
    setTimeout(() => void endProcess(browser.child), drainMs).unref();
  }
}

/** Deletes profiles of killed processes. A profile with a live owner belongs to another process. */
function removeOldProfiles(profilesDir: string): void {
  for (const name of readdirSync(profilesDir)) {
    const ownerPid = Number(name.split("-")[0]);
    if (ownerPid !== process.pid && !processExists(ownerPid)) rmSync(join(profilesDir, name), { recursive: true, force: true });
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
