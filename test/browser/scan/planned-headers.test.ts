/** A watched site with planned headers, on a real page: its next release adds an inline script that they block. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { minuteMs } from "../../../src/base/units.ts";
import { createSiteTicker } from "../../../src/sites/clock.ts";
import { watchPolicy } from "../../../src/sites/site-operations.ts";
import type { Site } from "../../../src/store/sites.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { egressTo, startHttp, type TestServer } from "../../support/servers.ts";
import { type Engine, startEngine } from "./engine.ts";

const testMs = 240_000;
const url = "http://shop.test/";
const folder = mkdtempSync(join(tmpdir(), "assay-planned-"));
const released = "<title>Shop</title><h1>Shop</h1><script src=/cart.js></script>";
const nextRelease = `${released}<script>window.offer = 1</script>`;

let body = released;
let nowMs = Date.now();
let server: TestServer;
let dns: DnsServerHandle;
let engine: Engine;
let site: Site;

const clock = { ...systemClock, now: () => new Date(nowMs) };
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

beforeAll(async () => {
  server = await startHttp({
    "/": (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(body),
    "/cart.js": { headers: { "content-type": "text/javascript" }, body: "window.cart = []" },
    "/busy.js": {
      headers: { "content-type": "text/javascript" },
      body: "setInterval(() => document.body.append(document.createElement('form')), 20)",
    },
    "*": { status: 404, headers: { "content-type": "text/plain" }, body: "" },
  });
  dns = await startDnsServer({ "shop.test": { A: ["127.0.0.1"] } });
  const targets = { "shop.test:80": server, "shop.test:443": { port: portWithoutListener() } };
  const egress = egressTo(targets, { dnsServers: [dns.address] });
  engine = await startEngine({ dataDir: join(folder, "data"), browserDir: join(folder, "browser"), egress, caPems: [], retryClock: clock });
  const { store } = engine;
  const account = await store.accounts.create({ email: "owner@agency.example", now: clock.now() });
  if (typeof account === "string") throw new Error(account);
  const added = await store.sites.add(
    [
      {
        name: "Shop",
        url,
        pages: [],
        client: null,
        tags: [],
        schedule: { every: "daily" },
        accountId: account.id,
        nextRunAt: null,
        now: clock.now(),
      },
    ],
    5,
  );
  const [first = "full"] = added;
  if (typeof first === "string") throw new Error(first);
  site = first;
}, testMs);
afterAll(async () => {
  await engine.stop();
  await server.stop();
  dns.stop();
  rmSync(folder, { recursive: true });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}

const triesSeen = () => engine.lines.filter((line) => line.includes("planned headers tried")).length;
const stored = () => engine.store.sites.find(site.accountId, site.id);
const events = () => engine.store.events.listOfSite(site.accountId, site.id, 50).toReversed();

/** One run of the site, with the try of its headers; the scan has ended by then, and the run is concluded. */
async function run(minute: number): Promise<string> {
  nowMs += minute * minuteMs;
  const before = triesSeen();
  const started = await engine.store.siteRuns.start({ accountId: site.accountId, siteId: site.id, kind: "scheduled", now: clock.now() });
  if (typeof started === "string") throw new Error(started);
  engine.dispatcher.wake();
  await until(() => triesSeen() > before);
  const ticker = createSiteTicker({ store: engine.store, clock, wake: () => {}, log: quiet });
  await ticker.conclude();
  const [scan] = started.scans;
  return engine.store.scans.findByToken(scan?.token ?? "")?.status ?? "";
}

test(
  "the break is reported after a second look, once, with what is blocked; and so is its end",
  async () => {
    const { store } = engine;
    const plan = { policy: null, draft: "hosts", headers: [] } as const;
    const queued = await store.proofs.queue({ accountId: site.accountId, urls: [url], plan, now: clock.now() });
    if (queued === "full") throw new Error(queued);
    engine.dispatcher.wake();
    await until(() => store.proofs.find(queued.token)?.endedAt !== null);
    const proven = store.proofs.result(queued.token);
    expect(proven).toMatchObject({ proven: true });
    const owner = store.accounts.findById(site.accountId);
    if (owner === undefined) throw new Error("the account is gone");
    const context = {
      store,
      now: clock.now,
      log: quiet,
      sites: { wakeClock: () => {} },
      scanning: { wake: () => {}, cancelled: () => {} },
    };
    const watching = await watchPolicy(context, { owner, by: owner }, { id: site.id, proof: queued, body: proven });
    expect(watching).toMatchObject({ done: { policy: { url, brokenSince: null } } });

    expect(await run(1)).toBe("finished");
    expect(stored()?.policy).toMatchObject({ brokenSince: null, reported: false, triedAt: clock.now().toISOString() });

    body = nextRelease;
    expect(await run(60)).toBe("finished");
    expect(stored()).toMatchObject({ policy: { reported: false, brokenSince: clock.now().toISOString() } });
    // The run of the site itself was concluded as always, and kept the look that the try ordered.
    expect(stored()?.secondLookAt).toBe(new Date(nowMs + 10 * minuteMs).toISOString());
    expect(events().filter(({ type }) => type.startsWith("policy."))).toEqual([]);

    await run(10);
    await run(60);
    const reported = events().filter(({ type }) => type.startsWith("policy."));
    expect(reported.map(({ type }) => type)).toEqual(["policy.broken"]);
    expect(reported[0]?.data).toMatchObject({
      url,
      blocked: [{ directive: "script-src-elem", url: null, kind: "inline" }],
      blockedDropped: 0,
    });

    body = released;
    await run(60);
    expect(events().flatMap(({ type }) => (type.startsWith("policy.") ? [type] : []))).toEqual(["policy.broken", "policy.recovered"]);
    expect(stored()?.policy).toMatchObject({ brokenSince: null, reported: false, blocked: [] });
  },
  testMs,
);

test(
  "a page that never comes to rest allows no verdict: nothing is noted, and no event is sent",
  async () => {
    const before = events().length;
    const known = stored()?.policy;
    body = `${released}<script src=/busy.js></script>`;
    expect(await run(60)).toBe("finished");
    expect(stored()?.policy).toEqual(known);
    expect(
      events()
        .slice(before)
        .filter(({ type }) => type.startsWith("policy.")),
    ).toEqual([]);
  },
  testMs,
);

test(
  "headers that are removed are tried no more, and neither are they on another address",
  async () => {
    const { store } = engine;
    await store.sites.change(site.accountId, site.id, () => ({ url: "http://shop.test/cart" }));
    expect(stored()?.policy).toBeNull();
    const before = triesSeen();
    const started = await store.siteRuns.start({ accountId: site.accountId, siteId: site.id, kind: "scheduled", now: clock.now() });
    if (typeof started === "string") throw new Error(started);
    const token = started.scans[0]?.token ?? "";
    engine.dispatcher.wake();
    await until(() => store.scans.findByToken(token)?.endedAt !== null);
    await until(() => engine.dispatcher.running() === 0);
    expect(triesSeen()).toBe(before);
  },
  testMs,
);
