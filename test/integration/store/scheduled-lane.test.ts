/** The lane of scheduled scans on a real LMDB. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/store/store.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";
import { addSite } from "../../support/watched-sites.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const agencyId = 1;

let temporary: TemporaryStore;
let store: Store;

beforeEach(async () => {
  temporary = temporaryStore();
  store = temporary.store;
  await store.accounts.create({ email: "agency@site.example", now });
});

afterEach(() => temporary.stop());

async function queued(accountId: number | null): Promise<string> {
  const scan = await store.scans.queue({ accountId, url: "https://site.example/", now });
  if (scan === "full") throw new Error("the queue is full");
  return scan.token;
}

const claimed = async () => (await store.scans.claimNext("local", now))?.token;
const positions = (tokens: readonly string[]) => tokens.map((token) => store.scans.queuePosition(token));

describe("the lane of scheduled scans", () => {
  /** Tokens of the scans of one run. */
  async function scheduled(pages: number): Promise<readonly string[]> {
    const host = `https://s${store.sites.count(agencyId)}.example`;
    const site = await addSite(store, {
      accountId: agencyId,
      url: `${host}/`,
      pages: Array.from({ length: pages - 1 }, (_none, at) => `${host}/${at}`),
      now,
    });
    const run = await store.siteRuns.start({ accountId: agencyId, siteId: site.id, kind: "scheduled", now });
    if (typeof run === "string") throw new Error(run);
    return run.scans.map(({ token }) => token);
  }

  test("is served when no person waits, however long its queue is, and keeps the turn of the other lanes", async () => {
    const runs = await scheduled(3);
    const [guest, agency] = [await queued(null), await queued(agencyId)];
    expect(positions([agency, guest, ...runs])).toEqual([1, 2, 3, 4, 5]);
    expect(store.scans.listQueued(9).map(({ token }) => token)).toEqual([agency, guest, ...runs]);
    expect([await claimed(), await claimed(), await claimed()]).toEqual([agency, guest, runs[0]]);
    const later = await queued(agencyId);
    expect([await claimed(), await claimed()]).toEqual([later, runs[1]]);
  });

  test("is passed over by claims for people alone", async () => {
    const [first] = await scheduled(1);
    expect(await store.scans.claimNext("local", now, false)).toBeUndefined();
    const guest = await queued(null);
    expect((await store.scans.claimNext("local", now, false))?.token).toBe(guest);
    expect(await claimed()).toBe(first);
  });

  test("an interrupted scan goes back to it", async () => {
    const [first] = await scheduled(2);
    expect(await claimed()).toBe(first);
    const next = openStore(temporary.dataDir);
    await next.scans.requeueInterrupted(now);
    await next.close();
    const guest = await queued(null);
    expect([await claimed(), await claimed()]).toEqual([guest, first]);
  });
});

test("scans of a busy network are passed over in their lane, keep their places, and hold up none of the others", async () => {
  const networks = ["192.0.2.0", "192.0.2.0", "198.51.100.0"];
  const tokens: string[] = [];
  for (const [at, network] of networks.entries()) {
    const site = await addSite(store, { accountId: agencyId, url: `https://n${at}.example/`, now });
    const run = await store.siteRuns.start({ accountId: agencyId, siteId: site.id, kind: "scheduled", lane: "first", network, now });
    if (typeof run !== "string") tokens.push(...run.scans.map(({ token }) => token));
  }
  const claim = async (...busy: string[]) => (await store.scans.claimNext("local", now, true, new Set(busy)))?.token;
  expect(await claim("192.0.2.0")).toBe(tokens[2]);
  expect(positions(tokens)).toEqual([1, 2, null]);
  expect(await claim("192.0.2.0")).toBeUndefined();
  const guest = await queued(null);
  expect([await claim("192.0.2.0"), await claim(), await claim(), await claim()]).toEqual([guest, tokens[0], tokens[1], undefined]);
});
