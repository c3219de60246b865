/** Runs the program as a process for browser tests, with a prefilled store and local sites to scan. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../../src/store/store.ts";
import { type ApiClient, apiClient } from "../../support/api-client.ts";
import { testAuthority } from "../../support/certificates.ts";
import { startDnsServer, type Zones } from "../../support/dns-server.ts";
import { serve } from "../../support/program.ts";

const readyWithinMs = 300_000;

export interface ApplianceOptions {
  /** Fills the store before the program starts. */
  readonly fill?: (store: Store) => Promise<void>;
  /** Local servers by the `host:port` that they replace. */
  readonly sites?: Readonly<Record<string, { readonly port: number }>>;
  readonly zones?: Zones;
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
  /** Settings by environment variable. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Appliance {
  /** Origin without path. */
  readonly origin: string;
  readonly dataDir: string;
  readonly pid: number;
  /** All of stderr so far. */
  stderr(): string;
  /** Opens the program's store for one use, as the command line does. */
  withStore<T>(use: (store: Store) => Promise<T>): Promise<T>;
  /** API token of the first account, which is created if absent. */
  customer(): Promise<ApiClient>;
  stop(): Promise<void>;
}

/** @throws Error if the program does not become ready. */
export async function startAppliance(options: ApplianceOptions = {}): Promise<Appliance> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-browser-pages-"));
  const caFile = join(dataDir, "test-root.pem");
  writeFileSync(caFile, testAuthority().root.pem);
  await using(dataDir, options.fill ?? (async () => {}));
  const dns = await startDnsServer(options.zones ?? {});
  const connectTo = Object.entries(options.sites ?? {}).map(([place, { port }]) => `${place}=127.0.0.1:${port}`);
  const server = await serve(
    [
      ...["--data", dataDir, "--ca-file", caFile, "--dns", dns.address, "--allow-cidr", "127.0.0.0/8", "--system-roots", "false"],
      ...connectTo.flatMap((place) => ["--connect-to", place]),
      ...(options.args ?? []),
    ],
    {
      env: { ASSAY_GUEST_RATE_PER_HOUR: "1000", ASSAY_API_RATE_PER_MINUTE: "100000", ...options.env },
    },
  );
  const deadlineMs = performance.now() + readyWithinMs;
  while ((await fetch(`${server.url}/readyz`)).status !== 200) {
    if (performance.now() > deadlineMs) throw new Error(`not ready in time: ${server.stderr()}`);
    await Bun.sleep(50);
  }
  return {
    origin: server.url,
    dataDir,
    pid: server.pid,
    stderr: server.stderr,
    withStore: (use) => using(dataDir, use),
    customer: () => using(dataDir, async (store) => apiClient(server.url, await apiTokenOf(store))),
    stop: async () => {
      await server.end("SIGTERM");
      dns.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function apiTokenOf(store: Store): Promise<string> {
  const now = new Date();
  const account = store.accounts.list()[0] ?? (await store.accounts.create({ email: "operator@assay.test", now }));
  if (typeof account === "string") throw new Error(account);
  return (await store.apiTokens.create({ accountId: account.id, name: "tests", now })).value;
}

async function using<T>(dataDir: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(dataDir);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
