/** Rate limits of the scan form, and its answers while queue or disk are full. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import { hourMs } from "../../../src/base/units.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const ask = (url: string, more: Record<string, string>, by: Visitor) => by.post("/scans", { url, ...more }, "/");

describe("limits", () => {
  test("limit guests by address and time, and show the wait", async () => {
    const limited = await startPages({ config: { "guest.rate_per_hour": 2 } });
    const by = limited.visitor();
    for (const host of ["one.test", "two.test"]) expect((await ask(host, {}, by)).status).toBe(303);
    const answer = await ask("three.test", {}, limited.visitor());
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3_590);
    const html = await answer.text();
    expect(html).toContain("Try again in 60 minutes.");
    expect(html).toMatch(/If you are signed in, you may start up to 300 scans an hour\. <a href="\/sign-in">/);
    expect(html).toContain('value="three.test"');
    expect((await ask("one.test", {}, by)).status).toBe(303);
    limited.advanceMs(hourMs - 61_000);
    await by.get("/?locale=de-de");
    expect(await (await ask("three.test", {}, by)).text()).toMatch(/Versuchen Sie es in \d\d Sekunden erneut\./);
    limited.advanceMs(61_000);
    expect((await ask("three.test", {}, by)).status).toBe(303);
    await limited.stop();
  });

  test("limit guests of one network without affecting other networks", async () => {
    let address = "";
    const limited = await startPages({
      config: { "guest.rate_per_hour": 2 },
      addresses: { calling: () => address },
    });
    const by = limited.visitor();
    const statuses: number[] = [];
    for (let at = 0; at < 8; at++) {
      address = `2001:db8:7:${at}::`;
      for (const host of ["one.test", "two.test"]) statuses.push((await ask(host, {}, by)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(303), ...Array(6).fill(429)]);
    for (address of ["2001:db8:8::", "192.0.2.7"]) expect((await ask("one.test", {}, by)).status).toBe(303);
    await limited.stop();
  });

  test("limit an account independently of its address", async () => {
    const limited = await startPages({ config: { "guest.rate_per_hour": 1 } });
    await ask("one.test", {}, limited.visitor());
    const by = await signedIn(limited, await accountIn(limited, "busy@assay.test"));
    const cookie = [...by.cookies].map((pair) => pair.join("=")).join("; ");
    const statuses: number[] = [];
    for (let at = 0; at <= 300; at++) {
      const body = new URLSearchParams({ url: `site-${at}.test` });
      const headers = { cookie, origin: limited.url };
      statuses.push((await fetch(`${limited.url}/scans`, { method: "POST", redirect: "manual", headers, body })).status);
    }
    expect(statuses.slice(0, 300).every((status) => status === 303)).toBe(true);
    expect(statuses[300]).toBe(429);
    await limited.stop();
  });
});

describe("a full server", () => {
  let dir: string;
  let store: Store;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "assay-no-room-"));
    store = openStore(dir, { queueMax: 1 });
  });
  afterAll(async () => {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test("refuses scans while the queue is full", async () => {
    const full = await startPages({ store });
    await ask("one.test", {}, full.visitor());
    const answer = await ask("two.test", {}, full.visitor());
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "30"]);
    const html = await answer.text();
    expect(html).toContain("The queue is full: 1 scan is waiting.");
    expect(html).toContain('value="two.test"');
    await full.stop();
  });

  test("refuses scans while the disk is full, without an internal error", async () => {
    const refusing: Store = {
      ...store,
      scans: {
        ...store.scans,
        queue: async () => {
          throw new DataDirError("full", "there is no room");
        },
      },
    };
    const full = await startPages({ store: refusing });
    const by = full.visitor();
    await by.get("/?locale=de-de");
    const answer = await ask("two.test", {}, by);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain(deDe.pages.home.storeFull);
    expect(full.logged).toEqual([]);
    await full.stop();
  });
});
