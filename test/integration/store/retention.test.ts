/** Retention: which evidence and pictures are removed, what stays, and that a walk in steps finds all. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RetentionRules } from "../../../src/store/retention.ts";
import type { Store } from "../../../src/store/store.ts";
import { removeDueEvidence } from "../../support/evidence-removal.ts";
import { pixelJpeg, type SiteName, storeSite } from "../../support/finished-scans.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const now = new Date("2026-11-20T12:00:00Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const rules: RetentionRules = { evidenceDays: 30, scansPerHost: null, screenshots: 100 };

let temporary: TemporaryStore;
let store: Store;

beforeEach(() => {
  temporary = temporaryStore();
  store = temporary.store;
});
afterEach(() => temporary.stop());

const scanned = (days: number, site: SiteName = "sound", location?: string) =>
  storeSite(store, site, { at: daysAgo(days), screenshot: pixelJpeg, ...(location === undefined ? {} : { location }) });

const walk = (given: Partial<RetentionRules> = {}) => removeDueEvidence(store, { ...rules, ...given }, now);

describe("evidence", () => {
  test("of old scans is removed with its picture; result, summary and lists stay, and the scan says when", async () => {
    const old = await scanned(31);
    const young = await scanned(29);
    const before = { result: store.results.find(old.token), list: store.publicScans.list({ limit: 9, cursor: null }).items.length };
    expect(await walk()).toBe(1);
    expect([store.evidence.has(old.token), store.screenshots.has(old.token)]).toEqual([false, false]);
    expect([store.evidence.has(young.token), store.screenshots.has(young.token)]).toEqual([true, true]);
    const at = now.toISOString();
    expect(store.scans.findByToken(old.token)).toEqual({ ...old, removed: { evidence: at, screenshot: at } });
    expect(store.scans.findByToken(young.token)).toEqual(young);
    expect(store.results.find(old.token)).toEqual(before.result);
    expect(store.publicScans.list({ limit: 9, cursor: null }).items).toHaveLength(before.list);
    expect(await walk()).toBe(0);
  });

  test("of failed scans is removed too; that of scans which run or wait is none", async () => {
    const queued = await store.scans.queue({ accountId: null, url: "https://a.test/", now: daysAgo(40) });
    const claimed = await store.scans.claimNext("local", daysAgo(40));
    const evidence = store.evidence.find((await storeLater()).token)?.evidence ?? null;
    await store.scans.fail(claimed?.token ?? "", { code: "timeout", evidence, timings: {}, now: daysAgo(40) });
    expect(await walk()).toBe(1);
    expect(store.scans.findByToken(queued === "full" ? "" : queued.token)?.removed).toEqual({ evidence: now.toISOString() });
  });

  test("stays for the newest scans of each host and location", async () => {
    const sound = [await scanned(5), await scanned(4), await scanned(3), await scanned(2)];
    const elsewhere = [await scanned(5, "sound", "berlin"), await scanned(4, "sound", "berlin")];
    const other = [await scanned(5, "bare"), await scanned(1, "bare")];
    expect(await walk({ scansPerHost: 2 })).toBe(2);
    expect(sound.map(({ token }) => store.evidence.has(token))).toEqual([false, false, true, true]);
    for (const { token } of [...elsewhere, ...other]) expect(store.evidence.has(token)).toBe(true);
    expect(await walk({ scansPerHost: 1 })).toBe(3);
    expect(await walk({ scansPerHost: 1 })).toBe(0);
    expect(store.publicScans.list({ limit: 20, cursor: null }).items).toHaveLength(8);
  });

  test("is found by steps of bounded size, each of which goes on behind the last", async () => {
    for (let at = 0; at < 45; at++) await storeSite(store, "silent", { at: daysAgo(31) });
    const removed: number[] = [];
    for (let from: string | null = null, isEnd = false; !isEnd; ) {
      const step = await store.retention.removeEvidence(rules, now, from);
      removed.push(step.removed);
      [from, isEnd] = [step.next, step.next === null];
    }
    expect(Math.max(...removed)).toBeLessThanOrEqual(10);
    expect(removed.reduce((sum, count) => sum + count)).toBe(45);
  });
});

describe("screenshots", () => {
  test("beyond the newest are removed, and their scans say so", async () => {
    const scans = [await scanned(4), await scanned(3), await scanned(2)];
    expect(await store.retention.removeScreenshots({ ...rules, screenshots: 2 }, now)).toBe(1);
    expect(await store.retention.removeScreenshots({ ...rules, screenshots: 2 }, now)).toBe(0);
    expect(scans.map(({ token }) => store.screenshots.has(token))).toEqual([false, true, true]);
    expect(scans.map(({ token }) => store.scans.findByToken(token)?.removed)).toEqual([
      { screenshot: now.toISOString() },
      undefined,
      undefined,
    ]);
    expect(await store.retention.removeScreenshots({ ...rules, screenshots: 0 }, now)).toBe(2);
    expect(scans.map(({ token }) => store.evidence.has(token))).toEqual([true, true, true]);
  });

  test("are not stored at all if none is kept", async () => {
    const none = temporaryStore({ screenshotsKept: 0 });
    const { token } = await storeSite(none.store, "sound", { at: now, screenshot: pixelJpeg });
    expect(none.store.screenshots.has(token)).toBe(false);
    await none.stop();
  });
});

/** A young scan, for its evidence. */
function storeLater() {
  return storeSite(store, "silent", { at: daysAgo(1) });
}
