/** A real nats-server with JetStream on loopback, with its own port and store folder. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isMissing } from "./missing.ts";
import { portWithoutListener } from "./ports.ts";

const startMsMax = 60_000;
const pollMs = 20;

const searchPath = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
const natsProgram = Bun.which("nats-server", { PATH: searchPath });

/** Condition for `describe.skipIf`. */
export function natsIsMissing(): boolean {
  return isMissing(natsProgram !== null, "nats-server (Debian: nats-server)");
}

export interface NatsServer {
  /** nats://127.0.0.1:PORT, or tls:// with a `tls` block in the configuration. */
  readonly url: string;
  readonly port: number;
  /** Ends the process at once, or lets it end in order. Its store folder stays. */
  stop(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it again on the same port, with the same store folder or an empty one. */
  restart(options?: { readonly emptyStore?: boolean; readonly configuration?: NatsBlocks }): Promise<void>;
  /** Reads its changed configuration without an end of connections that stay allowed. */
  reload(configuration: NatsBlocks): Promise<void>;
  /** Latest output, for messages of failed tests. */
  log(): string;
  /** Ends the process and removes its folder. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a whole configuration has to name. */
export interface NatsPlace {
  /** 127.0.0.1:PORT */
  readonly listen: string;
  readonly storeDir: string;
}

/** Blocks such as `authorization { ... }` and `tls { ... }`, to which port and `jetstream` are added; or a function that writes it all. */
export type NatsBlocks = string | ((place: NatsPlace) => string);

export interface NatsOptions {
  readonly configuration?: NatsBlocks;
  /** A free one by default. */
  readonly port?: number;
}

/** @throws Error with the output of nats-server if it does not start. */
export async function startNats({ configuration = "", port: wanted }: NatsOptions = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), "assay-nats-"));
  const file = join(folder, "nats.conf");
  const store = join(folder, "jetstream");
  const port = wanted ?? portWithoutListener();
  let child: ChildProcess | undefined;
  let output = "";
  let url = "";

  function write(blocks: NatsBlocks): void {
    const listen = `127.0.0.1:${port}`;
    const own = `listen: "${listen}"\njetstream { store_dir: "${store}", max_mem: 64MB, max_file: 4GB }\n`;
    const text = typeof blocks === "string" ? own + blocks : blocks({ listen, storeDir: store });
    url = `${/^\s*tls\s*[:{]/m.test(text) ? "tls" : "nats"}://127.0.0.1:${port}`;
    writeFileSync(file, text);
  }

  async function start(): Promise<void> {
    child = spawn(natsProgram ?? "nats-server", ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (bytes: Buffer) => {
      output = (output + bytes).slice(-200_000);
    });
    const until = Date.now() + startMsMax;
    while (!(await answers(port))) {
      if (child.exitCode !== null || Date.now() > until) {
        child.kill("SIGKILL");
        throw new Error(`nats-server did not start:\n${output}`);
      }
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
    url,
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
      const before = output.length;
      child?.kill("SIGHUP");
      const until = Date.now() + startMsMax;
      while (!/Reloaded server configuration/.test(output.slice(before))) {
        if (/Failed to reload/.test(output.slice(before)) || Date.now() > until) throw new Error(`nats-server did not reload:\n${output}`);
        await wait(pollMs);
      }
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
