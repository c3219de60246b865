/** Scans from queue to stored result with real browser, workers, TLS and DNS packets. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blockedPorts, isBlockedPort } from "../../../src/egress/address-policy.ts";
import type { ScanRecord } from "../../../src/store/scans.ts";
import { openStore } from "../../../src/store/store.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { processesMentioning } from "../../support/program.ts";
import { egressTo, startHttp, startHttps, startTcp, type TestServer } from "../../support/servers.ts";
import { type Engine, type EngineOptions, startEngine } from "./engine.ts";

/** A browser may start slowly on a busy machine. */
const testMs = 300_000;

const browserDir = mkdtempSync(join(tmpdir(), "assay-engine-browser-"));
const servers: TestServer[] = [];
let dns: DnsServerHandle;
let options: Omit<EngineOptions, "dataDir">;
let engine: Engine;
let engineDir: string;

/** State of `/slow`: its number of requests and the promise that it awaits. */
let slow: { requests: number; answer: () => void; answered: Promise<void> };

function resetSlow(): void {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  slow = { requests: 0, answer, answered };
}

async function serving(server: Promise<TestServer>): Promise<TestServer> {
  servers.push(await server);
  return server;
}

beforeAll(async () => {
  resetSlow();
  const page = {
    body: "<!doctype html><title>A page</title><script src=/app.js?key=closely-kept></script><form action=/?auth=closely-kept></form>",
  };
  const site = await serving(
    startHttps(siteIdentity("site.test"), {
      "/": {
        ...page,
        headers: {
          "strict-transport-security": "max-age=63072000; includeSubDomains",
          "set-cookie": "id=closely-kept; Secure; HttpOnly",
          "x-auth-token": "closely-kept",
        },
      },
      "/app.js": { body: "1", headers: { "content-type": "text/javascript" } },
      "/favicon.ico": { status: 404, headers: { "set-cookie": "icon=closely-kept; Secure" } },
      "/slow": (_request, response) => {
        slow.requests++;
        void slow.answered.then(() => response.writeHead(200, { "content-type": "text/html" }).end("<title>late</title>"));
      },
    }),
  );
  const plain = await serving(
    startHttp({ "*": { status: 301, headers: { location: "https://site.test/?token=closely-kept", "set-cookie": "id=closely-kept" } } }),
  );
  const silent = await serving(startTcp(() => {}));
  const old = await serving(startHttps(siteIdentity("old.test"), { "/": page }, { minVersion: "TLSv1", maxVersion: "TLSv1" }));
  const other = await serving(
    startHttps(siteIdentity("other.test"), { "/": { status: 302, headers: { location: "https://site.test/" } } }),
  );
  dns = await startDnsServer({ "site.test": { A: ["127.0.0.1"] } });
  const egress = egressTo(
    {
      "site.test:443": site,
      "site.test:80": plain,
      "silent.test:443": silent,
      "silent.test:80": silent,
      "old.test:443": old,
      "other.test:443": other,
      "closed.test:443": { port: portWithoutListener() },
      "closed.test:80": { port: portWithoutListener() },
    },
    { dnsServers: [dns.address] },
  );
  options = { browserDir, egress, caPems: [testAuthority().root.pem] };
  engineDir = mkdtempSync(join(tmpdir(), "assay-engine-"));
  engine = await startEngine({ ...options, dataDir: engineDir });
});

afterAll(async () => {
  await engine.stop();
  dns.stop();
  for (const server of servers) await server.stop();
  for (const dir of [engineDir, browserDir]) rmSync(dir, { recursive: true, force: true });
});

async function until(condition: () => boolean, waitMs = 120_000): Promise<void> {
  for (const deadline = Date.now() + waitMs; !condition(); await Bun.sleep(5)) {
    if (Date.now() > deadline) throw new Error("condition not met in time");
  }
}

/** Polls a scan to its end; `seen` holds each state. */
async function ended(token: string, { store } = engine): Promise<{ scan: ScanRecord; seen: ScanRecord[] }> {
  const seen: ScanRecord[] = [];
  await until(() => {
    const scan = store.scans.findByToken(token);
    if (scan !== undefined) seen.push(scan);
    return scan?.status === "finished" || scan?.status === "failed";
  });
  return { scan: seen.at(-1) as ScanRecord, seen };
}

/** Source of a plugin check. */
function ownCheck(key: string, body: string): string {
  const finding = { title: "t", detail: "d", riskStatement: "r", remediation: "m" };
  const texts = { label: key, reason: "r", findings: { [`security.own.${key}`]: finding } };
  return `import { passed, registerCheck } from "assay/check";
    void passed;
    export default registerCheck({
      key: "${key}", weight: 1, reads: [],
      findings: { "security.own.${key}": { severity: "low", riskLevel: "low", effort: "low" } },
      texts: { "en-gb": ${JSON.stringify(texts)}, "de-de": ${JSON.stringify(texts)} },
      judge() { ${body} },
    });`;
}

const dnsReadings = "dnsCaa dnsIpv6 dnsNameServers dnssec mailDane mailDmarc mailMtaSts mailMx mailSpf mailTlsRpt".split(" ");

describe("a scan through queue, browser, workers and store", () => {
  test(
    "gives every reading, a complete ledger and rising progress",
    async () => {
      const token = await engine.queue("https://site.test/");
      const { scan, seen } = await ended(token);
      expect(scan).toMatchObject({ status: "finished", attempts: 1, progressPercent: 100, errorCode: null });
      const percents = seen.map(({ progressPercent }) => progressPercent);
      expect(percents).toEqual([...percents].sort((a, b) => a - b));
      const stored = engine.store.evidence.find(token);
      const { subject, ...readings } = stored?.evidence ?? {};
      const failures = Object.entries(readings).flatMap(([name, reading]) =>
        reading.status === "failed" ? [`${name}: ${reading.because}`] : [],
      );
      // Names below .test are not in the public DNS.
      expect(failures.sort()).toEqual([...dnsReadings, "mailMtaStsPolicy"].sort().map((name) => `${name}: not-asked`));
      expect(subject).toMatchObject({ url: "https://site.test/", host: "site.test" });
      expect(stored?.evidence.tls).toMatchObject({ facts: { host: "site.test", trusted: true, hostMatches: true } });
      expect(stored?.evidence.plainHttp).toMatchObject({ facts: { outcome: "answered" } });
      expect(JSON.stringify(stored?.evidence.page)).toContain('"icon=<redacted>; Secure"');
      expect(JSON.stringify(stored)).toContain("token=***");
      expect(JSON.stringify(stored)).not.toContain("closely-kept");
      const timed = [
        ..."crossOrigin favicon judge page plainHttp securityTxt tls tlsOffers total mailMtaStsPolicy".split(" "),
        ...dnsReadings,
      ];
      expect(Object.keys(stored?.timings ?? {}).sort()).toEqual(timed.sort());
      const result = engine.store.results.find(token);
      expect(result?.measured).toBe(true);
      expect(result?.ledger.filter((row) => row.notCheckedBecause !== undefined)).toEqual([]);
      expect(engine.store.publicScans.list({ limit: 10, cursor: null }).items.map((item) => item.token)).toContain(token);
      expect([...(engine.store.screenshots.find(token) ?? [])].slice(0, 3)).toEqual([0xff, 0xd8, 0xff]);
    },
    testMs,
  );

  test(
    "judges the TLS of the host that a redirect led to",
    async () => {
      const token = await engine.queue("https://other.test/");
      expect((await ended(token)).scan.status).toBe("finished");
      expect(engine.store.evidence.find(token)?.evidence).toMatchObject({
        tls: { facts: { host: "site.test" } },
        tlsOffers: { facts: { host: "site.test" } },
      });
    },
    testMs,
  );

  test(
    "judges a server that only our own client can read as not measured",
    async () => {
      const token = await engine.queue("https://old.test/");
      expect((await ended(token)).scan).toMatchObject({ status: "finished" });
      expect(engine.store.results.find(token)).toMatchObject({ measured: false, score: null, band: "unknown" });
      const states = new Map(engine.store.results.find(token)?.ledger.map(({ key, state }) => [key, state]));
      expect(["tls-legacy-protocols", "tls-weak-ciphers"].map((key) => states.get(key))).toEqual(["violated", "violated"]);
    },
    testMs,
  );

  test.each([
    ["nothing listens", "https://closed.test/", "refused"],
    ["the name does not exist", "https://nowhere.test/", "unresolved"],
    ["the policy forbids it", "https://10.0.0.1/", "blocked"],
    ["the policy forbids plain http", "http://169.254.169.254/", "blocked"],
    ["nothing listens on plain http", "http://closed.test/", "refused"],
  ])(
    "fails where %s",
    async (_words, url, code) => {
      const token = await engine.queue(url);
      expect((await ended(token)).scan).toMatchObject({ status: "failed", errorCode: code, progressStage: null });
      expect(engine.store.evidence.find(token)?.evidence.navigation).toEqual({ status: "failed", because: code });
      expect(engine.store.results.find(token)).toBeUndefined();
    },
    testMs,
  );

  test(
    "runs several at once",
    async () => {
      const tokens = await Promise.all(Array.from({ length: 6 }, () => engine.queue("https://site.test/")));
      for (const token of tokens) expect((await ended(token)).scan.status).toBe("finished");
      const scores = tokens.map((token) => engine.store.results.find(token)?.score);
      expect(new Set(scores).size).toBe(1);
    },
    testMs,
  );
});

describe("failures during a scan", () => {
  test(
    "a lost browser: the scan is retried once with another",
    async () => {
      resetSlow();
      const token = await engine.queue("https://site.test/slow");
      await until(() => slow.requests > 0);
      for (const pid of await processesMentioning(`${browserDir}/profiles`)) process.kill(pid, "SIGKILL");
      await until(() => slow.requests > 1);
      slow.answer();
      expect((await ended(token)).scan).toMatchObject({ status: "finished", attempts: 1 });
      expect(engine.lines.join("")).toContain("browser broke while gathering");
    },
    testMs,
  );

  test(
    "a throwing plugin check: not checked, and the rest is judged",
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "assay-engine-checks-"));
      const checksDir = join(dataDir, "checks");
      mkdirSync(checksDir);
      writeFileSync(join(checksDir, "own-hanging.ts"), ownCheck("own-hanging", "while (true);"));
      writeFileSync(join(checksDir, "own-sound.ts"), ownCheck("own-sound", "return passed();"));
      writeFileSync(join(checksDir, "own-throwing.ts"), ownCheck("own-throwing", 'throw new Error("on purpose");'));
      const own = await startEngine({ ...options, dataDir, checksDir, deadlines: { judgeMs: 500 } });
      const token = await own.queue("https://site.test/");
      expect((await ended(token, own)).scan.status).toBe("finished");
      const rows = own.store.results.find(token)?.ledger.filter(({ key }) => key.startsWith("own-"));
      expect(rows).toEqual([
        { key: "own-hanging", state: "notChecked", evidence: [], notCheckedBecause: "check-failed", weight: 1 },
        { key: "own-sound", state: "passed", evidence: [], weight: 1 },
        { key: "own-throwing", state: "notChecked", evidence: [], notCheckedBecause: "check-failed", weight: 1 },
      ]);
      expect(own.store.results.find(token)?.measured).toBe(true);
      expect(own.lines.filter((line) => line.includes("check failed") && line.includes("own-"))).toHaveLength(2);
      await own.stop();
      rmSync(dataDir, { recursive: true });
    },
    testMs,
  );

  test(
    "a scan does not reach the proxy of another scan, even with the most permissive egress",
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "assay-engine-loose-"));
      const egress = { ...options.egress, profile: "internal", allowPorts: "any" } as const;
      const loose = await startEngine({ ...options, egress, dataDir });
      resetSlow();
      const beside = await loose.queue("https://site.test/slow");
      await until(() => slow.requests > 0);
      // Ports that the worker opened are shared with this thread.
      const ports = [...new Uint8Array(blockedPorts()).entries()].flatMap(([port, shut]) => (shut === 1 ? [port] : []));
      const errorCodes: (string | null)[] = [];
      for (const port of ports) {
        const token = await loose.queue(`http://127.0.0.1:${port}/json/list`);
        const { errorCode } = (await ended(token, loose)).scan;
        // Skips a port that an earlier test's scan has just released.
        if (isBlockedPort(port)) errorCodes.push(errorCode);
      }
      expect(errorCodes.length).toBeGreaterThan(0);
      expect(new Set(errorCodes)).toEqual(new Set(["blocked"]));
      slow.answer();
      expect((await ended(beside, loose)).scan.status).toBe("finished");
      await loose.stop();
      rmSync(dataDir, { recursive: true });
    },
    testMs,
  );

  test(
    "a silent server takes no longer than the deadline",
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "assay-engine-late-"));
      const hasty = await startEngine({ ...options, dataDir, deadlines: { scanMs: 1_500 } });
      const begun = Date.now();
      const token = await hasty.queue("https://silent.test/");
      expect((await ended(token, hasty)).scan).toMatchObject({ status: "failed", errorCode: "timeout" });
      // The default deadline is 90 s.
      expect(Date.now() - begun).toBeLessThan(60_000);
      await hasty.stop();
      rmSync(dataDir, { recursive: true });
    },
    testMs,
  );

  test(
    "a killed process: the next one finishes its scans",
    async () => {
      resetSlow();
      const dataDir = mkdtempSync(join(tmpdir(), "assay-engine-killed-"));
      const store = openStore(dataDir);
      for (const path of ["", "slow", "slow"]) await store.scans.queue({ accountId: 1, url: `https://site.test/${path}`, now: new Date() });
      await store.close();
      const child = Bun.spawn(
        [process.execPath, join(import.meta.dirname, "engine-in-child.ts"), JSON.stringify({ ...options, dataDir })],
        {
          stdout: "ignore",
          stderr: "inherit",
        },
      );
      await until(() => slow.requests > 1);
      child.kill("SIGKILL");
      await child.exited;
      const waiting = openStore(dataDir, { readOnly: true });
      const statuses = waiting.scans.listOfAccount(1, { limit: 10, cursor: null }).items.map(({ status }) => status);
      expect(statuses).toEqual(["running", "running", "finished"]);
      await waiting.close();

      slow.answer();
      const next = await startEngine({ ...options, dataDir });
      for (const { token, url } of next.store.scans.listOfAccount(1, { limit: 10, cursor: null }).items) {
        const { scan } = await ended(token, next);
        expect(scan).toMatchObject({ status: "finished", attempts: url.endsWith("slow") ? 2 : 1 });
        expect(next.store.results.find(token)?.measured).toBe(true);
      }
      expect([next.store.scans.queueLength(), next.store.scans.runningCount()]).toEqual([0, 0]);
      await next.stop();
      rmSync(dataDir, { recursive: true });
    },
    testMs,
  );
});
