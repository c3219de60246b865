/** Keeps one browser at hand: has it started when it is asked for, and anew when it died or outgrew its use, and ends it in the end. */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BrowserError, type ExecutableOptions, findExecutable } from "./executable.ts";
import { type BrowserState, end, isAlive, launchConfined, type Running, type SandboxSetting } from "./launch.ts";

/** A browser that does not answer the simplest question within this has hung. */
const answerMs = 5_000;
/** A browser that dies more often than this within the window is not started again before the window has passed. */
const startsMax = 8;
const startsWindowMs = 60_000;
/** Browsers grow with use: after so many endpoints given out, which is once for each scan, another one takes over. */
const endpointsPerBrowserMax = 500;
/** What an outgrown browser is left for the scans that it still has in hand. */
const outgrownMs = 120_000;

export interface BrowserOptions extends ExecutableOptions {
  readonly sandbox: SandboxSetting;
  /** Told once for each start: where it listens and how it is confined. */
  readonly onStart?: (state: BrowserState) => void;
}

export interface BrowserHost {
  /** DevTools WebSocket URL of a browser that runs and answers, started first if it has to be. @throws BrowserError (as a rejection). */
  endpoint(): Promise<string>;
  /** The browser that runs now, or null. */
  state(): BrowserState | null;
  /** Ends a browser that no longer behaves; the next `endpoint()` starts another. */
  retire(): Promise<void>;
  /** Ends the browser and forgets its profile; nothing is started afterwards. */
  stop(): Promise<void>;
}

export function openBrowser(options: BrowserOptions): BrowserHost {
  const profilesDir = join(options.dir, "profiles");
  let running: Running | null = null;
  let starting: Promise<Running> | null = null;
  const outgrown = new Set<Running>();
  let endpointsGiven = 0;
  let stopped = false;
  let startedAtMs: readonly number[] = [];

  async function start(): Promise<Running> {
    const nowMs = Date.now();
    startedAtMs = [...startedAtMs.filter((atMs) => nowMs - atMs < startsWindowMs), nowMs];
    if (startedAtMs.length > startsMax)
      throw new BrowserError(`the browser ended ${startsMax} times within ${startsWindowMs / 1000} seconds; it is started again later`);
    const executable = await findExecutable(options);
    mkdirSync(profilesDir, { recursive: true, mode: 0o700 });
    if (startedAtMs.length === 1) removeOldProfiles(profilesDir);
    const begun = await launchConfined(executable, profilesDir, options.sandbox);
    begun.child.once("exit", () => {
      if (running === begun) running = null;
      outgrown.delete(begun);
      rmSync(begun.profileDir, { recursive: true, force: true });
    });
    // One that hangs up is ending; one that takes its time over it is helped along.
    void begun.control.closed.then(() => retireOne(begun));
    if (stopped) {
      await end(begun.child);
      throw new BrowserError("the browser was stopped while it started");
    }
    options.onStart?.(begun.state);
    return begun;
  }

  async function ensureRunning(): Promise<Running> {
    if (stopped) throw new BrowserError("the browser was stopped");
    if (running !== null && isAlive(running.child)) return running;
    starting ??= start().finally(() => {
      starting = null;
    });
    running = await starting;
    endpointsGiven = 0;
    return running;
  }

  async function retireOne(old: Running): Promise<void> {
    if (running === old) running = null;
    await end(old.child);
  }

  /** Gives way to a fresh browser, and ends when its last scans are surely over. */
  function outgrow(old: Running): void {
    running = null;
    outgrown.add(old);
    setTimeout(() => void end(old.child), outgrownMs).unref();
  }

  async function endpoint(): Promise<string> {
    const one = await ensureRunning();
    try {
      await one.control.version(answerMs);
    } catch {
      await retireOne(one);
      return (await ensureRunning()).control.endpoint;
    }
    if (++endpointsGiven >= endpointsPerBrowserMax && running === one) outgrow(one);
    return one.control.endpoint;
  }

  const retire = async () => {
    if (running !== null) await retireOne(running);
  };

  return {
    endpoint,
    state: () => (running !== null && isAlive(running.child) ? running.state : null),
    retire,
    stop: async () => {
      stopped = true;
      await starting?.catch(() => {});
      await Promise.all([retire(), ...[...outgrown].map(({ child }) => end(child))]);
    },
  };
}

/** What a process that was killed left behind. A profile that is in use cannot be ours: the data directory has one server. */
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
