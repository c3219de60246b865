/** Runs test files in a copy of the tree, within limits of time and memory. Ends everything that they started. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { TreeCopy } from "./tree-copy.ts";

/** A loop that collects something reaches this before its time is over. */
const memoryBytesMax = 4 * 1024 ** 3;
const memoryIntervalMs = 500;
/** Characters of output that a result keeps. */
const outputCharsMax = 2_000;

export interface TestRun {
  readonly outcome: "passed" | "failed" | "timedOut";
  readonly seconds: number;
  /** File and name of the first case that failed; the end of the output if no case did. */
  readonly failure: string;
}

export interface RunLimits {
  readonly seconds: number;
  /** Arguments of `bun test` before the files. */
  readonly options?: readonly string[];
}

/** Runs the files in their order, each with globals of its own, up to the first failure. */
export async function runTests(copy: TreeCopy, files: readonly string[], { seconds, options = [] }: RunLimits): Promise<TestRun> {
  rmSync(copy.temporary, { recursive: true, force: true });
  mkdirSync(copy.temporary);
  const started = performance.now();
  const child = Bun.spawn(
    [process.execPath, "test", "--isolate", "--bail", "--timeout", "120000", ...options, ...files.map((file) => `./${file}`)],
    {
      cwd: copy.folder,
      env: { ...process.env, TMPDIR: copy.temporary, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      // A process group of its own, which can be ended as a whole.
      detached: true,
    },
  );
  let isOver = false;
  const end = () => {
    isOver = true;
    endGroup(child.pid);
  };
  const endAll = () => {
    endGroup(child.pid);
    endProcessesOf(copy);
  };
  const deadline = setTimeout(end, seconds * 1_000);
  const watch = setInterval(() => memoryOf(child.pid) > memoryBytesMax && end(), memoryIntervalMs);
  running.add(endAll);
  try {
    const output = readToEnd(child.stderr);
    const code = await child.exited;
    // Servers that a failed test has left would keep the pipe open.
    endAll();
    const spent = (performance.now() - started) / 1_000;
    if (isOver) return { outcome: "timedOut", seconds: spent, failure: "" };
    return { outcome: code === 0 ? "passed" : "failed", seconds: spent, failure: code === 0 ? "" : firstFailure(await output) };
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    running.delete(endAll);
  }
}

const running = new Set<() => void>();

/** For the end of this program by a signal. */
export function endRunningTests(): void {
  for (const endAll of running) endAll();
}

/** Browsers have a process group of their own. All that a test starts inherits the folder for temporary files of its copy. */
function endProcessesOf({ temporary }: TreeCopy): void {
  if (!existsSync("/proc/self/environ")) return;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`TMPDIR=${temporary}`)) process.kill(Number(name), "SIGKILL");
    } catch {
      // It has ended meanwhile, or is another user's.
    }
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended by itself.
  }
}

function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function readToEnd(stream: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(stream).text();
}

/** File and name of the first failed case in the output of `bun test`. */
export function firstFailure(output: string): string {
  let file = "";
  for (const line of output.split("\n")) {
    if (/^\S+\.test\.tsx?:$/.test(line)) file = line.slice(0, -1);
    const name = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1];
    if (name !== undefined) return `${file} > ${name}`;
  }
  return output.trim().slice(-outputCharsMax);
}
