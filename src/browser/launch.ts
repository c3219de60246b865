/** Starts one Chromium process, sandboxed if the system allows it, and keeps a control connection to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BrowserError, type Executable } from "./executable.ts";
import { chromiumFlags } from "./flags.ts";

/** From the start of the process to its DevTools address. */
const startMs = 20_000;
/** Between SIGTERM and SIGKILL. */
const stopMs = 3_000;
/** Startup output that is kept to explain a failed start. */
const outputCharsMax = 20_000;

export type SandboxSetting = "auto" | "on" | "off";

export interface BrowserState {
  readonly pid: number;
  readonly version: string;
  readonly sandboxed: boolean;
  /** Why the sandbox is off, as a sentence; null when it is on. */
  readonly unsandboxedBecause: string | null;
}

export interface RunningBrowser {
  readonly child: ChildProcess;
  readonly control: Control;
  readonly profileDir: string;
  readonly state: BrowserState;
}

/** Control connection of the browser's owner, for health checks. */
interface Control {
  readonly endpoint: string;
  /** @throws BrowserError when the browser does not answer in time. */
  version(withinMs: number): Promise<string>;
  /** Resolves when the browser closes the connection. */
  readonly closed: Promise<void>;
}

/** `auto` uses the sandbox if the system allows it. @throws BrowserError */
export async function launchBrowser(executable: Executable, profilesDir: string, setting: SandboxSetting): Promise<RunningBrowser> {
  const launchUnsandboxed = (because: string) => launch(executable, profilesDir, because);
  if (setting === "off") return launchUnsandboxed("browser.sandbox is off");
  const isRoot = process.getuid?.() === 0;
  if (setting === "auto" && isRoot)
    return launchUnsandboxed("assay runs as root, and Chromium has no sandbox for root; run it as an ordinary user");
  try {
    return await launch(executable, profilesDir, null);
  } catch (error) {
    const noSandbox = error instanceof BrowserError && /sandbox|namespace/i.test(error.message);
    if (!noSandbox || setting === "on") throw error;
    return launchUnsandboxed(
      "this system lets no ordinary user make namespaces; allow them (kernel.unprivileged_userns_clone, or an AppArmor profile)",
    );
  }
}

async function launch(executable: Executable, profilesDir: string, unsandboxedBecause: string | null): Promise<RunningBrowser> {
  const sandboxed = unsandboxedBecause === null;
  const profileDir = mkdtempSync(join(profilesDir, `${process.pid}-`));
  const child = spawn(executable.path, chromiumFlags({ profileDir, sandbox: sandboxed }), {
    // A separate home folder protects the user's files.
    env: { PATH: process.env.PATH ?? "", HOME: profileDir, TMPDIR: profileDir, LANG: "C.UTF-8", ...executable.environment },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // A separate process group: Ctrl-C must reach only assay, which ends the browser after the scans.
    detached: true,
  });
  try {
    const control = await openControl(await readEndpoint(child));
    const version = await control.version(startMs);
    return { child, control, profileDir, state: { pid: child.pid ?? 0, version, sandboxed, unsandboxedBecause } };
  } catch (error) {
    await endProcess(child);
    rmSync(profileDir, { recursive: true, force: true });
    throw error;
  }
}

/** Reads the DevTools address that Chromium prints. Later output is discarded, because a full pipe would block it. */
function readEndpoint(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    let listens = false;
    const fail = (failure: string) => {
      clearTimeout(timer);
      reject(new BrowserError(`the browser ${failure}: ${errorLine(output)}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${startMs / 1000} seconds`), startMs);
    child.once("error", (error) => fail(`cannot be started (${error.message})`));
    // Not "exit", which may come before the last output with the reason.
    child.once("close", (code, signal) => fail(`ended at its start (${signal ?? `code ${code}`})`));
    child.stderr?.on("data", (chunk: Buffer) => {
      if (listens || output.length > outputCharsMax) return;
      output += chunk.toString();
      const endpoint = /DevTools listening on (ws:\/\/\S+)/.exec(output)?.[1];
      if (endpoint === undefined) return;
      clearTimeout(timer);
      listens = true;
      resolve(endpoint);
    });
  });
}

/** The line of Chromium's output that most likely explains the failure. */
function errorLine(output: string): string {
  const lines = output.split("\n").map((line) => line.replace(/^\[[^\]]*\]\s*/, "").trim());
  const cause = lines.find((line) => /sandbox|namespace|shared libraries|FATAL|cannot/i.test(line)) ?? lines.find((line) => line !== "");
  return (cause ?? "it printed nothing").slice(0, 300);
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
  const pending = new Map<number, (version: string) => void>();
  let lastId = 0;
  socket.onmessage = ({ data }) => {
    const { id, result }: { readonly id: number; readonly result?: { readonly product?: string } } = JSON.parse(String(data));
    pending.get(id)?.(result?.product ?? "unknown");
    pending.delete(id);
  };
  return {
    endpoint,
    version: (withinMs) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const fail = () => reject(new BrowserError("the browser does not answer"));
        const timer = setTimeout(fail, withinMs);
        pending.set(id, (version) => {
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

/** Terminates the process, after a while with SIGKILL. Resolves when it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (!isAlive(child) || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await exited;
  clearTimeout(forced);
}
