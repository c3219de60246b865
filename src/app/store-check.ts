/** Check of the whole store in a child process: neither a damaged page nor a hanging disk can take this process with it. */
import { statSync } from "node:fs";
import { storeFileOf } from "../store/store-file.ts";
import type { StoreReport } from "../store/store-walk.ts";
import { ownProgram } from "./placement.ts";

/** Hidden command that prints one `StoreCheckLine` per line. */
export const storeWalkCommand = "store-walk";
/** Time limit: a fixed part, and one second for so many bytes; a tenth of the speed of a slow disk. */
const checkMsMin = 60_000;
const bytesPerSecondMin = 5_000_000;
/** Signals by which a process ends that meets a damaged page. Any other one was sent from outside: a stop, or too little memory. */
const damageSignals: readonly string[] = ["SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP"];

export type StoreCheckLine = { readonly table: string } | { readonly report: StoreReport | null };

export type StoreCheck =
  /** Null without a store. */
  | { readonly status: "done"; readonly report: StoreReport | null; readonly ms: number }
  /** A signal ended the check in this table: a page that LMDB cannot read. */
  | { readonly status: "died"; readonly signal: string; readonly table: string }
  | { readonly status: "timeout"; readonly table: string; readonly ms: number }
  /** The check could not be made. */
  | { readonly status: "failed"; readonly because: string };

export interface StoreCheckOptions {
  /** Called before each table. */
  readonly onTable?: (table: string) => void;
  readonly program?: readonly string[];
  readonly timeoutMs?: number;
  /** Ends the check, which then failed. */
  readonly stop?: AbortSignal | undefined;
}

export async function checkWholeStore(
  dataDir: string,
  { onTable = () => {}, program = ownProgram, timeoutMs = checkMsOf(dataDir), stop }: StoreCheckOptions = {},
): Promise<StoreCheck> {
  const began = performance.now();
  const ending = stop === undefined ? {} : { signal: stop, killSignal: "SIGKILL" as const };
  const child = Bun.spawn([...program, storeWalkCommand, dataDir], { stdin: "ignore", stdout: "pipe", stderr: "pipe", ...ending });
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  const lastWords = new Response(child.stderr).text();
  let table = "none";
  let report: StoreReport | null | undefined;
  for await (const line of linesOf(child.stdout)) {
    if ("report" in line) report = line.report;
    else {
      table = line.table;
      onTable(table);
    }
  }
  await child.exited;
  clearTimeout(timer);
  const ms = Math.round(performance.now() - began);
  if (report !== undefined) return { status: "done", report, ms };
  if (hasTimedOut) return { status: "timeout", table, ms };
  const signal = child.signalCode === null ? null : String(child.signalCode);
  if (signal !== null && damageSignals.includes(signal)) return { status: "died", signal, table };
  if (signal !== null) return { status: "failed", because: `${signal} ended it in table ${table}` };
  return {
    status: "failed",
    because:
      (await lastWords)
        .trim()
        .split("\n")
        .at(-1)
        ?.replace(/^assay: /, "") ?? "",
  };
}

function checkMsOf(dataDir: string): number {
  return checkMsMin + (storeBytesOf(dataDir) / bytesPerSecondMin) * 1_000;
}

/** 0 for a file that cannot be reached: the check says why. */
function storeBytesOf(dataDir: string): number {
  try {
    return statSync(storeFileOf(dataDir)).size;
  } catch {
    return 0;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<StoreCheckLine, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    // A child that dies may leave a part of a line.
    for (const line of lines) if (line.startsWith("{")) yield JSON.parse(line) as StoreCheckLine;
  }
}
