/** Commands of the program in another process, which loads the program once: for what another user, mount or process sees. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type CommandResult, environment, type RunOptions, runInProcess } from "./program.ts";

// reaches: test/support/program.ts

interface CommandCall extends Pick<RunOptions, "env" | "stdin"> {
  readonly args: readonly string[];
}

export interface CommandProcess {
  run(args: readonly string[], options?: Pick<RunOptions, "env" | "stdin">): Promise<CommandResult>;
  end(): Promise<void>;
}

/** `wrapper` is a command that starts the program given after it, as `setpriv` does. One command runs at a time. */
export function startCommandProcess(wrapper: readonly string[] = []): CommandProcess {
  const child = Bun.spawn([...wrapper, process.execPath, import.meta.path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env: environment(),
  });
  const answers = createInterface({ input: Readable.from(child.stdout) })[Symbol.asyncIterator]();
  return {
    run: async (args, options = {}) => {
      child.stdin.write(`${JSON.stringify({ args, ...options } satisfies CommandCall)}\n`);
      await child.stdin.flush();
      const { value } = await answers.next();
      if (value === undefined) throw new Error(`the process of commands ended with ${await child.exited} in ${args.join(" ")}`);
      return JSON.parse(value) as CommandResult;
    },
    end: async () => {
      child.stdin.end();
      await child.exited;
    },
  };
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { args, ...options } = JSON.parse(line) as CommandCall;
    process.stdout.write(`${JSON.stringify(await runInProcess(args, options))}\n`);
  }
}
