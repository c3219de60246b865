/** Tries of planned headers beside a run: a try without a verdict, or with an error, leaves site, run and scan as they are. */
import { afterEach, expect, test } from "vitest";
import { createPolicyRetries } from "../../../src/app/policy-retries.ts";
import type { Scanner } from "../../../src/scan/scanner.ts";
import type { WatchedPolicy } from "../../../src/store/sites.ts";
import { evidence } from "../../support/evidence.ts";
import { addSite } from "../../support/watched-sites.ts";
import { type SiteRig, siteRig } from "./site-rig.ts";

let rig: SiteRig;
afterEach(() => rig.stop());

const url = "https://shop.example/";
const policy: WatchedPolicy = {
  ...{ url, headers: [{ name: "Content-Security-Policy", value: "default-src 'self'" }], proof: "p", savedAt: "2026-11-02T12:00:00.000Z" },
  ...{ triedAt: null, brokenSince: null, reported: false, blocked: [] },
};
type Visit = Scanner["visitUrl"];

async function startRun(given: { readonly policy?: WatchedPolicy; readonly location?: string } = {}) {
  rig = await siteRig();
  const { store, now } = rig;
  const site = await addSite(store, { accountId: 1, url, pages: [`${url}cart`], now: now(), location: given.location ?? "local" });
  await store.sites.change(1, site.id, () => ({ policy: given.policy ?? policy }));
  const run = await store.siteRuns.start({ accountId: 1, siteId: site.id, kind: "scheduled", now: now() });
  if (typeof run === "string") throw new Error(run);
  const scans = run.scans.flatMap(({ token }) => store.scans.findByToken(token) ?? []);
  return { site, scans, stored: () => store.sites.find(1, site.id) };
}

const log: string[] = [];
function retriesWith(visitUrl: Visit) {
  const line = (event: string) => void log.push(event);
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: line };
  return createPolicyRetries({ store: rig.store, scanner: { visitUrl }, onEvents: () => line("events"), clock: rig.clock, log: quiet });
}

test.each([
  ["a visit that fails", async () => "timeout" as const],
  ["a visit that is ended with the server", async () => "interrupted" as const],
])("%s says nothing", async (_name, visit) => {
  const { scans, stored } = await startRun();
  const [first] = scans;
  if (first === undefined) throw new Error("no scan");
  await retriesWith(visit)(first)?.(evidence({ url }), new AbortController().signal);
  expect(stored()).toMatchObject({ policy, secondLookAt: null });
  expect(rig.allEvents()).toEqual([]);
});

test("an error is a line in the log, and no more", async () => {
  const { scans, stored } = await startRun();
  const after = retriesWith(() => Promise.reject(new Error("the browser is gone")));
  const [first] = scans;
  await (first === undefined ? null : after(first))?.(evidence({ url }), new AbortController().signal);
  expect([stored()?.policy, log]).toEqual([policy, ["planned headers not tried"]]);
});

test("only the address of the headers is tried, and only here", async () => {
  const { scans } = await startRun();
  const retries = retriesWith(async () => "timeout");
  expect(scans.map((scan) => retries(scan) === null)).toEqual([false, true]);
  await rig.stop();
  const elsewhere = await startRun({ location: "office" });
  const remote = retriesWith(async () => "timeout");
  expect(elsewhere.scans.map((scan) => remote(scan))).toEqual([null, null]);
  const scan = await rig.store.scans.queue({ accountId: 1, url, now: rig.now() });
  expect(scan === "full" ? scan : remote(scan)).toBeNull();
});
