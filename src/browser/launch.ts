/** Starts one Chromium process, sandboxed if the system allows it, and connects to it by its debugging pipe. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import { BrowserError, type Executable } from "./executable.ts";
import { chromiumFlags } from "./flags.ts";
import { connectByPipe } from "./pipe.ts";
import { collectGroup, endProcessTree } from "./process-tree.ts";
import { createProfile, deleteFolder } from "./profiles.ts";

/** From the start of the process to its first answer. */
const startMs = 20_000;
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
  readonly connection: Connection;
  readonly state: BrowserState;
  isAlive(): boolean;
  /** Kills every process of the browser and deletes its profile. Resolves when the browser is gone; later calls do nothing. */
  end(): Promise<void>;
}

export interface LaunchOptions {
  readonly executable: Executable;
  /** Folder for the profile of this browser. */
  readonly profilesDir: string;
  readonly sandbox: SandboxSetting;
  /** Called with the pid as soon as the process exists, and again with null when it has ended. */
  readonly onProcess: (pid: number | null) => void;
}

/** `auto` uses the sandbox if the system allows it. @throws BrowserError */
export async function launchBrowser(options: LaunchOptions): Promise<RunningBrowser> {
  const { sandbox } = options;
  if (sandbox === "off") return launch(options, "browser.sandbox is off");
  const isRoot = process.getuid?.() === 0;
  if (sandbox === "auto" && isRoot)
    return launch(options, "assay runs as root, and Chromium has no sandbox for root; run it as an ordinary user");
  try {
    return await launch(options, null);
  } catch (error) {
    const noSandbox = error instanceof BrowserError && /sandbox|namespace/i.test(error.message);
    if (!noSandbox || sandbox === "on") throw error;
    return launch(
      options,
      "this system lets no ordinary user make namespaces; allow them (kernel.unprivileged_userns_clone, or an AppArmor profile)",
    );
  }
}

async function launch({ executable, profilesDir, onProcess }: LaunchOptions, unsandboxedBecause: string | null): Promise<RunningBrowser> {
  const sandboxed = unsandboxedBecause === null;
  const profileDir = createProfile(profilesDir);
  const { child, pid } = await spawnBrowser(executable, { profileDir, sandbox: sandboxed }, onProcess).catch((error: Error) => {
    deleteFolder(profileDir);
    throw new BrowserError(`the browser cannot be started (${error.message})`);
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const connection = connectByPipe(child.stdio[3] as Writable, child.stdio[4] as Readable);
  let ending: Promise<void> | null = null;
  const end = () => {
    ending ??= endChild(child, pid, exited).finally(() => {
      connection.dispose();
      deleteFolder(profileDir);
      onProcess(null);
    });
    return ending;
  };
  void exited.then(end);
  try {
    const version = await firstAnswer(child, connection);
    return {
      connection,
      state: { pid, version, sandboxed, unsandboxedBecause },
      isAlive: () => ending === null && isAlive(child),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @throws Error if there is no process, for example because file descriptors or processes are exhausted. */
async function spawnBrowser(
  { path, environment }: Executable,
  flags: Parameters<typeof chromiumFlags>[0],
  onProcess: LaunchOptions["onProcess"],
): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  const { profileDir } = flags;
  const child = spawn(path, chromiumFlags(flags), {
    // A separate home folder protects the user's files.
    env: { PATH: process.env.PATH ?? "", HOME: profileDir, TMPDIR: profileDir, LANG: "C.UTF-8", ...environment },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // A separate process group: Ctrl-C must reach only assay, which ends the browser after the scans.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw await new Promise<Error>((resolve) => child.once("error", resolve));
  onProcess(pid);
  return { child, pid };
}

/** Version of the browser. Output after the start is discarded, because a full pipe would block the browser. */
function firstAnswer(child: ChildProcess, connection: Connection): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (failure: string) => {
      clearTimeout(timer);
      reject(new BrowserError(`the browser ${failure}: ${errorLine(output)}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${startMs / 1000} seconds`), startMs);
    child.once("error", (error) => fail(`cannot be started (${error.message})`));
    // Not "exit", which may come before the last output with the reason.
    child.once("close", (code, signal) => fail(`ended at its start (${signal ?? `code ${code}`})`));
    child.stderr?.on("data", (chunk: Buffer) => {
      if (output.length < outputCharsMax) output += chunk.toString();
    });
    connection.send("Browser.getVersion", undefined, { timeout: startMs }).then(
      ({ product }) => {
        clearTimeout(timer);
        child.stderr?.removeAllListeners("data").resume();
        resolve(product);
      },
      // "close" follows, and has the reason.
      () => {},
    );
  });
}

/** The line of Chromium's output that most likely explains the failure. */
function errorLine(output: string): string {
  const lines = output.split("\n").map((line) => line.replace(/^\[[^\]]*\]\s*/, "").trim());
  const cause = lines.find((line) => /sandbox|namespace|shared libraries|FATAL|cannot/i.test(line)) ?? lines.find((line) => line !== "");
  return (cause ?? "it printed nothing").slice(0, 300);
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function endChild(child: ChildProcess, pid: number, exited: Promise<void>): Promise<void> {
  endProcessTree(pid);
  if (isAlive(child)) await exited;
  await collectGroup(pid);
}
