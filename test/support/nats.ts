/** A real nats-server with JetStream on loopback, with its own port and store folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { closedPort } from "./servers.ts";

const startMsMax = 10_000;
const pollMs = 20;

const searchPath = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
const natsProgram = Bun.which("nats-server", { PATH: searchPath });

/** For `describe.skipIf`: prints one line if nats-server is not installed. In CI its absence is an error. */
export function natsIsMissing(): boolean {
  if (natsProgram !== null) return false;
  if (process.env.CI) throw new Error("nats-server is not installed; test/lab/install.sh installs it");
  process.stderr.write("nats-server is not installed: its tests are skipped (Debian's package nats-server has it)\n");
  return true;
}

export interface NatsServer {
  /** nats://127.0.0.1:PORT, or tls:// with a `tls` block in the configuration. */
  readonly url: string;
  readonly port: number;
  /** Ends the process at once, or lets it end in order. Its store folder stays. */
  stop(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it again on the same port, with the same store folder or an empty one. */
  restart(options?: { readonly emptyStore?: boolean; readonly configuration?: string }): Promise<void>;
  /** Reads its changed configuration without an end of connections that stay allowed. */
  reload(configuration: string): Promise<void>;
  /** Latest output, for messages of failed tests. */
  log(): string;
  /** Ends the process and removes its folder. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface NatsOptions {
  /** Blocks such as `authorization { ... }` and `tls { ... }`; the port and `jetstream` are added. */
  readonly configuration?: string;
}

/** @throws Error with the output of nats-server if it does not start. */
export async function startNats({ configuration = "" }: NatsOptions = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), "assay-nats-"));
  const file = join(folder, "nats.conf");
  const store = join(folder, "jetstream");
  const port = await closedPort();
  let child: ChildProcess | undefined;
  let output = "";

  function write(blocks: string): void {
    const scheme = `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${store}", max_mem: 64MB, max_file: 1GB }\n`;
    writeFileSync(file, scheme + blocks);
  }

  async function start(): Promise<void> {
    child = spawn(natsProgram ?? "nats-server", ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (bytes: Buffer) => {
      output = (output + bytes).slice(-20_000);
    });
    const until = Date.now() + startMsMax;
    while (!(await answers(port))) {
      if (child.exitCode !== null || Date.now() > until) throw new Error(`nats-server did not start:\n${output}`);
      await wait(pollMs);
    }
  }

  async function stop(signal: "SIGKILL" | "SIGTERM" = "SIGTERM"): Promise<void> {
    const ending = child;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await ended;
  }

  write(configuration);
  await start();
  return {
    url: `${/^\s*tls\s*[:{]/m.test(configuration) ? "tls" : "nats"}://127.0.0.1:${port}`,
    port,
    stop,
    restart: async ({ emptyStore = false, configuration: changed } = {}) => {
      await stop();
      if (emptyStore) rmSync(store, { recursive: true, force: true });
      if (changed !== undefined) write(changed);
      await start();
    },
    reload: async (changed) => {
      write(changed);
      child?.kill("SIGHUP");
      await wait(200);
    },
    log: () => output,
    [Symbol.asyncDispose]: async () => {
      await stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: "127.0.0.1", port });
    socket.once("data", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    setTimeout(() => socket.destroy(), 500);
  });
}
