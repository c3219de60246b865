/** Runs one side of a measurement in a child process, so that both sides do not share a thread. */
import { join } from "node:path";

// reaches: test/bench/
export interface Child<Ready> {
  /** The line of JSON that the child sent when it was ready. */
  readonly ready: Ready;
  stop(): Promise<void>;
}

const running = new Set<Bun.Subprocess>();

/** Ends the children of a part that failed before it could. */
export async function stopLeftChildren(): Promise<void> {
  await Promise.all([...running].map(stopChild));
}

async function stopChild(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
  running.delete(child);
}

/** Starts a script of this folder. @throws Error if it ends before it is ready. */
export async function startChild<Ready>(script: string, input: unknown = null): Promise<Child<Ready>> {
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, script), JSON.stringify(input)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  running.add(child);
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${script} ended before it was ready`);
    text += decoder.decode(value, { stream: true });
  }
  return {
    ready: JSON.parse(text),
    stop: () => stopChild(child),
  };
}

/** In the child: the input from its parent. */
export function childInput<Input>(): Input {
  return JSON.parse(process.argv[2] ?? "null");
}

/** In the child: reports to the parent that it is ready. */
export function sendReady(ready: unknown): void {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}
