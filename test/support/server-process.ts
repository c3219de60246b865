/** Runs third-party server programs in the foreground, as child processes. */

import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { portWithoutListener } from "./ports.ts";

/** Deadline for the first answer. */
const startMs = 60_000;
/** Time between SIGTERM and SIGKILL. */
const stopMs = 20_000;
const pollMs = 25;
/** Attempts to find a port that is free for both protocols. */
const portAttemptsMax = 20;

export interface ServerProcess {
  stop(): Promise<void>;
}

/** Starts the program and waits until `answers` returns true. @throws Error with the program's output if it never does. */
export async function startProcess(command: readonly string[], answers: () => Promise<boolean>): Promise<ServerProcess> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const failedToStart = new Promise<never>((_, reject) => child.once("error", reject));
  const until = Date.now() + startMs;
  while (child.exitCode === null && Date.now() < until) {
    if (await Promise.race([answers(), failedToStart])) return { stop: () => end(child) };
    await Bun.sleep(pollMs);
  }
  await end(child);
  throw new Error(`${program} did not answer within ${startMs} ms: ${output.join("")}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await ended;
  clearTimeout(forced);
}

/** Whether the port of 127.0.0.1 accepts TCP connections. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** Finds a port of 127.0.0.1 that is free for both UDP and TCP. */
export async function freeDnsPort(): Promise<number> {
  for (let attempt = 1; attempt <= portAttemptsMax; attempt++) {
    const port = portWithoutListener();
    const udp = createSocket("udp4");
    const isFree = await new Promise<boolean>((resolve) => {
      udp.once("error", () => resolve(false));
      udp.bind(port, "127.0.0.1", () => resolve(true));
    });
    if (isFree) await new Promise<void>((resolve) => udp.close(resolve));
    if (isFree) return port;
  }
  throw new Error("no port of 127.0.0.1 is free for UDP and TCP");
}
