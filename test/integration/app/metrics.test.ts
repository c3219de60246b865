/** `/metrics` of a real server: who gets it, and what it says after a scan. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricsTokenOf } from "../../../src/app/observation.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import { openStore } from "../../../src/store/store.ts";
import { endServers, type ServerUnderTest, serve } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-metrics-"));
const dataDir = join(folder, "data");
const tokenFile = join(folder, "token");
const token = "a-token-of-the-prometheus";
const host = "site-of-a-customer.example";
let server: ServerUnderTest;
let ownPort: string;

beforeAll(async () => {
  writeFileSync(tokenFile, `${token}\n`);
  const store = openStore(dataDir, { noSync: true });
  await store.accounts.create({ email: "first@assay.test", now: new Date() });
  await store.scans.queue({ accountId: 1, url: `https://${host}/`, now: new Date() });
  await store.close();
  const env = {
    ASSAY_BROWSER_PATH: "/nonexistent/browser",
    ASSAY_METRICS_TOKEN_FILE: tokenFile,
    ASSAY_METRICS_LISTEN: "127.0.0.1:0",
    ASSAY_LOG_FORMAT: "json",
  };
  server = await serve(["--data", dataDir], { env });
  while (!server.stderr().includes('"scan ended"')) await Bun.sleep(20);
  ownPort = /"metrics are served","address":"127.0.0.1","port":(\d+)/.exec(server.stderr())?.[1] ?? "none";
});

afterAll(async () => {
  await endServers();
  rmSync(folder, { recursive: true });
});

const scrape = (authorization?: string, method = "GET") =>
  fetch(`${server.url}/metrics`, { method, headers: authorization === undefined ? {} : { authorization } });

describe("/metrics beside pages and API", () => {
  test.each([
    ["no token", undefined],
    ["another token", "Bearer a-token-of-the-prometheuS"],
    ["a longer token", `Bearer ${token}x`],
    ["another scheme", `Basic ${token}`],
  ])("is an unknown page with %s", async (_what, authorization) => {
    const [answer, unknown] = await Promise.all([scrape(authorization), fetch(`${server.url}/no-such-page`)]);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, unknown.headers.get("content-type")]);
  });

  test("is served with the token", async () => {
    const answer = await scrape(`bearer ${token}`);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "no-store",
    ]);
  });
});

test("an address of its own serves the metrics without a token, and nothing else", async () => {
  const own = `http://127.0.0.1:${ownPort}`;
  const answers = await Promise.all(["/metrics", "/", "/healthz", "/metrics/"].map((path) => fetch(`${own}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 404]);
});

test("every family has its value after a scan, and no label names a site or an account", async () => {
  await fetch(`${server.url}/scans/${"x".repeat(22)}`);
  const text = await (await scrape(`Bearer ${token}`)).text();
  const lines = text.split("\n");
  for (const line of [
    'assay_scans_total{outcome="failed",lane="agency",location="local"} 1',
    'assay_scans_total{outcome="finished",lane="free",location="local"} 0',
    "assay_scan_duration_seconds_count 1",
    'assay_queue_scans{lane="agency",location="local"} 0',
    "assay_queue_oldest_age_seconds 0",
    "assay_backup_last_success_timestamp_seconds 0",
    'assay_workers{location="local"} 1',
    'assay_http_request_duration_seconds_count{route="/scans/:token",code="404"} 1',
  ])
    expect(lines).toContain(line);
  for (const family of ["assay_store_bytes", "assay_disk_free_bytes", "process_resident_memory_bytes", "process_cpu_seconds_total"])
    expect(text).toMatch(new RegExp(`^${family} [\\d.]+$`, "m"));
  expect(text).toMatch(/^assay_build_info\{version="[\d.]+"\} 1$/m);
  for (const secret of [host, "first@assay.test", "127.0.0.1"]) expect(text).not.toContain(secret);
});

test.each([
  ["short", "fewer-than-16"],
  ["empty", ""],
  ["of two words", "a token with blanks in it"],
  ["not ASCII", "ein-schl\u00fcssel-mit-umlaut"],
])("a token that is %s stops the start", (_what, text) => {
  writeFileSync(join(folder, "bad"), `${text}\n`);
  const config = loadConfig({ flags: { data: folder }, env: { ASSAY_METRICS_TOKEN_FILE: join(folder, "bad") }, configFile: null });
  expect(() => metricsTokenOf(config)).toThrow("must be a token of at least 16");
});
