/** Owns the one browser process: starts it when it is asked for, starts it anew when it died, ends it in the end. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BrowserError, type ExecutableOptions, findExecutable } from "./executable.ts";
import { chromiumFlags } from "./flags.ts";

/** From the start of the process to its DevTools address. */
const startMs = 20_000;
/** Between SIGTERM and SIGKILL. */
const stopMs = 3_000;
/** A browser that does not answer the simplest question within this has hung. */
const answerMs = 5_000;
/** A browser that dies more often than this within the window is not started again before the window has passed. */
const startsMax = 8;
const startsWindowMs = 60_000;
/** Browsers grow with use: after so many endpoints given out, which is once for each scan, another one takes over. */
const endpointsPerBrowserMax = 500;
/** What an outgrown browser is left for the scans that it still has in hand. */
const outgrownMs = 120_000;
/** Characters kept of what the browser says while it starts: enough to find the reason when it does not. */
const wordsCharsMax = 20_000;

export type SandboxSetting = "auto" | "on" | "off";

export interface BrowserOptions extends ExecutableOptions {
  readonly sandbox: SandboxSetting;
  /** Told once for each start: where it listens and how it is confined. */
  readonly onStart?: (state: BrowserState) => void;
}

export interface BrowserState {
  readonly pid: number;
  /** As Chromium names itself, for example `HeadlessChrome/153.0.8010.0`. */
  readonly version: string;
  readonly sandboxed: boolean;
  /** Why the sandbox is off, in a sentence; null when it is on. */
  readonly unsandboxedBecause: string | null;
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

interface Running {
  readonly child: ChildProcess;
  readonly control: Control;
  readonly profileDir: string;
  readonly state: BrowserState;
}

/** The host's own connection to the browser, by which it knows how that one is. */
interface Control {
  readonly endpoint: string;
  /** How the browser names itself. @throws BrowserError when it does not answer in time. */
  version(withinMs: number): Promise<string>;
  /** Resolves when the browser hangs up. */
  readonly closed: Promise<void>;
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
    const begun = await launchConfined(options.sandbox, (sandbox) => launch(executable, profilesDir, sandbox));
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

/** With the sandbox wherever the system allows; without it only when told so, or when there is no other way. */
async function launchConfined(
  setting: SandboxSetting,
  launchWith: (sandbox: { readonly on: boolean; readonly offBecause: string | null }) => Promise<Running>,
): Promise<Running> {
  if (setting === "off") return launchWith({ on: false, offBecause: "browser.sandbox is off" });
  const asRoot = process.getuid?.() === 0;
  if (setting === "auto" && asRoot)
    return launchWith({ on: false, offBecause: "assay runs as root, and Chromium has no sandbox for root; run it as an ordinary user" });
  try {
    return await launchWith({ on: true, offBecause: null });
  } catch (error) {
    const noSandbox = error instanceof BrowserError && /sandbox|namespace/i.test(error.message);
    if (!noSandbox || setting === "on") throw error;
    return launchWith({
      on: false,
      offBecause:
        "this system lets no ordinary user make namespaces; allow them (kernel.unprivileged_userns_clone, or an AppArmor profile)",
    });
  }
}

async function launch(
  executable: { readonly path: string; readonly environment: Readonly<Record<string, string>> },
  profilesDir: string,
  sandbox: { readonly on: boolean; readonly offBecause: string | null },
): Promise<Running> {
  const profileDir = mkdtempSync(join(profilesDir, `${process.pid}-`));
  const child = spawn(executable.path, chromiumFlags({ profileDir, sandbox: sandbox.on }), {
    // A home of its own: nothing of the user's is read, and nothing is written there.
    env: { PATH: process.env.PATH ?? "", HOME: profileDir, TMPDIR: profileDir, LANG: "C.UTF-8", ...executable.environment },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // In a process group of its own: Ctrl-C in a terminal is for us, who end the browser after the scans.
    detached: true,
  });
  try {
    const control = await openControl(await endpointSaid(child));
    const version = await control.version(startMs);
    return {
      child,
      control,
      profileDir,
      state: { pid: child.pid ?? 0, version, sandboxed: sandbox.on, unsandboxedBecause: sandbox.offBecause },
    };
  } catch (error) {
    await end(child);
    rmSync(profileDir, { recursive: true, force: true });
    throw error;
  }
}

/** Chromium prints its DevTools address once it listens. Later words are read and dropped, or its pipe would fill up. */
function endpointSaid(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = "";
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new BrowserError(`the browser ${what}: ${tellingLine(words)}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${startMs / 1000} seconds`), startMs);
    child.once("error", (error) => fail(`cannot be started (${error.message})`));
    // "exit" may come before its last words, which say why.
    child.once("close", (code, signal) => fail(`ended at its start (${signal ?? `code ${code}`})`));
    child.stderr?.on("data", (chunk: Buffer) => {
      if (words.length > wordsCharsMax) return;
      words += chunk.toString();
      const endpoint = /DevTools listening on (ws:\/\/\S+)/.exec(words)?.[1];
      if (endpoint === undefined) return;
      clearTimeout(timer);
      words = "x".repeat(wordsCharsMax + 1);
      resolve(endpoint);
    });
  });
}

/** The line that tells most, of the many that Chromium says when it fails. */
function tellingLine(words: string): string {
  const lines = words.split("\n").map((line) => line.replace(/^\[[^\]]*\]\s*/, "").trim());
  const telling = lines.find((line) => /sandbox|namespace|shared libraries|FATAL|cannot/i.test(line)) ?? lines.find((line) => line !== "");
  return (telling ?? "it said nothing").slice(0, 300);
}

async function openControl(endpoint: string): Promise<Control> {
  const socket = new WebSocket(endpoint);
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new BrowserError("the browser's control connection cannot be opened"));
    const timer = setTimeout(fail, startMs);
    socket.onerror = fail;
    socket.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  socket.onerror = null;
  const closed = new Promise<void>((resolve) => {
    socket.onclose = () => resolve();
  });
  const asked = new Map<number, (version: string) => void>();
  let lastId = 0;
  socket.onmessage = ({ data }) => {
    const { id, result }: { readonly id: number; readonly result?: { readonly product?: string } } = JSON.parse(String(data));
    asked.get(id)?.(result?.product ?? "unknown");
    asked.delete(id);
  };
  return {
    endpoint,
    version: (withinMs) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const fail = () => reject(new BrowserError("the browser does not answer"));
        const timer = setTimeout(fail, withinMs);
        asked.set(id, (version) => {
          clearTimeout(timer);
          resolve(version);
        });
        void closed.then(fail);
        socket.send(JSON.stringify({ id, method: "Browser.getVersion" }));
      }),
    closed,
  };
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function end(child: ChildProcess): Promise<void> {
  if (!isAlive(child) || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await exited;
  clearTimeout(forced);
}
