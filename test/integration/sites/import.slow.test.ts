/** Imports of many sites, as the server runs them: first numbers as fast as slots and networks allow, while people scan at the form. */
import { afterEach, describe, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { location, type ServedScan, type ServedSites, type ServedSitesOptions, serveSites } from "../../support/served-sites.ts";
import { addSite } from "../../support/watched-sites.ts";

const startAt = new Date("2026-03-02T09:00:00Z");
const scanMs = 20_000;
const slots = 4;
/** One slot stays free for people. */
const siteSlots = slots - 1;
/** How much longer than the slots need it may take. */
const share = 1.1;
const people = /^person/;
/** Real time for a test: some 15 seconds of a processor, which others share. */
const patienceMs = 600_000;
/** Longer than a scan of a person, so that one of them scans at a time. */
const personEveryMs = 35_000;

let served: ServedSites | undefined;
afterEach(async () => {
  await served?.stop();
  served = undefined;
});

const numberIn = (host: string) => Number(/\d+/.exec(host)?.[0]);

/** Runs until all of them have had their first scan, with people at the form. */
async function imported(count: number, given: Partial<ServedSitesOptions>): Promise<readonly ServedScan[]> {
  const add = async (store: Store, now: Date) => {
    for (let at = 0; at < count; at++) await addSite(store, { accountId: 1, url: `https://s${at}.example/`, location, now });
  };
  const addressOf = (host: string) =>
    people.test(host) ? "203.0.113.1" : `10.0.${Math.floor(numberIn(host) / 2) % 250}.${1 + (numberIn(host) % 2)}`;
  const running = await serveSites({ startAt, slots, add, addressOf, scanMsOf: () => scanMs, isDead: () => false, ...given });
  served = running;
  const isLeft = () => running.store.sites.list(1).some(({ reading, failingSince }) => reading === null && failingSince === null);
  for (let at = 1; isLeft() && at < 200; at++) {
    await running.passTo(startAt.getTime() + at * personEveryMs);
    await running.scanAtForm(`person${at}.example`);
  }
  expect([isLeft(), running.lines]).toEqual([false, []]);
  const ofPeople = running.scans.filter(({ host }) => people.test(host));
  expect(ofPeople.length).toBeGreaterThan(10);
  expect(ofPeople.filter(({ queuedMs, startedMs }) => startedMs > queuedMs)).toEqual([]);
  return running.scans.filter(({ lane }) => lane === "first");
}

const lastMs = (scans: readonly ServedScan[]) =>
  Math.max(...scans.map(({ endedMs }) => endedMs ?? Number.POSITIVE_INFINITY)) - startAt.getTime();

describe("first numbers after an import", () => {
  test(
    "of 500 sites over 250 networks come within the time of the slots",
    async () => {
      const scans = await imported(500, {});
      expect([scans.length, new Set(scans.map(({ host }) => host)).size, served?.mostInNetwork()]).toEqual([500, 500, 2]);
      expect(lastMs(scans)).toBeLessThanOrEqual((500 / siteSlots) * scanMs * share);
    },
    patienceMs,
  );

  test(
    "of 60 sites on one address come within 30 scan times",
    async () => {
      const scans = await imported(60, { addressOf: (host) => (people.test(host) ? "203.0.113.1" : "192.0.2.1") });
      expect([scans.length, served?.mostInNetwork()]).toEqual([60, 2]);
      expect(lastMs(scans)).toBeLessThanOrEqual(30 * scanMs * share);
    },
    patienceMs,
  );

  test(
    "of 500 sites are delayed by a dead third for no longer than it holds its slots, once each",
    async () => {
      const isDead = (host: string) => !people.test(host) && numberIn(host) % 3 === 0;
      const deadMs = 3 * scanMs;
      const scans = await imported(500, { isDead, scanMsOf: (host) => (isDead(host) ? deadMs : scanMs) });
      const dead = scans.filter(({ host }) => isDead(host));
      expect([scans.length, new Set(scans.map(({ host }) => host)).size, dead.length]).toEqual([500, 500, 167]);
      expect(served?.mostInNetwork()).toBeLessThanOrEqual(2);
      expect(lastMs(scans)).toBeLessThanOrEqual(((333 * scanMs + 167 * deadMs) / siteSlots) * share);
    },
    patienceMs,
  );
});
