/** Head, workers and nats-server as real processes, each with a folder and settings of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../../src/store/store.ts";
import { type ApiClient, apiClient } from "../../support/api-client.ts";
import { browserDir } from "../../support/binary.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { type NatsServer, startNats } from "../../support/nats.ts";
import { type Visitor, visitorOf } from "../../support/pages.ts";
import { programUnderTest, type RunOptions, run, type ServerUnderTest, serve } from "../../support/program.ts";
import { signedIn } from "../../support/signed-in.ts";

const owner = "owner@fleet.test";
const pollMs = 50;
const readyMsMax = 60_000;

export interface TestWorker {
  readonly name: string;
  readonly location: string;
  readonly pid: number;
  /** Everything written to stderr so far. */
  log(): string;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface WorkerOptions {
  /** Port of the nats-server, or of a proxy in between. */
  readonly natsPort?: number;
  /** Further arguments of `assay worker`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it logs when its start is over; by default that the head accepts it. */
  readonly ready?: RegExp;
}

export interface TestFleet {
  readonly nats: NatsServer;
  readonly dataDir: string;
  head(): ServerUnderTest;
  /** Lines of the head's log that contain all these texts. */
  headLines(...texts: readonly string[]): readonly string[];
  readonly api: ApiClient;
  /** Token of the owner, for requests of another kind. */
  readonly token: string;
  /** Makes the keys of a worker and lets the nats-server know them. */
  enrol(name: string, location: string): Promise<void>;
  /** File with the seed of an enrolled worker. */
  seedOf(name: string): string;
  /** Starts the process of an enrolled worker. */
  startWorker(name: string, options?: WorkerOptions): Promise<TestWorker>;
  /** Ends the head and starts it again with the same store. */
  restartHead(signal?: "SIGTERM" | "SIGKILL", whileDown?: () => Promise<void>): Promise<void>;
  /** Starts a scan at a location. @throws Error if the head refuses it. */
  scan(url: string, location?: string): Promise<string>;
  /** Opens the store of the head for one use, as the command line does. */
  withStore<T>(use: (store: Store) => T | Promise<T>): Promise<T>;
  /** The pages, as the owner sees them. */
  asOwner(): Promise<Visitor>;
  /** HTML of its row on `/admin/workers`. */
  shownWorker(name: string): Promise<string>;
  /** Runs a command of the program on the head's data. */
  assay(args: readonly string[], options?: RunOptions): Promise<string>;
  stop(): Promise<void>;
}

export interface FleetOptions {
  /** Names of workers to enrol and start, by location. */
  readonly workers?: Readonly<Record<string, string>>;
  readonly headArgs?: readonly string[];
  readonly headEnv?: Readonly<Record<string, string>>;
  readonly workerArgs?: readonly string[];
}

const fleets = new Set<AsyncDisposableStack>();

/** Ends every fleet that was not stopped, also one whose start failed by a time limit. */
export async function stopFleets(): Promise<void> {
  await Promise.all([...fleets].map((fleet) => fleet.disposeAsync()));
}

/** Loopback sites may be scanned by workers only, unless `headArgs` say otherwise. */
export async function startFleet(options: FleetOptions = {}): Promise<TestFleet> {
  const parts = new AsyncDisposableStack();
  fleets.add(parts);
  parts.defer(() => void fleets.delete(parts));
  try {
    return await startFrom(parts, options);
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** `parts` ends what was started so far, at any time. */
async function startFrom(
  parts: AsyncDisposableStack,
  { workers = {}, headArgs = [], headEnv = {}, workerArgs = [] }: FleetOptions,
): Promise<TestFleet> {
  const folder = mkdtempSync(join(tmpdir(), "assay-fleet-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "head");
  const locations = new Map<string, string>();
  const startingNats = startNats();
  parts.defer(() =>
    startingNats.then(
      (server) => server[Symbol.asyncDispose](),
      () => {},
    ),
  );
  const nats = await startingNats;
  // Knows no names; a resolver that does not answer would cost each scan its deadline.
  const dns = await startDnsServer({});
  parts.defer(() => dns.stop());
  const running = new Set<TestWorker>();
  const ending = new AbortController();
  const { signal } = ending;
  let startingHead: Promise<ServerUnderTest> | undefined;
  parts.defer(async () => {
    // From now on, nothing can be started.
    ending.abort();
    await Promise.all([...running].map((worker) => worker.end("SIGKILL")));
    await startingHead?.then(
      (server) => server.end("SIGKILL"),
      () => {},
    );
  });
  let head: ServerUnderTest;
  let started: Promise<void> = Promise.resolve();

  const seedOf = (name: string) => join(folder, `${name}.nk`);

  async function assay(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await run([...args, "--data", dataDir], { signal, ...options });
    if (code !== 0) throw new Error(`assay ${args.join(" ")}: ${code} ${stderr}`);
    return stdout.trim();
  }

  async function startHead(): Promise<void> {
    const env = { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_READERS: "accounts", ...headEnv };
    startingHead = serve(["--data", dataDir, "--nats", nats.url, "--dns", dns.address, ...headArgs], { env, signal });
    head = await startingHead;
  }

  /** Twice: nats-server 2.9 connects the services of a new account only at the reload after the one that adds it. */
  async function reloadNats(): Promise<void> {
    const accounts = await assay(["fleet", "nats-conf", "--accounts"]);
    await nats.reload(accounts);
    await nats.reload(accounts);
  }

  async function withStore<T>(use: (store: Store) => T | Promise<T>): Promise<T> {
    const store = openStore(dataDir);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  async function enrol(name: string, location: string): Promise<void> {
    await assay(["fleet", "enrol", location, "--name", name, "--out", seedOf(name)]);
    locations.set(name, location);
    await reloadNats();
  }

  function asOwner(): Promise<Visitor> {
    return withStore((store) => {
      const account = store.accounts.findByEmail(owner);
      if (account === undefined) throw new Error(`no account ${owner}`);
      return signedIn({ store, visitor: () => visitorOf(head.url) }, account);
    });
  }

  async function shownWorker(name: string): Promise<string> {
    const id = await withStore(({ workers }) => workers.list().find((worker) => worker.name === name)?.id);
    const html = await (await (await asOwner()).get("/admin/workers")).text();
    return new RegExp(`<tr id="${id}".*?</tr>`, "s").exec(html)?.[0] ?? "";
  }

  await assay(["user", "create", owner, "--admin"]);
  const token = await assay(["token", "create", "--user", owner, "--name", "fleet"]);
  await reloadNats();
  await startHead();

  async function startWorker(
    name: string,
    { natsPort = nats.port, args = [], env = {}, ready = /accepted/ }: WorkerOptions = {},
  ): Promise<TestWorker> {
    const location = locations.get(name) ?? "";
    const child = Bun.spawn(
      [
        ...[
          ...programUnderTest,
          "worker",
          "--nats",
          `nats://127.0.0.1:${natsPort}`,
          "--location",
          location,
          "--nats-credentials",
          seedOf(name),
        ],
        ...["--data", join(folder, `worker-${name}`), "--health", "127.0.0.1:0", "--profile", "internal", "--dns", dns.address],
        ...[...workerArgs, ...args],
      ],
      { stdin: "ignore", stdout: "ignore", stderr: "pipe", env: { ...process.env, ASSAY_BROWSER_DIR: browserDir, ...env }, signal },
    );
    let output = "";
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) output += decoder.decode(chunk, { stream: true });
    })();
    const worker: TestWorker = {
      name,
      location,
      pid: child.pid,
      log: () => output,
      end: async (signal = "SIGTERM") => {
        child.kill(signal);
        await child.exited;
        running.delete(worker);
      },
    };
    running.add(worker);
    await until(
      () => ready.test(output) || child.exitCode !== null || child.signalCode !== null,
      readyMsMax,
      () => output,
    );
    return worker;
  }

  for (const [name, location] of Object.entries(workers)) {
    await enrol(name, location);
    started = started.then(async () => void (await startWorker(name)));
  }
  await started;

  return {
    nats,
    dataDir,
    head: () => head,
    headLines: (...texts) =>
      head
        .stderr()
        .split("\n")
        .filter((line) => texts.every((text) => line.includes(text))),
    // The port of the head changes with each start.
    get api() {
      return apiClient(head.url, token);
    },
    token,
    enrol,
    seedOf,
    startWorker,
    assay,
    restartHead: async (signal = "SIGTERM", whileDown = async () => {}) => {
      await head.end(signal);
      await whileDown();
      await startHead();
    },
    scan: async (url, location) => {
      const response = await fetch(`${head.url}/api/v1/scans`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(location === undefined ? { url } : { url, location }),
      });
      const body = (await response.json()) as { readonly token?: string };
      if (response.status !== 202 || body.token === undefined) throw new Error(`${response.status} ${JSON.stringify(body)}`);
      return body.token;
    },
    withStore,
    asOwner,
    shownWorker,
    stop: () => parts.disposeAsync(),
  };
}

/** @throws Error with the text of `explain` after `ms`. */
export async function until(condition: () => boolean | Promise<boolean>, ms: number, explain: () => string = () => ""): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`it did not happen within ${ms} ms\n${explain()}`);
    await Bun.sleep(pollMs);
  }
}
