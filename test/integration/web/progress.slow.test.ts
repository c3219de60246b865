/** Progress of a scan in a real browser, and with the real engine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { progressStages } from "../../../src/evidence/scan.ts";
import { type Engine, startEngine } from "../../browser/scan/engine.ts";
import { openVisitors, type Visitor, type Visitors } from "../../browser/web/visitors.ts";
import { browserDir } from "../../support/binary.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";
import { egressTo, startHttps, type TestServer } from "../../support/servers.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";
import { browserIsMissing, browserNote } from "../../support/test-browser.ts";
import { type EventStream, openEvents } from "./event-stream.ts";

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

async function queue(url = "https://site.test/", by = pages): Promise<string> {
  const scan = await by.store.scans.queue({ accountId: null, url, now: new Date() });
  return scan === "full" ? "" : scan.token;
}

async function finish(token: string, by = pages): Promise<void> {
  await by.store.scans.finish(token, { ...knownScans.sound, timings: {}, now: new Date() });
  by.progress.publish(token, { type: "finished" });
}

async function claim(by = pages): Promise<void> {
  const scan = await by.store.scans.claimNext("local", new Date());
  by.progress.publish(scan?.token ?? "", { type: "claimed" });
}

const eventsOf = ({ events }: EventStream) =>
  events.map(({ name, data }) => `${name} ${data[name === "done" ? "status" : name] ?? "none"}`);

describe.skipIf(browserIsMissing)(`in a browser${browserNote}`, () => {
  let visitors: Visitors;
  let visitor: Visitor;
  beforeAll(async () => {
    visitors = await openVisitors();
  }, patienceMs);
  afterAll(() => visitors.close());
  afterEach(() => visitor.close());

  /** State as shown on the page. */
  const shownState = () =>
    visitor.page.evaluate(() => ({
      status: document.querySelector("[role=status]")?.textContent,
      now: document.querySelector("[data-now]")?.textContent,
      title: document.title,
      focused: document.activeElement?.tagName,
      clock: [...document.querySelectorAll<HTMLElement>("[data-when]")].find((label) => !label.hidden)?.dataset.when,
      place:
        document.querySelector<HTMLElement>("[data-place]")?.hidden === true ? null : document.querySelector("[data-place]")?.textContent,
      percent: document.querySelector("progress")?.value,
      text: document.querySelector("[data-percent]")?.textContent,
      current: document.querySelector<HTMLElement>("[aria-current=step]")?.dataset.stage,
      marks: [...document.querySelectorAll<HTMLElement>("[data-mark]")].filter((mark) => !mark.hidden).map((mark) => mark.dataset.mark),
    }));

  const marksAt = (current: number) => progressStages.map((_stage, at) => (at < current ? "done" : at === current ? "now" : "next"));

  test(
    "the page follows by events and becomes the report",
    async () => {
      const token = await queue();
      visitor = await visitors.visitor({ origin: pages.url, locale: "de-de" });
      await visitor.open(`/scans/${token}`);
      const { progress } = deDe.pages;
      expect(await shownState()).toMatchObject({
        status: progress.now.replace("{{stage}}", progress.waiting),
        title: "Scan von site.test - assay",
        clock: "queued",
        place: progress.position.replace("{{position}}", "1"),
        percent: 0,
      });
      await until(() => pages.progress.listening() === 1);
      await claim();
      pages.progress.publish(token, { type: "stage", stage: "browsing", percent: 20 });
      await until(async () => (await shownState()).percent === 20);
      expect(await shownState()).toEqual({
        status: progress.now.replace("{{stage}}", progress.stages.browsing),
        now: progress.stages.browsing,
        title: "20\u00a0% \u00b7 Scan von site.test - assay",
        focused: "BODY",
        clock: "running",
        place: null,
        percent: 20,
        text: "20\u00a0%",
        current: "browsing",
        marks: marksAt(3),
      });
      pages.progress.publish(token, { type: "stage", stage: "storing", percent: 97 });
      await until(async () => (await shownState()).current === "storing");
      expect((await shownState()).marks).toEqual(marksAt(7));
      await finish(token);
      await visitor.page.waitForSelector("h1:focus");
      expect(await visitor.page.$("[data-follow]")).toBeNull();
      expect([(await shownState()).focused, new URL(visitor.page.url()).hash]).toEqual(["H1", ""]);
      expect(visitor.complaints).toEqual([]);
    },
    patienceMs,
  );

  test.each(["by events", "by asking"])(
    "the page of a scan that is cancelled says that there is none any more, %s",
    async (how) => {
      const deaf = { progress: { subscribe: () => null, pace: () => null, waitMs: () => null } };
      const served = await startPages(how === "by events" ? {} : { scanning: deaf });
      const account = await accountIn(served, "me@site.test");
      const own = await served.store.scans.queue({ accountId: account.id, url: "https://site.test/", now: new Date() });
      const token = own === "full" ? "" : own.token;
      visitor = await visitors.visitor({ origin: served.url });
      await visitor.open(`/scans/${token}`);
      expect(await visitor.page.$("form[action$='/cancel']")).toBeNull();
      const by = await signedIn(served, account);
      const answer = await by.post(`/scans/${token}/cancel`, {}, `/scans/${token}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account/scans?done=cancelled"]);
      await visitor.page.waitForSelector("h1:focus");
      expect(await visitor.page.$eval("h1", (heading) => heading.textContent)).toBe(enGb.pages.errors.scanNotFound.title);
      await served.stop();
    },
    patienceMs,
  );

  test(
    "the page asks where no events get through",
    async () => {
      const deaf = await startPages({ scanning: { progress: { subscribe: () => null, pace: () => null, waitMs: () => null } } });
      const token = await queue(undefined, deaf);
      visitor = await visitors.visitor({ origin: deaf.url });
      await visitor.open(`/scans/${token}`);
      await deaf.store.scans.claimNext("local", new Date());
      await deaf.store.scans.setProgress(token, "tls", 10);
      await until(async () => (await shownState()).percent === 10);
      expect(await shownState()).toMatchObject({ now: enGb.pages.progress.stages.tls, current: "tls", place: null });
      await deaf.store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now: new Date() });
      await visitor.page.waitForSelector("h1:focus");
      expect(await visitor.page.$eval("h1", (heading) => heading.textContent)).toContain("failed");
      expect((await shownState()).focused).toBe("H1");
      await deaf.stop();
    },
    patienceMs,
  );
});

describe.skipIf(browserIsMissing)(`with the real engine${browserNote}`, () => {
  let engine: Engine;
  let engineDir: string;
  let site: TestServer;
  let dns: DnsServerHandle;
  let served: PagesUnderTest;

  beforeAll(async () => {
    site = await startHttps(siteIdentity("site.test"), { "/": { body: "<!doctype html><title>A page</title>" } });
    dns = await startDnsServer({ "site.test": { A: ["127.0.0.1"] } });
    engineDir = mkdtempSync(join(tmpdir(), "assay-progress-"));
    const egress = egressTo({ "site.test:443": site }, { dnsServers: [dns.address] });
    engine = await startEngine({ dataDir: engineDir, browserDir, egress, caPems: [testAuthority().root.pem] });
    const { store, progress, dispatcher } = engine;
    served = await startPages({ store, scanning: { progress, wake: () => dispatcher.wake() } });
  }, patienceMs);
  afterAll(async () => {
    await served.stop();
    await engine.stop();
    dns.stop();
    await site.stop();
    rmSync(engineDir, { recursive: true, force: true });
  });

  test(
    "from the form to the report",
    async () => {
      const visitor = served.visitor();
      const path = (await visitor.post("/scans", { url: "site.test" }, "/")).headers.get("location") ?? "";
      const stream = await openEvents(`${served.url}${path}/events`);
      await stream.ended;
      const received = eventsOf(stream);
      expect(received.at(-1)).toBe("done finished");
      const stages = stream.events.filter(({ name }) => name === "stage").map(({ data }) => data.stage);
      expect(stages).toEqual(progressStages.filter((stage) => stages.includes(stage)));
      expect(stages.length).toBeGreaterThan(4);
      const percents = stream.events.filter(({ name }) => name === "percent").map(({ data }) => Number(data.percent));
      expect(percents).toEqual([...new Set(percents)].sort((one, other) => one - other));
      expect(percents.at(-1)).toBe(100);
      const report = await visitor.get(path);
      expect([report.status, (await report.text()).includes("data-follow")]).toEqual([200, false]);
      expect(await (await visitor.get("/scans")).text()).toContain(path);
      expect(engine.progress.listening()).toBe(0);
      expect(served.logged).toEqual([]);
    },
    patienceMs,
  );
});
