/** Starts one Chromium process, sandboxed if the system allows it, and connects to it by its debugging pipe. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import type { ConnectionTransport } from "puppeteer-core/internal/common/ConnectionTransport.js";
import { readDiskSpace } from "../base/disk.ts";
import { tryOr } from "../base/try-or.ts";
import { BrowserError, type Executable } from "./executable.ts";
import { collectGroup, endProcessTree } from "./processes.ts";
import { createProfile, deleteFolder } from "./profiles.ts";

// Chromium's command line: traffic only through the forward proxy of a scan, and no access to the user's files.

export const sharedMemoryDir = "/dev/shm";
/** Minimum size of shared memory: pages crash with less; containers usually have 64 MB. */
const sharedMemoryBytesMin = 512 * 1024 * 1024;
/** JavaScript heap of one page. A page that needs more crashes without affecting others. */
const pageHeapMiBMax = 512;

const quiet = [
  "--headless",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--disable-field-trial-config",
  "--disable-client-side-phishing-detection",
  "--disable-search-engine-choice-screen",
  "--metrics-recording-only",
  "--password-store=basic",
  "--use-mock-keychain",
  "--mute-audio",
  "--hide-scrollbars",
];

/** Prevents Chromium from throttling scanned pages as background pages. */
const unthrottled = [
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-hang-monitor",
  "--disable-prompt-on-repost",
];

/** SSRF guard: no connection without the proxy. */
const proxied = [
  // Each scan's context sets its own proxy; all other traffic goes to a closed port.
  "--proxy-server=http://127.0.0.1:1",
  "--proxy-bypass-list=<-loopback>",
  // The proxy resolves names. Without this, Chromium resolves hosts of subresources itself.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--disable-quic",
  // Each build of Chromium supports one of these two; without it, WebRTC bypasses the proxy over UDP.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  // WebRtcHideLocalIpsWithMdns would join the multicast group of mDNS for a page with WebRTC; the policy above gathers no local address to hide.
  "--disable-features=WebRtcHideLocalIpsWithMdns,OptimizationHints,MediaRouter,Translate,AcceptCHFrame,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,HttpsFirstBalancedModeAutoEnable",
];

export function chromiumFlags({ profileDir, sandbox }: { readonly profileDir: string; readonly sandbox: boolean }): readonly string[] {
  return [
    ...quiet,
    ...unthrottled,
    ...proxied,
    "--disable-gpu",
    `--js-flags=--max-old-space-size=${pageHeapMiBMax}`,
    `--user-data-dir=${profileDir}`,
    // Commands come by the pipe alone: a port would be open to every user of the machine.
    // Chromium exits when the pipe closes, which the kernel ensures when the owner dies.
    "--remote-debugging-pipe",
    ...(sandbox ? [] : ["--no-sandbox"]),
    ...(sharedMemoryIsSmall() ? ["--disable-dev-shm-usage"] : []),
    "about:blank",
  ];
}

/** True if Chromium must use its temporary folder for shared memory. */
export function sharedMemoryIsSmall(): boolean {
  return tryOr(() => readDiskSpace(sharedMemoryDir).totalBytes < sharedMemoryBytesMin, true);
}

// DevTools protocol over Chromium's two debugging pipes: JSON texts, each ended by a NUL byte.

/** A page can make Chromium send a longer message, for example by a huge URL. It would fill the memory of this process. */
const messageBytesMax = 64 * 1024 ** 2;
/** Deadline of one command: Chromium answers at once unless a page blocks it. */
const commandMs = 10_000;
const nul = 0;

/** Closes when the browser ends, or sends a message over `messageBytesMax`. */
class PipeTransport implements ConnectionTransport {
  readonly #commands: Writable;
  readonly #answers: Readable;
  /** Parts of the message that is not complete yet. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #closed = false;
  onmessage?: (message: string) => void;
  onclose?: () => void;

  constructor(commands: Writable, answers: Readable) {
    this.#commands = commands;
    this.#answers = answers;
    const close = () => this.close();
    commands.on("error", close);
    answers.on("error", close);
    answers.on("close", close);
    answers.on("end", close);
    answers.on("data", (chunk: Buffer) => this.#onData(chunk));
  }

  send(message: string): void {
    if (this.#closed) throw new Error("the browser is gone");
    this.#commands.write(`${message}\0`);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts = [];
    this.#commands.destroy();
    this.#answers.destroy();
    this.onclose?.();
  }

  #onData(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(nul); end !== -1 && !this.#closed; end = chunk.indexOf(nul, start)) {
      const last = chunk.subarray(start, end);
      const message = this.#parts.length === 0 ? last.toString() : Buffer.concat([...this.#parts, last]).toString();
      this.#parts = [];
      this.#partBytes = 0;
      start = end + 1;
      this.onmessage?.(message);
    }
    if (this.#closed || start === chunk.length) return;
    this.#parts.push(start === 0 ? chunk : chunk.subarray(start));
    this.#partBytes += chunk.length - start;
    if (this.#partBytes > messageBytesMax) this.close();
  }
}

/** Deadline from the start of the process to its first answer. */
const startMs = 20_000;
/** Startup output that is kept to explain a failed start. */
const outputCharsMax = 20_000;

export type SandboxSetting = "auto" | "on" | "off";

export interface BrowserState {
  readonly pid: number;
  readonly version: string;
  readonly sandboxed: boolean;
  /** Reason why the sandbox is off, as a sentence; null if it is on. */
  readonly unsandboxedBecause: string | null;
}

export interface RunningBrowser {
  readonly connection: Connection;
  readonly state: BrowserState;
  isAlive(): boolean;
  /** Kills every process of the browser and deletes its profile. Resolves when the browser is gone; later calls do nothing. */
  end(): Promise<void>;
}

interface LaunchOptions {
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
  const transport = new PipeTransport(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const connection = new Connection("", transport, 0, commandMs);
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
