/** Work on a whole store in a child process, whose end says what happened. */
import { statSync } from "node:fs";
import { storeFileOf } from "../store/store-file.ts";

/** Time limit: a fixed part, and one second for so many bytes; a tenth of the speed of a slow disk. */
const workMsMin = 60_000;
const bytesPerSecondMin = 5_000_000;
/** Signals by which a process ends that meets a damaged page. Any other one was sent from outside: a stop, or too little memory. */
const damageSignals: readonly string[] = ["SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP"];

export type StoreProcessEnd = { readonly ms: number } & (
  | { readonly status: "exit"; readonly code: number; readonly lastLine: string }
  | { readonly status: "timeout" }
  /** A page that LMDB cannot read. */
  | { readonly status: "damage"; readonly signal: string }
  | { readonly status: "signal"; readonly signal: string }
);

export interface StoreProcessOptions {
  readonly timeoutMs: number;
  /** Ends the process. */
  readonly stop?: AbortSignal | undefined;
  /** Called for each line of JSON on stdout. */
  readonly onLine?: (line: string) => void;
}

/** Runs the command to its end. `lastLine` is the last one of stderr, without the name of the program. */
export async function runStoreProcess(
  command: readonly string[],
  { timeoutMs, stop, onLine = () => {} }: StoreProcessOptions,
): Promise<StoreProcessEnd> {
  const began = performance.now();
  const ending = stop === undefined ? {} : { signal: stop, killSignal: "SIGKILL" as const };
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", ...ending });
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const lastWords = new Response(child.stderr).text();
  for await (const line of linesOf(child.stdout)) onLine(line);
  await child.exited;
  clearTimeout(timer);
  const ms = Math.round(performance.now() - began);
  if (hasTimedOut) return { status: "timeout", ms };
  const signal = child.signalCode === null ? null : String(child.signalCode);
  if (signal !== null) return { status: damageSignals.includes(signal) ? "damage" : "signal", signal, ms };
  const lastLine = (await lastWords).trim().split("\n").at(-1) ?? "";
  return { status: "exit", code: child.exitCode ?? 0, lastLine: lastLine.replace(/^assay: /, ""), ms };
}

/** Time limit for work that reads a whole store. */
export function storeWorkMsOf(dataDir: string): number {
  return workMsMin + (storeBytesOf(dataDir) / bytesPerSecondMin) * 1_000;
}

/** 0 for a file that cannot be reached: the work says why. */
function storeBytesOf(dataDir: string): number {
  try {
    return statSync(storeFileOf(dataDir)).size;
  } catch {
    return 0;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    // A child that dies may leave a part of a line.
    for (const line of lines) if (line.startsWith("{")) yield line;
  }
}
