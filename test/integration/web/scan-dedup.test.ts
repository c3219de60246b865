/** Equal requests share a scan; another visitor, URL or location is another request. */
import { afterAll, expect, test } from "vitest";
import { createScanDedup } from "../../../src/web/scans/dedup.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const { store, stop } = temporaryStore();
afterAll(stop);

test("a scan is reused for the same visitor, URL and location alone", async () => {
  const now = new Date("2026-11-21T12:00:00.000Z");
  const startOrReuse = createScanDedup<never>({ store, cooldownSeconds: 60, now: () => now });
  const wanted = { visitor: "address 192.0.2.1", url: "https://site.example/", location: "local" };
  const tokenOf = async (change: Partial<typeof wanted>) => {
    const { url, location, ...rest } = { ...wanted, ...change };
    const outcome = await startOrReuse({ url, location, ...rest }, async () => {
      const scan = await store.scans.queue({ accountId: null, url, location, now });
      if (scan === "full") throw new Error("the queue is full");
      return { scan };
    });
    return "scan" in outcome ? outcome.scan.token : "";
  };
  const requests = [{}, { location: "berlin" }, { location: "tokyo" }, { visitor: "address 192.0.2.2" }, { url: "https://site.example/b" }];
  const tokens = await Promise.all([...requests, {}, { location: "berlin" }].map(tokenOf));
  expect(new Set(tokens).size).toBe(requests.length);
  expect(tokens.slice(requests.length)).toEqual([tokens[0], tokens[1]] as string[]);
  expect(await tokenOf({ location: "berlin" })).toBe(tokens[1] ?? "");
});
