/** Times of a running scan on its page: elapsed, usual, and movement within a stage. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { stagePercent } from "../../../src/evidence/scan.ts";
import { openVisitors, type Visitor, type Visitors } from "../../browser/web/visitors.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";

/** Upper bound for busy machines; the browser usually starts within seconds. */
const patienceMs = 180_000;

let pages: PagesUnderTest;

beforeEach(async () => {
  pages = await startPages();
});
afterEach(() => pages.stop());

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(5);
}

async function queue(): Promise<string> {
  const scan = await pages.store.scans.queue({ accountId: null, url: "https://site.test/", now: new Date() });
  return scan === "full" ? "" : scan.token;
}

describe("usual times", () => {
  let visitors: Visitors;
  beforeAll(async () => {
    visitors = await openVisitors();
  }, patienceMs);
  afterAll(() => visitors.close());

  const { browsing, dns } = stagePercent;
  const shown = (visitor: Visitor) =>
    visitor.page.evaluate(() => ({
      bar: document.querySelector("progress")?.value ?? 0,
      text: document.querySelector("[data-percent]")?.textContent ?? "",
      title: document.title,
      elapsed: document.querySelector("[data-elapsed]")?.textContent ?? "",
      status: document.querySelector("[role=status]")?.textContent ?? "",
    }));

  const secondsIn = (elapsed: string) => Number(/^(\d+) seconds?$/.exec(elapsed)?.[1] ?? 0);

  /** Five scans of 2,340 ms, then one in its longest stage. */
  async function startScan(): Promise<string> {
    for (let at = 5; at > 0; at--) await storeSite(pages.store, "sound", { at: new Date(Date.now() - at * 60_000) });
    const token = await queue();
    await pages.store.scans.claimNext("local", new Date());
    pages.progress.publish(token, { type: "claimed" });
    pages.progress.publish(token, { type: "stage", stage: "browsing", percent: browsing });
    await pages.store.scans.setProgress(token, "browsing", browsing);
    return token;
  }

  test(
    "move the bar within a stage, never to its end, and count the seconds",
    async () => {
      const visitor = await visitors.visitor({ origin: pages.url });
      await visitor.open(`/scans/${await startScan()}`);
      await until(async () => (await shown(visitor)).bar > browsing + 30);
      await until(async () => secondsIn((await shown(visitor)).elapsed) >= 3);
      const { bar, text, title } = await shown(visitor);
      expect(bar).toBeLessThan(dns - 1);
      expect(text).toMatch(/^(5|6)\d%$/);
      expect(title).toBe(`${text} \u00b7 Scan of site.test - assay`);
      await visitor.close();
    },
    patienceMs,
  );

  test(
    "move nothing where motion is not wanted",
    async () => {
      const visitor = await visitors.visitor({ origin: pages.url });
      await visitor.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
      await visitor.open(`/scans/${await startScan()}`);
      const { bar } = await shown(visitor);
      await until(async () => secondsIn((await shown(visitor)).elapsed) >= 2);
      expect((await shown(visitor)).bar).toBe(bar);
      await visitor.close();
    },
    patienceMs,
  );

  test(
    "are shown without script at each refresh",
    async () => {
      const token = await startScan();
      const visitor = await visitors.visitor({ origin: pages.url, script: false });
      const first = await visitor.open(`/scans/${token}`);
      expect(first.html).toContain("On this appliance a scan usually takes 3 seconds.");
      const percentIn = (html: string) => Number(/<title>(\d+)% \u00b7 Scan of site\.test - assay<\/title>/.exec(html)?.[1]);
      await until(async () => percentIn(await (await pages.visitor().get(`/scans/${token}`)).text()) > percentIn(first.html));
      await visitor.close();
    },
    patienceMs,
  );

  test("are left out where too few scans are known", async () => {
    for (let at = 4; at > 0; at--) await storeSite(pages.store, "sound", { at: new Date(Date.now() - at * 60_000) });
    const html = await (await pages.visitor().get(`/scans/${await queue()}`)).text();
    expect(html).not.toContain("usually takes");
    expect(html).toContain("Waiting for");
  });

  test(
    "finished stages are announced together where they are short",
    async () => {
      const token = await startScan();
      const visitor = await visitors.visitor({ origin: pages.url });
      await visitor.open(`/scans/${token}`);
      await until(() => pages.progress.listening() === 1);
      const { stages } = enGb.pages.progress;
      expect((await shown(visitor)).status).toBe(`Now: ${stages.browsing}`);
      pages.progress.publish(token, { type: "stage", stage: "dns", percent: dns });
      await until(async () => (await shown(visitor)).status === `Finished: ${stages.browsing}. Now: ${stages.dns}`);
      for (const stage of ["mail", "analysing"] as const)
        pages.progress.publish(token, { type: "stage", stage, percent: stagePercent[stage] });
      await until(async () => (await shown(visitor)).status === `Finished: ${stages.dns}, ${stages.mail}. Now: ${stages.analysing}`);
      expect(await visitor.page.$$eval("main [aria-live], main [role=status], main [role=alert]", (regions) => regions.length)).toBe(1);
      await visitor.close();
    },
    patienceMs,
  );
});
