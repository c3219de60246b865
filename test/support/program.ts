/** Runs the program within this process or as a process, and collects its output. */
import { resolve } from "node:path";
import { run as runCommandLine } from "../../src/cli/program.ts";
import { browserDir, compiledBinary } from "./binary.ts";

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The program and its fixed arguments; by default `programUnderTest` with `sharedBrowser`. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** Kills the process, and lets no other start, once it has aborted. */
  readonly signal?: AbortSignal;
}

/** Bun would take the paths of imports from the current folder. */
const paths = `--tsconfig-override=${resolve(import.meta.dirname, "../../tsconfig.json")}`;
/** The program as `npm start` runs it. */
export const fromSource: readonly string[] = [process.execPath, paths, resolve(import.meta.dirname, "../../src/main.ts")];

/** The compiled program if the suite has one: it starts in a quarter of the processor time. */
export const programUnderTest: readonly string[] = compiledBinary === null ? fromSource : [compiledBinary];
/** The program as a file that a pipeline can download. */
export const programScript = `#!/bin/sh\nexec ${programUnderTest.join(" ")} "$@"\n`;

/** This process's environment without settings of assay, apart from the browser of tests, plus the given variables. */
export function environment(variables: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSAY_") && name !== "NO_COLOR");
  const browser = process.env.TEST_BROWSER_PATH;
  return { ...Object.fromEntries(inherited), ...(browser === undefined ? {} : { ASSAY_BROWSER_PATH: browser }), ...variables };
}

/** Not for a program that is installed or runs as another user: it unpacks a browser of its own. */
export const sharedBrowser = { ASSAY_BROWSER_DIR: browserDir };

/** What is started, and the variables that it gets. */
function chosen({ command, env }: RunOptions) {
  return command === undefined ? { command: programUnderTest, env: { ...sharedBrowser, ...env } } : { command, env: { ...env } };
}

/** Where and for how long a process runs. */
function placeOf({ cwd, signal }: RunOptions) {
  return { ...(cwd === undefined ? {} : { cwd }), ...(signal === undefined ? {} : { signal, killSignal: "SIGKILL" as const }) };
}

/** Runs one command to its end within this process: for what the command does, not for what a process adds. */
export async function runInProcess(args: readonly string[], { env, stdin = "" }: RunOptions = {}): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  const code = await runCommandLine(args, {
    env: environment(env),
    stdin: new Blob([stdin]),
    isInteractive: () => false,
    writeOut: (text) => {
      output.stdout += text;
    },
    writeError: (text) => {
      output.stderr += text;
    },
  });
  return { code, ...output };
}

/** Runs one command to its end as a process. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  const { command, env } = chosen(options);
  const child = Bun.spawn([...command, ...args], {
    stdin: Buffer.from(options.stdin ?? ""),
    stdout: "pipe",
    stderr: "pipe",
    env: environment(env),
    ...placeOf(options),
  });
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, stdout, stderr };
}

export interface ServerUnderTest {
  readonly pid: number;
  readonly url: string;
  /** Everything written to stderr so far. */
  stderr(): string;
  /** Sends the signal and waits for the end; the exit code, or null when a signal ended it. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

const servers = new Set<ServerUnderTest>();

/** Ends the servers that a failed test left behind. */
export async function endServers(): Promise<void> {
  for (const server of servers) await server.end("SIGKILL");
}

/** Starts a server on a free port. @throws Error with its output if it ends before it listens. */
export function serve(args: readonly string[], options: RunOptions = {}): Promise<ServerUnderTest> {
  const { command, env } = chosen(options);
  return startServer([...command, "serve", "--listen", "127.0.0.1:0", ...args], { ...options, env });
}

/** Starts a server by its whole command line. @throws Error with its output if it ends before it listens. */
export async function startServer(
  commandLine: readonly string[],
  { env, ...options }: Omit<RunOptions, "command"> = {},
): Promise<ServerUnderTest> {
  const child = Bun.spawn([...commandLine], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env: environment(env),
    ...placeOf(options),
  });
  let output = "";
  const listening = new Promise<string>((resolve, reject) => {
    (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) {
        output += decoder.decode(chunk, { stream: true });
        const url = /listens on (http:\/\/\S+)/.exec(output)?.[1];
        if (url !== undefined) resolve(url);
      }
      // It closes its output a little earlier than its files, which the next process opens.
      await child.exited;
      reject(new Error(`ended before it listened: ${output}`));
    })();
  });
  const url = await listening;
  const server: ServerUnderTest = {
    pid: child.pid,
    url,
    stderr: () => output,
    end: async (signal) => {
      child.kill(signal);
      await child.exited;
      servers.delete(server);
      return child.exitCode;
    },
  };
  servers.add(server);
  return server;
}

/** Ids of processes whose command line contains the text; each browser process contains its data directory. */
export async function processesMentioning(text: string): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const pid of new Bun.Glob("[0-9]*").scan({ cwd: "/proc", onlyFiles: false })) {
    const commandLine = await Bun.file(`/proc/${pid}/cmdline`)
      .text()
      .catch(() => "");
    if (commandLine.includes(text)) found.push(Number(pid));
  }
  return found;
}
