/** Newest scan of an account for each host, from a bounded walk. */
import { afterAll, expect, test } from "vitest";
import { temporaryStore } from "../../support/temporary-store.ts";
import { loseRow } from "./damaged-store.ts";

const { store, dataDir, stop } = temporaryStore();
afterAll(stop);

test("the newest scan of each host and location is found, within the limits and for one account only", async () => {
  const now = new Date();
  const queue = async (accountId: number | null, url: string, location?: string) => {
    const scan = await store.scans.queue({ accountId, url, now, location });
    return scan === "full" ? "" : scan.token;
  };
  await queue(1, "https://a.test/");
  const b = await queue(1, "https://b.test/");
  const c = await queue(1, "http://c.test:8080/x");
  await queue(2, "https://elsewhere.test/");
  await queue(null, "https://guest.test/");
  await queue(1, "https://a.test/one");
  const a = await queue(1, "http://A.test./two");
  const tokens = (hostsMax: number, scansMax: number) => store.scans.newestPerHost(1, { hostsMax, scansMax }).map(({ token }) => token);
  expect(tokens(10, 100)).toEqual([a, c, b]);
  expect(tokens(2, 100)).toEqual([a, c]);
  expect(tokens(10, 3)).toEqual([a, c]);
  expect(tokens(10, 2)).toEqual([a]);
  expect(store.scans.newestPerHost(9, { hostsMax: 10, scansMax: 10 })).toEqual([]);
  const elsewhere = await queue(1, "https://a.test/", "berlin");
  await queue(1, "https://b.test/", "berlin");
  const newer = await queue(1, "https://b.test/three", "berlin");
  expect(tokens(10, 100)).toEqual([newer, elsewhere, a, c, b]);
});

test("a scan that is lost hides no older one", async () => {
  const urls = ["https://oldest.test/", "https://lost.test/", "https://newest.test/"];
  const [oldest, lost, newest] = await Promise.all(urls.map((url) => store.scans.queue({ accountId: 7, url, now: new Date() })));
  const tokenOf = (scan: typeof oldest) => (scan === undefined || scan === "full" ? "" : scan.token);
  await loseRow(dataDir, "scans", tokenOf(lost));
  const found = store.scans.newestPerHost(7, { hostsMax: 10, scansMax: 10 }).map(({ token }) => token);
  expect(found).toEqual([newest, oldest].map(tokenOf));
});
