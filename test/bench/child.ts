/** Runs the other side of a measurement in a process of its own, so that it does not share our thread. */
import { join } from "node:path";

export interface Child<Said> {
  /** What it said, as one line of JSON, when it was ready. */
  readonly said: Said;
  stop(): Promise<void>;
}

/** Starts a script of this folder. @throws Error when it ends before it says anything. */
export async function startChild<Said>(script: string, given: unknown = null): Promise<Child<Said>> {
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, script), JSON.stringify(given)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${script} ended before it was ready`);
    text += decoder.decode(value, { stream: true });
  }
  return {
    said: JSON.parse(text),
    stop: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** The child's half: what it was given, and how it says that it is ready. */
export function given<Given>(): Given {
  return JSON.parse(process.argv[2] ?? "null");
}

export function say(said: unknown): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
