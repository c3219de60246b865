/** Public list on a real LMDB: filters and pages. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoredResult } from "../../../src/judge/result.ts";
import type { PublicScanQuery } from "../../../src/store/public-list.ts";
import type { Store } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";
import { emptyResult } from "../../support/stored.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";

const poor: StoredResult = { ...emptyResult, score: 10, band: "poor", rank: "critical" };
const now = new Date("2026-11-21T12:00:00.000Z");

let temporary: TemporaryStore;
let store: Store;

beforeEach(() => {
  temporary = temporaryStore();
  store = temporary.store;
});

afterEach(() => temporary.stop());

async function scanned(url: string, result = emptyResult, accountId: number | null = null, location = "local"): Promise<void> {
  await store.scans.queue({ accountId, url, now, location });
  const scan = await store.scans.claimNext(location, now);
  await store.scans.finish(scan?.token ?? "", { result, evidence: evidence(), timings: {}, now });
}

function found(filter: Partial<PublicScanQuery>): readonly string[] {
  return store.publicScans.list({ limit: 10, cursor: null, ...filter }).items.map(({ url }) => new URL(url).host);
}

describe("the public list", () => {
  test("has only finished scans, of accounts and guests, newest first", async () => {
    await scanned("https://a.example.com/", emptyResult, 1);
    await scanned("https://b.example.com/", poor);
    await store.scans.queue({ accountId: 1, url: "https://waits.example.com/", now });
    await store.scans.claimNext("local", now);
    await store.scans.queue({ accountId: 1, url: "https://waits.example.com/", now });
    expect(found({})).toEqual(["b.example.com", "a.example.com"]);
    expect(found({ band: "poor" })).toEqual(["b.example.com"]);
    expect(found({ band: "unknown" })).toEqual([]);
  });

  test("finds a host with its subdomains, or that host alone", async () => {
    for (const host of ["example.com", "www.example.com", "a.www.example.com", "example.org", "notexample.com", "user.github.io"])
      await scanned(`https://${host}/`);
    expect(found({ host: "example.com" })).toEqual(["a.www.example.com", "www.example.com", "example.com"]);
    expect(found({ host: "www.example.com" })).toEqual(["a.www.example.com", "www.example.com"]);
    expect(found({ host: "www.example.com", exactly: true })).toEqual(["www.example.com"]);
    expect(found({ host: "WWW.Example.COM.", exactly: true })).toEqual(["www.example.com"]);
    expect(found({ host: "user.github.io" })).toEqual(["user.github.io"]);
    for (const host of ["com", "github.io", "ample.com", "=example.com", "", " ", "x".repeat(300), "\0", "a\nb", "*"])
      expect(found({ host })).toEqual([]);
  });

  test("finds local names and addresses", async () => {
    for (const host of ["wiki.corp.local", "printer", "192.0.2.7", "192.0.2.70", "[2001:db8::1]"]) await scanned(`https://${host}/`);
    expect(found({ host: "corp.local" })).toEqual(["wiki.corp.local"]);
    expect(found({ host: "local" })).toEqual([]);
    expect(found({ host: "printer" })).toEqual(["printer"]);
    expect(found({ host: "192.0.2.7" })).toEqual(["192.0.2.7"]);
    expect(found({ host: "2.7" })).toEqual([]);
    expect(found({ host: "2001:db8::1" })).toEqual(["[2001:db8::1]"]);
  });

  test("finds a host of any depth", async () => {
    const deep = `${"a.".repeat(60)}example.com`;
    await scanned(`https://${deep}/`);
    for (const host of [deep, "a.example.com", "example.com"]) expect(found({ host })).toEqual([deep]);
    expect(found({ host: deep, exactly: true })).toEqual([deep]);
    expect(found({ host: deep.slice(2), exactly: true })).toEqual([]);
  });

  test("keeps the scans of an exact host apart by location, and lists all under its domains", async () => {
    const deep = `${"a.".repeat(9)}example.com`;
    for (const host of ["example.com", deep])
      for (const location of ["local", "berlin", "berlin-2", "local", "tokyo", "berlin"])
        await scanned(`https://${host}/${location}`, location === "tokyo" ? poor : emptyResult, null, location);
    await scanned("https://away.example.com/", emptyResult, null, "tokyo");
    const pathsOf = (filter: Partial<PublicScanQuery>) =>
      store.publicScans.list({ limit: 10, cursor: null, ...filter }).items.map(({ url }) => new URL(url).pathname.slice(1));
    for (const host of ["example.com", deep]) {
      const exact = (location?: string, band?: "poor") => pathsOf({ host, exactly: true, location, band });
      expect(exact()).toEqual(["local", "local"]);
      expect(exact("local")).toEqual(exact());
      expect(exact("berlin")).toEqual(["berlin", "berlin"]);
      expect([exact("berlin-2"), exact("tokyo", "poor"), exact("berlin", "poor"), exact("ber")]).toEqual([["berlin-2"], ["tokyo"], [], []]);
      expect(store.publicScans.locationsOfHost(host)).toEqual(["local", "berlin", "berlin-2", "tokyo"]);
    }
    expect(found({ host: deep })).toHaveLength(6);
    expect(found({ host: "example.com", limit: 50 })).toHaveLength(13);
    expect(found({ limit: 50 })).toHaveLength(13);
    expect(found({ host: "example.com", exactly: true, location: "x@y" })).toEqual([]);
    expect(store.publicScans.idsOfHost("example.com", "berlin", { limit: 10, cursor: null })).toEqual([6, 2]);
    expect(store.publicScans.idsOfHost("example.com", "berlin", { limit: 10, cursor: 6 })).toEqual([2]);
    expect(["away.example.com", "ample.com", "com", "*"].map((host) => store.publicScans.locationsOfHost(host))).toEqual([
      ["tokyo"],
      [],
      [],
      [],
    ]);
  });

  test("combines host and band, page by page", async () => {
    for (let count = 0; count < 4; count++) {
      await scanned(`https://www.example.com/${count}`);
      await scanned("https://www.example.com/poor", poor);
      await scanned("https://other.example.net/");
    }
    const query = { host: "example.com", band: "good" as const, limit: 3 };
    const first = store.publicScans.list({ ...query, cursor: null });
    expect(first.items.map(({ url }) => url.at(-1))).toEqual(["3", "2", "1"]);
    const second = store.publicScans.list({ ...query, cursor: first.nextCursor });
    expect(second.items.map(({ url }) => url.at(-1))).toEqual(["0"]);
    expect(second.nextCursor).toBeNull();
  });
});
