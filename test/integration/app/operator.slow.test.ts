/** Data of the operator's pages: settings with origin, untrusted forwarding peer, disk space and self-test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOperator, settingsAtStart } from "../../../src/app/operator.ts";
import { createLog } from "../../../src/base/log.ts";
import { type Browsers, openBrowsers } from "../../../src/browser/browser.ts";
import type { Catalog } from "../../../src/catalog/catalog.ts";
import { createCatalogHolder } from "../../../src/catalog/catalog-holder.ts";
import { faultOfFile } from "../../../src/catalog/fault.ts";
import type { CatalogOutcome } from "../../../src/catalog/load.ts";
import type { FleetState } from "../../../src/fleet/worker-operations.ts";
import { loadConfigWithOrigins } from "../../../src/settings/config.ts";
import { noActivity } from "../../../src/store/activity.ts";
import { serverActor } from "../../../src/store/audit.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { browserDir } from "../../support/binary.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { natsIsMissing, startNats } from "../../support/nats.ts";
import { browserIsMissing, browserNote, browserPath } from "../../support/test-browser.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-operator-"));
const catalog: Catalog = {
  checks: [],
  version: "0",
  texts: { "en-gb": {}, "de-de": {} },
  pluginFiles: {},
  warnings: [],
  snapshot: null,
};
let outcome: CatalogOutcome = { catalog, faults: null };
const checks = createCatalogHolder(catalog, { load: async () => outcome, onReload: () => {}, now: () => new Date(0) });
const logged: string[] = [];
const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
const activity = { lastDay: () => noActivity(new Date(0)) };
let store: Store;
let browsers: Browsers;
let dns: DnsServerHandle;

beforeAll(async () => {
  store = openStore(folder, { noSync: true });
  const limits = { childBytesMax: 1_024 ** 3, browserBytesMax: 2 * 1_024 ** 3 };
  browsers = openBrowsers({ path: browserPath, dir: browserDir, sandbox: "auto", limits, log });
  dns = await startDnsServer({ "example.com": { A: ["192.0.2.1"], AAAA: [] } });
});
afterAll(async () => {
  await browsers.stop();
  await store.close();
  dns.stop();
  rmSync(folder, { recursive: true, force: true });
});

const load = (env: Record<string, string>) =>
  loadConfigWithOrigins({
    flags: { data: folder },
    env: { ASSAY_BROWSER_DIR: browserDir, ...(browserPath === null ? {} : { ASSAY_BROWSER_PATH: browserPath }), ...env },
    configFile: null,
  });
const backups = { state: () => ({ lastSuccess: null, lastFailure: null }), nextAt: () => null };
const operatorOf = (env: Record<string, string> = {}) =>
  createOperator(load(env), { store, checks, browsers, fleet: () => null, backups, activity, log });

describe("settings", () => {
  const env = {
    ASSAY_LISTEN: "[::1]:0",
    ASSAY_PUBLIC_URL: "https://assay.test/",
    ASSAY_TRUSTED_PROXIES: "10.0.0.0/8,::1",
    ASSAY_SCAN_ALLOW_PORTS: "8080,8443",
    ASSAY_SCAN_CONNECT_TO: "site.test:443=127.0.0.1:8443,[::1]:80=[::1]:8080",
    ASSAY_SCAN_CA_FILES: join(folder, "ca.pem"),
    ASSAY_GUEST_SCANS: "false",
    ASSAY_SECURITY_CONTACT: "security@assay.test",
  };

  test("are shown in a form that gives the same settings when read again", () => {
    const shown = operatorOf(env).settings;
    const again = Object.fromEntries(shown.flatMap(({ variable, value }) => (value === null ? [] : [[variable, value]])));
    expect(load(again).config).toEqual(load(env).config);
  });

  test("leave out the password of the mail server, on pages and in the audit log", () => {
    const mail = { ASSAY_SMTP_FROM: "Assay <assay@assay.test>", ASSAY_SMTP_URL: "smtps://user:hunter2@mail.test" };
    const loaded = load({ ...env, ...mail });
    for (const shown of [operatorOf({ ...env, ...mail }).settings, settingsAtStart(loaded)]) {
      expect(shown.find(({ key }) => key === "smtp.url")?.value).toBe("smtps://user:***@mail.test:465");
      expect(shown.find(({ key }) => key === "smtp.from")?.value).toBe("Assay <assay@assay.test>");
      expect(JSON.stringify(shown)).not.toContain("hunter2");
    }
  });

  test("have their origin", () => {
    const { settings } = operatorOf(env);
    const of = (key: string) => settings.find((setting) => setting.key === key);
    expect(of("data")).toMatchObject({ origin: "flag", originName: "--data" });
    expect(of("listen")).toMatchObject({ value: "[::1]:0", origin: "variable", originName: "ASSAY_LISTEN" });
    expect(of("dns.servers")).toMatchObject({ value: null, origin: "default", originName: null, variable: "ASSAY_DNS_SERVERS" });
  });
});

test("an untrusted peer with forwarding headers is stored and logged", () => {
  const operator = operatorOf();
  expect(operator.untrustedForwarder()).toBeNull();
  operator.noteUntrustedForwarder("192.0.2.7");
  expect(operator.untrustedForwarder()).toBe("192.0.2.7");
  expect(logged.join("")).toContain('"peer":"192.0.2.7"');
});

test("disk space is that of the data directory", () => {
  const space = operatorOf().diskSpace();
  expect(space?.freeBytes).toBeGreaterThan(0);
  expect(space?.totalBytes).toBeGreaterThanOrEqual(space?.freeBytes ?? Number.POSITIVE_INFINITY);
});

async function examined({ examination }: ReturnType<typeof operatorOf>) {
  examination.begin();
  examination.begin();
  for (;;) {
    const state = examination.state();
    if (state.status === "done") return state.findings;
    await Bun.sleep(20);
  }
}

describe("the doctor inside the server", () => {
  test.skipIf(browserIsMissing)(`scans a page of its own, with a browser that ends afterwards${browserNote}`, async () => {
    const findings = await examined(operatorOf({ ASSAY_DNS_SERVERS: dns.address }));
    expect(findings?.map(({ what, state }) => `${what}: ${state}`)).toEqual(["data directory: ok", "checks: ok", "dns: ok", "browser: ok"]);
  });

  test("reports missing parts", async () => {
    const env = { ASSAY_DNS_SERVERS: "127.0.0.1:9", ASSAY_BROWSER_PATH: join(folder, "none") };
    const findings = await examined(operatorOf(env));
    expect(findings?.filter(({ state }) => state === "failed").map(({ what }) => what)).toEqual(["dns", "browser"]);
  });

  test("names the faults of a refused reload, until one succeeds", async () => {
    const operator = operatorOf({ ASSAY_DNS_SERVERS: dns.address });
    const ofChecks = async () => (await examined(operator))?.find(({ what }) => what === "checks");
    outcome = { catalog: null, faults: [faultOfFile("/checks/own.ts", "no luck")] };
    await operator.checks.reload(serverActor);
    expect(await ofChecks()).toEqual({
      what: "checks",
      state: "failed",
      detail: "the reload at 1970-01-01T00:00:00.000Z changed nothing: check /checks/own.ts: no luck",
    });
    outcome = { catalog, faults: null };
    await operator.checks.reload(serverActor);
    expect(await ofChecks()).toMatchObject({ state: "ok" });
  });

  test.skipIf(natsIsMissing())("names the fault of the fleet beside that of nats-server", async () => {
    await using nats = await startNats();
    const env = { ASSAY_DNS_SERVERS: dns.address, ASSAY_BROWSER_PATH: join(folder, "none"), ASSAY_NATS_URL: nats.url };
    let fault: string | null = null;
    const fleet: FleetState = { state: () => "connected", fault: () => fault, presentWorkers: () => [] };
    const operator = createOperator(load(env), { store, checks, browsers, fleet: () => fleet, backups, activity, log });
    const ofNats = async () => (await examined(operator))?.find(({ what }) => what === "nats");
    expect(operator.natsServers).toBe(nats.url);
    expect(await ofNats()).toMatchObject({ state: "ok", detail: expect.stringContaining("JetStream: on") });
    fault = "another process takes the scans";
    const detail = expect.stringContaining("fleet: another process takes the scans; nats-server 2.");
    expect(await ofNats()).toMatchObject({ state: "failed", detail });
  });

  test("a failed run has no findings, and the log has the reason", async () => {
    const list = () => {
      throw new Error("no store");
    };
    const broken: Store = { ...store, accounts: { ...store.accounts, list } };
    expect(
      await examined(createOperator(load({}), { store: broken, checks, browsers, fleet: () => null, backups, activity, log })),
    ).toBeNull();
    expect(logged.join("")).toContain("no store");
  });
});
