/** A server that a test kills and starts again on its data, with the receivers of its webhooks and mails. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../../src/store/store.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { processesMentioning, type ServerUnderTest, serve } from "../../support/program.ts";
import { startHttps, type TestServer } from "../../support/servers.ts";
import { type MovedClock, movedClock } from "./moved-clock.ts";

/** Deadline of each condition, for the slowest machine. */
const patienceMs = 300_000;
const pollMs = 20;

/** Waits for a condition. @throws Error with `what` if it does not come true. */
export async function untilTrue(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`in vain: ${what}`);
    await Bun.sleep(pollMs);
  }
}

export interface KilledServer {
  readonly clock: MovedClock;
  /** Ends by SIGKILL so far. */
  readonly kills: number;
  /** Lines of the log of all processes that report an error. */
  errors(): readonly string[];
  /** `listening`: resolves before the server is ready. @throws Error if it does not become so. */
  start(until?: "ready" | "listening"): Promise<void>;
  /** Sends SIGKILL at once, and resolves when the process and its browser have ended. */
  kill(): Promise<void>;
  /** Opens the store for one use, beside the server. */
  withStore<T>(use: (store: Store) => Promise<T> | T): Promise<T>;
  /** Answer of the API to a POST. */
  post(path: string, apiToken: string): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Code of an orderly end. */
  end(): Promise<number | null>;
  remove(): void;
}

export interface KilledServerOptions {
  /** Local servers by the `host:port` that they replace. */
  readonly places: Readonly<Record<string, { readonly port: number }>>;
}

export async function createKilledServer({ places }: KilledServerOptions): Promise<KilledServer> {
  const clock = movedClock();
  const data = mkdtempSync(join(tmpdir(), "assay-killed-"));
  const rootFile = join(data, "test-root.pem");
  writeFileSync(rootFile, testAuthority().root.pem);
  const dns = await startDnsServer({});
  const connectTo = Object.entries(places).flatMap(([place, { port }]) => ["--connect-to", `${place}=127.0.0.1:${port}`]);
  const fixed = ["--ca-file", rootFile, "--dns", dns.address, "--allow-cidr", "127.0.0.0/8", "--system-roots", "false"];
  const env = { ...clock.env, ...settingsWith(rootFile) };
  let running: ServerUnderTest | null = null;
  let kills = 0;
  const ended: string[] = [];
  const present = () => {
    if (running === null) throw new Error("the server does not run");
    return running;
  };
  return {
    clock,
    get kills() {
      return kills;
    },
    errors: () => [...ended, running?.stderr() ?? ""].flatMap((log) => log.split("\n")).filter((line) => line.includes('"level":"error"')),
    start: async (until = "ready") => {
      const server = await serve(["--data", data, ...fixed, ...connectTo], { env });
      running = server;
      if (until === "ready") await untilTrue("ready", async () => (await fetch(`${server.url}/readyz`)).ok);
    },
    kill: async () => {
      const server = present();
      running = null;
      await server.end("SIGKILL");
      kills++;
      ended.push(server.stderr());
      await untilTrue("the end of the browser", async () => (await processesMentioning(data)).length === 0);
    },
    withStore: async (use) => {
      const store = openStore(data);
      try {
        return await use(store);
      } finally {
        await store.close();
      }
    },
    post: async (path, apiToken) => {
      const answer = await fetch(present().url + path, { method: "POST", headers: { authorization: `Bearer ${apiToken}` } });
      return { status: answer.status, body: await answer.json() };
    },
    end: async () => {
      const server = present();
      running = null;
      const code = await server.end("SIGTERM");
      ended.push(server.stderr());
      return code;
    },
    remove: () => {
      dns.stop();
      clock.remove();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function settingsWith(rootFile: string): Readonly<Record<string, string>> {
  return {
    ASSAY_API_RATE_PER_MINUTE: "100000",
    ASSAY_LOG_FORMAT: "json",
    ASSAY_PUBLIC_URL: "https://assay.test",
    ASSAY_SMTP_URL: "smtp://mail.test:587",
    ASSAY_SMTP_FROM: "Assay <assay@agency.test>",
    ASSAY_SMTP_CA_FILE: rootFile,
    ASSAY_WEBHOOKS_ALLOW_CIDRS: "127.0.0.1/32",
    ASSAY_WEBHOOKS_CA_FILE: rootFile,
  };
}

export interface SeenWebhook {
  readonly id: string;
  readonly body: string;
}

export interface HookReceiver extends Pick<TestServer, "port" | "stop"> {
  /** In order of arrival; every attempt. */
  readonly seen: readonly SeenWebhook[];
  /**
   * `hang`: no request gets an answer any more. Else the action is called once, at the next request, before or after its answer.
   * Later requests wait for an answer until `null` is set: the server that the action kills must not go on.
   */
  at(instant: "hang" | { readonly before: () => void } | { readonly after: () => void } | null): void;
}

export async function startHookReceiver(): Promise<HookReceiver> {
  const seen: SeenWebhook[] = [];
  let instant: Parameters<HookReceiver["at"]>[0] = null;
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    seen.push({ id: String(request.headers["webhook-id"]), body: Buffer.concat(parts).toString("utf8") });
    const current = instant;
    if (current === "hang") return;
    if (current === null) return void response.writeHead(204).end();
    instant = "hang";
    if ("before" in current) current.before();
    response.writeHead(204).end("after" in current ? current.after : undefined);
  }
  const server = await startHttps(siteIdentity("hooks.test"), {
    // A killed server ends its request in the middle.
    "*": (request, response) => void receive(request, response).catch(() => {}),
  });
  return {
    port: server.port,
    stop: server.stop,
    seen,
    at: (changed) => {
      instant = changed;
    },
  };
}

export interface MailGate {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
  /** `down`: connections are reset. `silent`: they get no byte. `held`: the mail server takes the next mail, and its reply is lost. */
  set(state: "open" | "down" | "silent" | "held"): void;
  close(): void;
}

/** TCP proxy before a mail server. `mailCount`: mails that the server has taken. */
export async function startMailGate(mailPort: number, mailCount: () => number): Promise<MailGate> {
  let state: Parameters<MailGate["set"]>[0] = "open";
  let connections = 0;
  let heldFrom = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    connections++;
    keep(client);
    if (state === "down") return void client.resetAndDestroy();
    if (state === "silent") return void client.resume();
    const upstream = connect(mailPort, "127.0.0.1");
    keep(upstream);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      // The mail server counts a mail before it replies.
      if (state !== "held" || mailCount() === heldFrom) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as { readonly port: number }).port,
    get connections() {
      return connections;
    },
    set: (changed) => {
      state = changed;
      heldFrom = mailCount();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
