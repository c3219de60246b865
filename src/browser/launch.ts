/** Starts one Chromium process, confined as far as the system allows, and keeps a control connection to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BrowserError, type Executable } from "./executable.ts";
import { chromiumFlags } from "./flags.ts";

/** From the start of the process to its DevTools address. */
const startMs = 20_000;
/** Between SIGTERM and SIGKILL. */
const stopMs = 3_000;
/** Characters kept of what the browser says while it starts: enough to find the reason when it does not. */
const wordsCharsMax = 20_000;

export type SandboxSetting = "auto" | "on" | "off";

export interface BrowserState {
  readonly pid: number;
  /** As Chromium names itself, for example `HeadlessChrome/153.0.8010.0`. */
  readonly version: string;
  readonly sandboxed: boolean;
  /** Why the sandbox is off, in a sentence; null when it is on. */
  readonly unsandboxedBecause: string | null;
}

/** A browser that answered when it was started. */
export interface Running {
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

/** With the sandbox wherever the system allows; without it only when told so, or when there is no other way. @throws BrowserError */
export async function launchConfined(executable: Executable, profilesDir: string, setting: SandboxSetting): Promise<Running> {
  const launchOpen = (because: string) => launch(executable, profilesDir, because);
  if (setting === "off") return launchOpen("browser.sandbox is off");
  const asRoot = process.getuid?.() === 0;
  if (setting === "auto" && asRoot)
    return launchOpen("assay runs as root, and Chromium has no sandbox for root; run it as an ordinary user");
  try {
    return await launch(executable, profilesDir, null);
  } catch (error) {
    const noSandbox = error instanceof BrowserError && /sandbox|namespace/i.test(error.message);
    if (!noSandbox || setting === "on") throw error;
    return launchOpen(
      "this system lets no ordinary user make namespaces; allow them (kernel.unprivileged_userns_clone, or an AppArmor profile)",
    );
  }
}

/** `unsandboxedBecause` null is with the sandbox. */
async function launch(executable: Executable, profilesDir: string, unsandboxedBecause: string | null): Promise<Running> {
  const sandboxed = unsandboxedBecause === null;
  const profileDir = mkdtempSync(join(profilesDir, `${process.pid}-`));
  const child = spawn(executable.path, chromiumFlags({ profileDir, sandbox: sandboxed }), {
    // A home of its own: nothing of the user's is read, and nothing is written there.
    env: { PATH: process.env.PATH ?? "", HOME: profileDir, TMPDIR: profileDir, LANG: "C.UTF-8", ...executable.environment },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // In a process group of its own: Ctrl-C in a terminal is for us, who end the browser after the scans.
    detached: true,
  });
  try {
    const control = await openControl(await endpointSaid(child));
    const version = await control.version(startMs);
    return { child, control, profileDir, state: { pid: child.pid ?? 0, version, sandboxed, unsandboxedBecause } };
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
    let listens = false;
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new BrowserError(`the browser ${what}: ${tellingLine(words)}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${startMs / 1000} seconds`), startMs);
    child.once("error", (error) => fail(`cannot be started (${error.message})`));
    // "exit" may come before its last words, which say why.
    child.once("close", (code, signal) => fail(`ended at its start (${signal ?? `code ${code}`})`));
    child.stderr?.on("data", (chunk: Buffer) => {
      if (listens || words.length > wordsCharsMax) return;
      words += chunk.toString();
      const endpoint = /DevTools listening on (ws:\/\/\S+)/.exec(words)?.[1];
      if (endpoint === undefined) return;
      clearTimeout(timer);
      listens = true;
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

export function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Asks the process to end, and makes it when it does not. Resolves when it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (!isAlive(child) || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await exited;
  clearTimeout(forced);
}
