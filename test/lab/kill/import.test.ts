/** A server that is killed while it takes many sites in one request: all sites of the request are there, or none. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { writtenServer } from "./killed-server.ts";
import { openKiller, rounds, seed, tallyOf, testMsMax } from "./killing.ts";

const sitesOfImport = 200;

interface Imported {
  readonly items: readonly { readonly site?: { readonly id: number }; readonly error?: { readonly status: number } }[];
}

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}, seed ${seed}`, () => {
  const { installation, random, expectSound } = openKiller();

  test(
    "import: is there as a whole or not at all, and a repeated one adds no site twice",
    async () => {
      const tally = tallyOf("import", "kills", "ended before", "stored without an answer", "absent without an answer");
      const { start, kill, end, ask, list } = await writtenServer(installation());
      const stored = async () => (await list<{ id: number; url: string }>("/sites")).map(({ id, url }) => ({ id, url }));
      const urlsOf = (round: number) => Array.from({ length: sitesOfImport }, (_, at) => `https://site-${round}-${at}.example/`);
      const send = (urls: readonly string[], asCsv: boolean) =>
        asCsv
          ? ask<Imported>("POST", "/sites/bulk", `url,name\r\n${urls.map((url) => `${url},Name\r\n`).join("")}`)
          : ask<Imported>("POST", "/sites/bulk", { sites: urls.map((url) => ({ url, paused: true })) });
      await start();
      const beganMs = performance.now();
      expect((await send(urlsOf(-1), false))?.status).toBe(200);
      let withinMs = performance.now() - beganMs;
      await ask("DELETE", "/sites/bulk", { ids: (await stored()).map(({ id }) => id) });
      for (let round = 0; tally.count("kills") < rounds; round++) {
        const urls = urlsOf(round);
        const asCsv = random() < 0.5;
        const sentMs = performance.now();
        let answeredMs = 0;
        const importing = send(urls, asCsv).finally(() => {
          answeredMs = performance.now() - sentMs;
        });
        await Bun.sleep(random() * withinMs);
        await kill();
        const reply = await importing;
        if (reply === null) tally.add("kills");
        else tally.add("ended before");
        // The first import was slower than later ones, or the machine was busy.
        if (reply !== null) withinMs = Math.min(withinMs, answeredMs);
        await expectSound(join(installation().folder, "data"));
        await start();
        const found = (await stored()).map(({ url }) => url).toSorted();
        const isStored = found.length > 0;
        expect(found).toEqual(isStored ? urls.toSorted() : []);
        if (reply !== null) expect(isStored).toBe(true);
        else tally.add(isStored ? "stored without an answer" : "absent without an answer");
        const repeated = await send(urls, asCsv);
        const outcomes = new Set(repeated?.body.items.map(({ site, error }) => error?.status ?? (site === undefined ? 0 : 201)));
        expect([...outcomes]).toEqual([isStored ? 409 : 201]);
        const sites = await stored();
        expect(sites.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
        expect((await ask("DELETE", "/sites/bulk", { ids: sites.map(({ id }) => id) }))?.status).toBe(200);
        expect(await stored()).toEqual([]);
      }
      await end();
      tally.print();
    },
    testMsMax,
  );
});
