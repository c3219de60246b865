/** Debian's Prometheus scrapes a real server on loopback, in both ways, and every query of the dashboard finds data. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { endServers, type ServerUnderTest, serve } from "../../support/program.ts";
import { isListening, type ServerProcess, startProcess } from "../../support/server-process.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { type Installation, installed } from "./operated.ts";

const testMsMax = 180_000;
/** `METRICS_SCANS` sets another even number. */
const scanCount = Number(process.env.METRICS_SCANS ?? 4);
/** A scrape each second, on a busy machine. */
const scrapedMsMax = 30_000;
const pollMs = 100;
const finished = 'sum(assay_scans_total{job="own-address",outcome="finished"})';
const token = "token-of-the-prometheus-on-loopback";
/** In place of the variables of Grafana. */
const variables: readonly (readonly [RegExp, string])[] = [
  [/\$instance/g, ".*"],
  [/\$__rate_interval/g, "5m"],
];

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

interface QueryAnswer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

const dashboard: Dashboard = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../../docs/dashboards/assay.json"), "utf8"));
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));

describe.skipIf(compiledBinary === null)(`metrics and Prometheus${skippedNote}`, () => {
  let installation: Installation;
  let data: string;
  let site: TestServer;
  let dns: DnsServerHandle;
  let server: ServerUnderTest;
  let prometheus: ServerProcess;
  let prometheusUrl: string;
  let ownPort: string;

  beforeAll(async () => {
    installation = installed();
    data = installation.newFolder("data");
    site = await startHttp({ "*": { status: 200, headers: { "content-type": "text/html" }, body: "<title>fine</title>" } });
    dns = await startDnsServer({ "site.test": { A: ["127.0.0.1"] } });
    const tokenFile = join(installation.folder, "token");
    writeFileSync(tokenFile, `${token}\n`);
    server = await serve(["--data", data, "--profile", "internal", "--log-format", "json"], {
      command: installation.command,
      cwd: installation.folder,
      env: {
        ASSAY_API_RATE_PER_MINUTE: "100000",
        ASSAY_METRICS_LISTEN: "127.0.0.1:0",
        ASSAY_METRICS_TOKEN_FILE: tokenFile,
        ASSAY_DNS_SERVERS: dns.address,
        ASSAY_SCAN_CONNECT_TO: `site.test:80=127.0.0.1:${site.port},site.test:443=127.0.0.1:${portWithoutListener()}`,
      },
    });
    ownPort = /"metrics are served","address":"127.0.0.1","port":(\d+)/.exec(server.stderr())?.[1] ?? "none";
    const port = portWithoutListener();
    prometheusUrl = `http://127.0.0.1:${port}`;
    prometheus = await startProcess(
      prometheusCommand(installation.folder, { port, ownPort, tokenFile, main: new URL(server.url).host }),
      () => isListening(port),
    );
    const apiToken = await apiTokenIn(data);
    // A rate needs two scrapes between which a series grows.
    for (const part of [1, 2]) {
      await scanSites(apiToken, scanCount / 2, server);
      await reaches(finished, (part * scanCount) / 2);
    }
  }, testMsMax);

  afterAll(async () => {
    await prometheus?.stop();
    await endServers();
    await site?.stop();
    dns?.stop();
    installation?.remove();
  });

  async function query(expr: string): Promise<QueryAnswer> {
    const answer = await fetch(`${prometheusUrl}/api/v1/query?${new URLSearchParams({ query: expr })}`);
    return (await answer.json()) as QueryAnswer;
  }

  async function reaches(expr: string, value: number): Promise<void> {
    for (const deadline = Date.now() + scrapedMsMax; (await values(expr))[0] !== value; await Bun.sleep(250))
      if (Date.now() > deadline) throw new Error(`${expr} is ${JSON.stringify(await query(expr))}`);
  }

  /** Values of the query, once it has some that are numbers. */
  async function values(expr: string): Promise<readonly number[]> {
    const deadline = Date.now() + scrapedMsMax;
    for (;;) {
      const { status, error, data: found } = await query(expr);
      if (status !== "success") throw new Error(`${expr}: ${error}`);
      const numbers = (found?.result ?? []).map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
      if (numbers.length > 0 || Date.now() > deadline) return numbers;
      await Bun.sleep(250);
    }
  }

  test("both ways are scraped without an error, and count the same scans", async () => {
    for (const job of ["own-address", "with-token"]) {
      await reaches(`up{job="${job}"}`, 1);
      await reaches(`sum(assay_scans_total{job="${job}",outcome="finished"})`, scanCount);
    }
  });

  test("promtool finds nothing to complain about", async () => {
    const text = await (await fetch(`http://127.0.0.1:${ownPort}/metrics`)).text();
    const child = Bun.spawn(["promtool", "check", "metrics"], { stdin: Buffer.from(text), stdout: "pipe", stderr: "pipe" });
    const printed = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
    expect([await child.exited, printed]).toEqual([0, ""]);
  });

  test.each(queries)(
    "the dashboard's %s has data: %s",
    async (_title, expr) => {
      const asked = variables.reduce((text, [variable, value]) => text.replace(variable, value), expr);
      expect((await values(asked)).length).toBeGreaterThan(0);
    },
    testMsMax,
  );
});

interface Scraped {
  readonly port: number;
  readonly ownPort: string;
  readonly tokenFile: string;
  /** Host and port of pages and API. */
  readonly main: string;
}

/** Scrapes every second, into a folder of its own. */
function prometheusCommand(folder: string, { port, ownPort, tokenFile, main }: Scraped): readonly string[] {
  const configuration = join(folder, "prometheus.yml");
  const storage = join(folder, "prometheus");
  mkdirSync(storage);
  writeFileSync(
    configuration,
    `global: { scrape_interval: 1s }
scrape_configs:
  - job_name: own-address
    static_configs: [{ targets: ["127.0.0.1:${ownPort}"] }]
  - job_name: with-token
    authorization: { credentials_file: "${tokenFile}" }
    static_configs: [{ targets: ["${main}"] }]
`,
  );
  return [
    "prometheus",
    `--config.file=${configuration}`,
    `--storage.tsdb.path=${storage}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ];
}

/** Token of the first account. */
async function apiTokenIn(data: string): Promise<string> {
  const store = openStore(data);
  const account = await store.accounts.create({ email: "first@assay.test", now: new Date() });
  if (typeof account === "string") throw new Error(account);
  const { value } = await store.apiTokens.create({ accountId: account.id, name: "test", now: new Date() });
  await store.close();
  return value;
}

/** Starts so many scans and polls each to its end. */
async function scanSites(apiToken: string, count: number, { url, stderr }: ServerUnderTest): Promise<void> {
  const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
  const deadline = Date.now() + testMsMax;
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, { ...init, headers });
    if (answer.status >= 300 || Date.now() > deadline) throw new Error(`${path}: ${await answer.text()} ${stderr()}`);
    return (await answer.json()) as Record<string, string>;
  };
  for (let at = 0; at < count; at++) {
    const body = JSON.stringify({ url: `http://site.test/${at}` });
    const { statusUrl = "" } = await ask("/api/v1/scans", { method: "POST", body });
    while ((await ask(statusUrl)).status !== "finished") await Bun.sleep(pollMs);
  }
}
