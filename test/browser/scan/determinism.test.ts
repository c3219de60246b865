/** The same site gives the same ledger and findings, in any order of responses and with parallel scans. */
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { openBrowsers } from "../../../src/browser/browser.ts";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { openScanner, type Scanner } from "../../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { type Answer, egressTo, type Route, type Routes, startHttp, startHttps } from "../../support/servers.ts";

/** In the suite `places` more often. */
const times = isFullTest ? 10 : 4;
const atOnce = 4;
const testMs = 600_000;
/** Maximum random delay of a response; far below the idle time that a page needs, as a busy machine adds to it. */
const delayMsMax = 60;
const deadlines = { ...defaultDeadlines, settleMs: 1_500, settleMaxMs: 20_000 };

const host = "assay-same-site.org";
const otherHosts = ["one.assay-same-library.net", "two.assay-same-library.net", "assay-same-advert.com"];

/** Zero until a test delays responses. */
let delaysMsMax = 0;
const delayMs = () => Math.random() * delaysMsMax;

const stops: (() => unknown)[] = [];
let scanner: Scanner;

beforeAll(async () => {
  const identity = siteIdentity(host, { names: [host, ...otherHosts] });
  const site = await startHttps(identity, delayed(routes));
  const plain = await startHttp(delayed({ "/": { status: 301, headers: { location: `https://${host}/` } }, "*": { body: "" } }));
  const names = await startDnsServer(zones);
  const slowNames = await startDelays(names.port);
  const dir = mkdtempSync(join(tmpdir(), "assay-determinism-"));
  const log = createLog({ level: "warn", format: "text" });
  const limits = { childBytesMax: 1_024 ** 3, browserBytesMax: 2 * 1_024 ** 3 };
  const browsers = openBrowsers({ path: null, dir, sandbox: "auto", limits, log });
  const https = [host, ...otherHosts].map((name) => [`${name}:443`, site]);
  const http = [host, ...otherHosts].map((name) => [`${name}:80`, plain]);
  scanner = openScanner({
    clock: systemClock,
    egress: egressTo(Object.fromEntries([...https, ...http]), { dnsServers: [slowNames.address] }),
    caPems: [testAuthority().root.pem],
    deadlines,
    concurrency: atOnce,
    catalog: builtInCatalog(),
    browsers,
    workerFiles,
    log,
  });
  stops.push(
    () => rmSync(dir, { recursive: true, force: true }),
    () => browsers.stop(),
    () => site.stop(),
    () => plain.stop(),
    () => names.stop(),
    () => slowNames.stop(),
    () => scanner.close(),
  );
  await scanner.startBrowser();
}, testMs);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function scanned(): Promise<StoredResult> {
  const outcome = await scanner.scanUrl(`https://${host}/`, () => {});
  if (outcome.status === "failed") throw new Error(`the scan failed: ${outcome.code}`);
  return outcome.result;
}

describe("the same site, scanned again and again", () => {
  let first: StoredResult;
  beforeAll(async () => {
    first = await scanned();
  }, testMs);

  test("has many findings", () => {
    expect(first.findings.length).toBeGreaterThan(20);
    expect(first.ledger.filter(({ state }) => state === "passed").length).toBeGreaterThan(10);
  });

  test(
    `gives the same ${times} times`,
    async () => {
      for (let time = 1; time <= times; time++) expect(await scanned()).toEqual(first);
    },
    testMs,
  );

  test(
    "gives the same in any order of responses",
    async () => {
      delaysMsMax = delayMsMax;
      for (let time = 1; time <= times; time++) expect(await scanned()).toEqual(first);
    },
    testMs,
  );

  test(
    `gives the same with ${atOnce} scans at once`,
    async () => {
      delaysMsMax = delayMsMax;
      const results = await Promise.all(Array.from({ length: 3 * atOnce }, scanned));
      for (const result of results) expect(result).toEqual(first);
    },
    testMs,
  );
});

/** Adds a random delay to each response. */
function delayed(given: Routes): Routes {
  return Object.fromEntries(Object.entries(given).map(([path, route]) => [path, delayedRoute(route)]));
}

function delayedRoute(route: Route): Route {
  return (request, response) =>
    void setTimeout(() => {
      if (typeof route === "function") return route(request, response);
      for (const [name, value] of Object.entries({ "content-type": "text/html; charset=utf-8", ...route.headers }))
        response.setHeader(name, typeof value === "string" ? value : [...value]);
      response.statusCode = route.status ?? 200;
      response.end(route.body ?? "");
    }, delayMs());
}

/** Forwards DNS queries and delays the responses at random. */
async function startDelays(port: number): Promise<{ readonly address: string; stop(): void }> {
  const front = createSocket("udp4");
  front.on("message", (question, asker) => {
    const back = createSocket("udp4");
    back.once("message", (answer) => {
      back.close();
      setTimeout(() => front.send(answer, asker.port, asker.address, () => {}), delayMs());
    });
    back.send(question, port, "127.0.0.1");
  });
  await new Promise<void>((resolve) => front.bind(0, "127.0.0.1", () => resolve()));
  return { address: `127.0.0.1:${(front.address() as AddressInfo).port}`, stop: () => front.close() };
}

const many = Array.from({ length: 6 }, (_, at) => at);

const page: Answer = {
  headers: {
    server: "Apache/2.4.1 (Unix)",
    "content-security-policy": "script-src * 'unsafe-inline'; img-src *",
    "x-frame-options": "ALLOWALL",
    "set-cookie": ["session=1; Path=/", "theme=dark; Path=/"],
  },
  body: `<!doctype html><html><head><title>Same</title>
${otherHosts.flatMap((name) => many.map((at) => `<script src="https://${name}/script-${at}.js" async></script>`)).join("\n")}
${many.map((at) => `<script src="/own-${at}.js" async integrity="sha256-0000000000000000000000000000000000000000000="></script>`).join("\n")}
</head><body>
${many.map((at) => `<img src="http://${host}/picture-${at}.png" alt=""><img src="/counter-${at}" alt="">`).join("\n")}
<script>
for (const name of ["a", "b", "c"]) fetch("/data-" + name).then(() => {
  new Image().src = "http://${otherHosts[0]}/late-" + name + ".png";
  document.head.append(Object.assign(document.createElement("script"), { src: "https://${otherHosts[1]}/late-" + name + ".js" }));
  return fetch("/more-" + name);
});
</script>
<form action="http://${host}/in"></form>
</body></html>`,
};

const routes: Routes = {
  "/": { status: 302, headers: { location: "/start", "set-cookie": "auth=1" } },
  "/start": { status: 302, headers: { location: "/page", "strict-transport-security": "max-age=60" } },
  "/page": page,
  ...Object.fromEntries(many.map((at) => [`/counter-${at}`, { headers: { "set-cookie": `csrf-${at}=1; SameSite=None` } }])),
  ...Object.fromEntries(["a", "b", "c"].map((name) => [`/data-${name}`, { headers: { "set-cookie": `login-${name}=1; Secure` } }])),
  ...Object.fromEntries(["a", "b", "c"].map((name) => [`/more-${name}`, { headers: { "set-cookie": `auth-${name}=1` } }])),
  "*": { headers: { "content-type": "text/javascript" }, body: "" },
};

const zones = {
  [host]: {
    A: ["127.0.0.1"],
    MX: [
      { preference: 10, exchange: `mail-a.${host}` },
      { preference: 10, exchange: `mail-b.${host}` },
    ],
    TXT: ["a verification", `v=spf1 include:spf-a.${host} include:spf-b.${host} a mx ?all`],
    CAA: [
      { flags: 0, tag: "issue", value: "one.example" },
      { flags: 0, tag: "issue", value: "two.example" },
    ],
  },
  [`spf-a.${host}`]: { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  [`spf-b.${host}`]: { TXT: [`v=spf1 a:nothing-a.${host} a:nothing-b.${host} a:nothing-c.${host} -all`] },
  [`_dmarc.${host}`]: { TXT: ["v=DMARC1; p=none; rua=mailto:a@assay-same-reports.net,mailto:b@assay-same-reports.com"] },
};
