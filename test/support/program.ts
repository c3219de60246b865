/** Runs the program as people do, from the source tree or as the compiled binary, and collects what it says. */
import { resolve } from "node:path";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The program and its fixed arguments; the source tree when left out. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

export const fromSource: readonly string[] = [process.execPath, resolve(import.meta.dirname, "../../src/main.ts")];

/** Of this process's environment, without settings that would change what a test expects. */
function environment(given: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSAY_") && name !== "NO_COLOR");
  return { ...Object.fromEntries(inherited), ...given };
}

/** One command line, to its end. */
export async function run(args: readonly string[], { command = fromSource, env, stdin = "", cwd }: RunOptions = {}): Promise<Ended> {
  const child = Bun.spawn([...command, ...args], {
    stdin: Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, stdout, stderr };
}

export interface Serving {
  readonly pid: number;
  readonly url: string;
  /** From spawning the process to the line that says where it listens. */
  readonly startMs: number;
  /** Everything it said on stderr so far. */
  said(): string;
  /** Sends the signal and waits for the end; the exit code, or null when a signal ended it. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

const serving = new Set<Serving>();

/** Ends the servers that a failed test left behind. */
export async function endServers(): Promise<void> {
  for (const server of serving) await server.end("SIGKILL");
}

/** A server on a free port. @throws Error with what it said, when it ends before it listens. */
export async function serve(args: readonly string[], { command = fromSource, env, cwd }: RunOptions = {}): Promise<Serving> {
  const began = performance.now();
  const child = Bun.spawn([...command, "serve", "--listen", "127.0.0.1:0", ...args], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
  });
  let said = "";
  const listening = new Promise<string>((resolve, reject) => {
    (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) {
        said += decoder.decode(chunk, { stream: true });
        const url = /listens on (http:\/\/\S+)/.exec(said)?.[1];
        if (url !== undefined) resolve(url);
      }
      reject(new Error(`ended before it listened: ${said}`));
    })();
  });
  const url = await listening;
  const server: Serving = {
    pid: child.pid,
    url,
    startMs: performance.now() - began,
    said: () => said,
    end: async (signal) => {
      child.kill(signal);
      await child.exited;
      serving.delete(server);
      return child.exitCode;
    },
  };
  serving.add(server);
  return server;
}

/** Ids of processes whose command line mentions the text, as every process of a data directory's browser does. */
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

/** A port that was free a moment ago. Ports of old services will not do: browsers refuse them by themselves. */
export function portWithoutListener(): number {
  const listener = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const port = Number(listener.port);
  listener.stop(true);
  return port;
}
