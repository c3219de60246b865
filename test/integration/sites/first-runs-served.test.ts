/** Clock, networks and dispatcher of the server together, over a real store: the ends of scans alone keep first runs going. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { startDispatcher } from "../../../src/scan/dispatcher.ts";
import { startSiteClock } from "../../../src/sites/clock.ts";
import { createSiteNetworks } from "../../../src/sites/site-networks.ts";
import { failedOutcome } from "../../support/dispatcher-model.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { addSite } from "../../support/watched-sites.ts";

const log = createLog({ level: "error", format: "json", write: () => {} });
/** Turns of the event loop that a scan takes. */
const scanTurns = 5;

test.each([
  ["that share one network", 60, () => "192.0.2.1", 2],
  ["of which two share each network", 60, (host: string) => `198.51.${Number(host.match(/\d+/)?.[0]) % 30}.7`, 3],
  ["without an address", 30, () => null, 3],
] as const)("sites %s are all scanned, with at most so many scans at once", async (_what, count, addressOf, atOnceMax) => {
  const { store, stop } = temporaryStore();
  const clock = fakeClock();
  await store.accounts.create({ email: "owner@agency.example", now: clock.now() });
  for (let at = 0; at < count; at++) await addSite(store, { accountId: 1, url: `https://s${at}.example/`, now: clock.now() });
  const all = Promise.withResolvers<void>();
  const running = new Map<string, string>();
  let [ended, most, mostInNetwork] = [0, 0, 0];

  const dispatcher = await startDispatcher({
    ...{ store, concurrency: 4, remote: null, waitMaxMs: 3_600_000, progress: { publish: () => {} }, log, clock },
    prove: async () => "crashed",
    scanner: {
      scanStored: async (url, { token }) => {
        const { hostname } = new URL(url);
        running.set(token, addressOf(hostname) ?? hostname);
        most = Math.max(most, running.size);
        for (const shared of Map.groupBy(running.values(), (address) => address).values())
          mostInNetwork = Math.max(mostInNetwork, shared.length);
        for (let turn = 0; turn < scanTurns; turn++) await nextTurn();
        running.delete(token);
        return { outcome: failedOutcome("unresolved"), release: async () => {} };
      },
    },
    observer: {
      claimed: () => {},
      begin: () => ({ stage: () => {}, end: () => {} }),
      ended: (scan) => {
        siteClock.scanEnded(scan.token);
        if (++ended === count) all.resolve();
      },
    },
  });
  const networks = createSiteNetworks({
    resolve: async (host) => {
      await nextTurn();
      const address = addressOf(host);
      if (address === null) throw new Error("no such name");
      return [address];
    },
    onKnown: () => siteClock.wake(),
    clock,
  });
  const siteClock = startSiteClock({ store, clock, tickMs: 3_600_000, slotsOf: () => 4, networks, wake: dispatcher.wake, log });
  await all.promise;
  expect([most <= atOnceMax, mostInNetwork <= 2]).toEqual([true, true]);
  await siteClock.stop();
  await dispatcher.stop(0);
  expect(store.sites.list(1).filter(({ lastRunAt }) => lastRunAt === null)).toEqual([]);
  await stop();
});
