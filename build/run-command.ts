/** Runs a command of a build or test script to its end, with its output and its processor time. */
import { join, resolve } from "node:path";

// reads: node_modules/

const root = resolve(import.meta.dirname, "..");

/** Exit code of a shell after SIGINT. */
const signalExitCode = 130;

export interface Ended {
  /** Exit code; 1 after a signal. */
  readonly code: number;
  /** Standard output and standard error. */
  readonly output: string;
  /** Includes the processes that the command started and waited for. */
  readonly cpuSeconds: number;
}

export interface CommandOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with the output as it comes. */
  readonly show?: (text: string) => void;
}

/** Runs in the root of the project, with the programs of its packages on the path. Signals to this process end the command, then the process. */
export async function runCommand(command: readonly string[], { env = {}, show = () => {} }: CommandOptions = {}): Promise<Ended> {
  const child = Bun.spawn([...command], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`, ...env },
  });
  let received: NodeJS.Signals | null = null;
  const forward = (signal: NodeJS.Signals) => {
    received = signal;
    child.kill(signal);
  };
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      output += text;
      show(text);
    }
  };
  await Promise.all([collect(child.stdout), collect(child.stderr), child.exited]);
  process.off("SIGINT", forward);
  process.off("SIGTERM", forward);
  // The signal was meant for the whole script, which may have other commands to run.
  if (received !== null) process.exit(signalExitCode);
  return { code: child.exitCode ?? 1, output, cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 };
}
