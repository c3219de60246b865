/** Page of an unfinished scan: queued, running, failed or unknown. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { progressStages, scanErrorCodes } from "../../../src/evidence/scan.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb, "de-de": deDe };

let pages: PagesUnderTest;
let admin: Visitor;

beforeAll(async () => {
  pages = await startPages();
  admin = await signedIn(pages, await accountIn(pages, "admin@assay.test"));
});
afterAll(() => pages.stop());

async function queue(url = "https://site.test/", by = pages): Promise<string> {
  const scan = await by.store.scans.queue({ accountId: null, url, now: new Date() });
  return scan === "full" ? "" : scan.token;
}

/** The queue must be empty. */
async function failing(code: string, url?: string): Promise<string> {
  const token = await queue(url);
  await pages.store.scans.claimNext("local", new Date());
  await pages.store.scans.fail(token, { code, evidence: null, timings: {}, now: new Date() });
  return token;
}

async function read(path: string, by = pages.visitor()): Promise<string> {
  const html = await (await by.get(path)).text();
  expect(html).not.toContain("{{");
  expect(html).not.toContain("undefined");
  return html;
}

const shown = (html: string) => html.replaceAll(/<[^>]+>/g, "");
const statusOf = (html: string) => /role="status"[^>]*>([^<]*)</.exec(html)?.[1];

describe("a queued or running scan", () => {
  let busy: PagesUnderTest;
  beforeEach(async () => {
    busy = await startPages();
  });
  afterEach(() => busy.stop());

  test("shows its position, then its stage, in both languages and without script", async () => {
    const [first, second] = [await queue("https://site.test/a?b=1", busy), await queue("https://site.test/b", busy)];
    for (const locale of locales) {
      const { progress, scan } = texts[locale].pages;
      const by = busy.visitor();
      const answer = await by.get(`/scans/${second}?locale=${locale}`);
      const html = await answer.text();
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(html).toContain(`<noscript><meta http-equiv="refresh" content="3;url=/scans/${second}?locale=${locale}"/></noscript>`);
      expect(html).toContain(scan.titleOf.replace("{{host}}", "site.test"));
      expect(statusOf(html)).toBe(progress.now.replace("{{stage}}", progress.waiting));
      expect(shown(html)).toContain(progress.position.replace("{{position}}", "2"));
      expect(html).not.toContain('aria-current="step"');
      for (const stage of progressStages) expect(shown(html)).toContain(progress.stages[stage]);
    }
    await busy.store.scans.claimNext("local", new Date());
    expect(statusOf(await read(`/scans/${first}`, busy.visitor()))).toBe(`Now: ${enGb.pages.progress.begins}`);
    await busy.store.scans.setProgress(first, "browsing", 20);
    for (const locale of locales) {
      const html = await read(`/scans/${first}?locale=${locale}`, busy.visitor());
      const { progress } = texts[locale].pages;
      expect(statusOf(html)).toBe(progress.now.replace("{{stage}}", progress.stages.browsing));
      expect(html).toContain('<progress id="progress" max="100" value="20">');
      expect(shown(html)).toContain(progress.runningFor);
      expect(html).toContain('data-stage="browsing" aria-current="step"');
      expect(shown(html)).not.toContain(progress.position.replace("{{position}}", "1"));
    }
  });

  test("sends the same state to polling scripts", async () => {
    const token = await queue("https://site.test/c", busy);
    const answer = await busy.visitor().get(`/scans/${token}/state`);
    expect([answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual(["application/json", "no-store"]);
    const position = busy.store.scans.queuePosition(token);
    expect(await answer.json()).toEqual({
      status: "queued",
      absence: null,
      stage: null,
      percent: 0,
      towards: 0,
      usualMs: null,
      sinceMs: 0,
      position,
      text: `Place ${position} in the queue.`,
    });
  });

  test.each([
    [3_200, "It begins in about 5 seconds."],
    [22_000, "It begins in about 25 seconds."],
    [91_000, "It begins in about 2 minutes."],
  ])("estimates the wait from earlier scans: %i ms", async (waitMs, text) => {
    const waiting = await startPages({
      scanning: { progress: { subscribe: () => null, pace: () => null, waitMs: (position) => position * waitMs } },
    });
    const state = await (await waiting.visitor().get(`/scans/${await queue(undefined, waiting)}/state`)).json();
    expect(state).toMatchObject({ text: `Place 1 in the queue. ${text}` });
    await waiting.stop();
  });
});

describe("a failed scan", () => {
  test.each([...scanErrorCodes, "a-code-of-tomorrow"])("%s shows reason and advice in both languages", async (code) => {
    const token = await failing(code, "https://site.test/x?y=1");
    for (const locale of locales) {
      const html = await read(`/scans/${token}?locale=${locale}`);
      const { scanErrors, pages: expected } = texts[locale];
      const known = Object.hasOwn(scanErrors, code) ? (code as keyof typeof scanErrors) : "unknown";
      expect(shown(html)).toContain(scanErrors[known].replaceAll("{{host}}", "site.test"));
      expect(shown(html).replaceAll("&quot;", '"')).toContain(expected.failed.next[known]);
      expect(html).toContain('value="https://site.test/x?y=1"');
      expect(html).not.toContain('http-equiv="refresh"');
    }
  });

  test("can be repeated by its form", async () => {
    const token = await failing("timeout", "https://again.test/");
    const answer = await pages.visitor().post("/scans", { url: "https://again.test/" }, `/scans/${token}`);
    expect([answer.status, answer.headers.get("location")]).not.toEqual([303, `/scans/${token}`]);
    await pages.store.scans.claimNext("local", new Date());
  });

  test("names the refusing settings only to administrators", async () => {
    const token = await failing("blocked");
    expect(await read(`/scans/${token}`, admin)).toContain("scan.allow_cidrs");
    expect(await read(`/scans/${token}`)).not.toContain("scan.allow_cidrs");
  });

  test("offers no form to guests who may not scan", async () => {
    const closed = await startPages({ config: { "guest.scans": false } });
    const token = await queue(undefined, closed);
    await closed.store.scans.claimNext("local", new Date());
    await closed.store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    expect(await read(`/scans/${token}`, closed.visitor())).not.toContain("<form");
    await closed.stop();
  });
});

describe("unknown scans", () => {
  test("give the same page for any token", async () => {
    const bodies = new Set<string>();
    for (const token of ["0".repeat(22), "x", "%3Cscript%3E", "%", "%00", "a".repeat(5_000), "..%2f..", "1"]) {
      for (const path of [`/scans/${token}`, `/scans/${token}/state`, `/scans/${token}/events`]) {
        const answer = await fetch(`${pages.url}${path}`);
        expect([path, answer.status]).toEqual([path, 404]);
        const id = answer.headers.get("x-request-id") ?? "";
        const html = await answer.text();
        bodies.add(/<main[\s\S]*<\/main>/.exec(html)?.[0].replace(id, "id") ?? "");
      }
    }
    expect(bodies.size).toBe(1);
    expect(pages.logged).toEqual([]);
  });
});
