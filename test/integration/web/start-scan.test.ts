/** The form of `/`: results for all kinds of input, and all reasons for refusal. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { hourMs } from "../../../src/base/units.ts";
import { locales } from "../../../src/check/check.ts";
import { knownScans, storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };

let pages: PagesUnderTest;
let visitor: Visitor;
/** A separate host per test, since requests are deduplicated. */
let site: string;
let tests = 0;

beforeAll(async () => {
  pages = await startPages({ config: { "guest.rate_per_hour": 1_000 } });
});
afterAll(() => pages.stop());
beforeEach(() => {
  visitor = pages.visitor();
  site = `site-${++tests}.test`;
});

const ask = (url: string, more: Record<string, string> = {}, by = visitor) => by.post("/scans", { url, ...more }, "/");
const tokenOf = (answer: Response) => /^\/scans\/([0-9A-Za-z]{22})(?:\?again=1)?$/.exec(answer.headers.get("location") ?? "")?.[1] ?? "";
const urlOf = (answer: Response) => pages.store.scans.findByToken(tokenOf(answer))?.url;
/** HTML unescaped. */
const unescaped = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

describe("typed text", () => {
  test.each([
    ["SITE", "https://SITE/"],
    ["  SITE/path?q=1#part ", "https://SITE/path?q=1"],
    ["SITE:8443", "https://SITE:8443/"],
    ["http://SITE", "http://SITE/"],
    ["HTTPS://SITE/", "https://SITE/"],
    ["//SITE/", "https://SITE/"],
    ["[2001:db8::1]:8080", "https://[2001:db8::1]:8080/"],
    ["b\u00fccher.SITE", "https://xn--bcher-kva.SITE/"],
    ["https://SITE/?", "https://SITE/?"],
  ])("%s starts a scan", async (typed, url) => {
    const answer = await ask(typed.replace("SITE", site));
    expect([answer.status, urlOf(answer)]).toEqual([303, url.replace("SITE", site)]);
    expect(pages.store.scans.findByToken(tokenOf(answer))).toMatchObject({ status: "queued", accountId: null });
  });

  const faults = [
    ["", "empty"],
    ["https://", "invalid"],
    ["a b", "characters"],
    [" Somebody@SITE", "mail-address"],
    ["mailto:somebody@site.test", "mail-address"],
    ["http:///x", "host"],
    ["https://-/", "host"],
    ["-", "host"],
    ["https:SITE", "not-absolute"],
    ["ftp://site.test/", "not-absolute"],
    ["javascript:alert(1)", "invalid"],
    ["<script>alert(1)</script>", "invalid"],
    ["https://site..test/", "host"],
    [`https://site.test/${"x".repeat(2_048)}`, "too-long"],
    [`https://site.test/${"\u00fc".repeat(1_000)}`, "too-long-in-ascii"],
  ] as const;

  test.each(faults)("%s stays in the field with its error", async (typed, fault) => {
    for (const locale of locales) {
      await visitor.get(`/?locale=${locale}`);
      const answer = await ask(typed);
      const html = await answer.text();
      expect(answer.status).toBe(400);
      expect(html).toContain(`<title>${texts[locale].home.errorTitle.replace("{{title}}", "")}`);
      expect(html).toContain(`</svg>${texts[locale].home.faults[fault]}</p>`);
      const input = /<input id="url"[^>]*>/.exec(unescaped(html).replace("</script>", ""))?.[0] ?? "";
      expect(input).toContain(" autofocus");
      expect(input).toContain('aria-describedby="url-error url-hint" aria-invalid="true"');
      expect(unescaped(html)).toContain(typed === "" ? " value " : `value="${typed}"`);
      expect(html).not.toContain("<script>alert");
      expect(html).not.toContain("{{");
      // The language link leads to the form, not to the list at the form's action path.
      expect(html).toContain('href="/?locale=de-de"');
    }
  });

  test("is prefilled by links without starting a scan", async () => {
    const html = await (await visitor.get(`/?url=${encodeURIComponent(`https://${site}/"><b>`)}`)).text();
    expect(html).toContain(`value="https://${site}/&quot;>&lt;b>"`);
    expect(pages.store.scans.listQueued(10_000).some(({ url }) => url.includes(site))).toBe(false);
  });
});

describe("typed secrets", () => {
  test("with user and password are offered only without them", async () => {
    const answer = await ask(`https://user:hunter2@${site}/x`);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(html).toContain(`name="url" value="https://${site}/x"`);
    expect(html).toContain(enGb.pages.publicUrl.credentials);
    expect(html).not.toContain("hunter2");
    expect(html).not.toContain('name="public"');
    expect((await ask(`https://user:hunter2@${site}/x`, { public: "yes" })).status).toBe(200);
  });

  test.each([
    ["/?token=abcdef&x=1", "/?x=1"],
    ["/?x=1&api_key=abcdef", "/?x=1"],
    ["/i.jsp;jsessionid=0A1B2C?x=1", "/i.jsp?x=1"],
    ["/?session=abcdef", "/"],
    ["/p&token=abcdef/q", "/p/q"],
    ["/https://user:secret@other.test/", "/"],
  ])("%s is offered as %s and unchanged", async (path, stripped) => {
    const html = await (await ask(`${site}${path}`)).text();
    const offered = [...unescaped(html).matchAll(/name="url" value="([^"]+)"/g)].map(([, url]) => url);
    expect(offered).toEqual([`https://${site}${stripped}`, `https://${site}${path}`]);
    expect(pages.store.scans.listQueued(10_000).some(({ url }) => url.includes(site))).toBe(false);
    expect(urlOf(await ask(offered[0] ?? ""))).toBe(offered[0] ?? "");
    expect(urlOf(await ask(offered[1] ?? "", { public: "yes" }))).toBe(offered[1] ?? "");
  });

  test("lose user and password first and are then examined again", async () => {
    const html = unescaped(await (await ask(`https://u:p@${site}/?token=abcdef`, { public: "yes" })).text());
    expect([...html.matchAll(/name="url" value="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      `https://${site}/`,
      `https://${site}/?token=abcdef`,
    ]);
  });

  test("are explained in both languages", async () => {
    for (const locale of locales) {
      await visitor.get(`/?locale=${locale}`);
      const html = await (await ask(`https://u:p@${site}/?token=abcdef`)).text();
      expect(html).toContain(texts[locale].visibility.everybody.url.warning);
      expect(html).not.toContain("{{");
    }
  });
});

describe("an equal request", () => {
  test("of the same visitor reuses the queued scan for any spelling", async () => {
    const first = tokenOf(await ask(site));
    expect(tokenOf(await ask(`https://${site}/#part`))).toBe(first);
    expect(tokenOf(await ask(`http://${site}/`))).not.toBe(first);
    pages.advanceMs(hourMs);
    expect(tokenOf(await ask(site))).toBe(first);
  });

  test("at the same time shares one scan, also after the previous one ended", async () => {
    await visitor.get("/");
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const clicks = async () => {
      const body = new URLSearchParams({ url: site });
      const init = { method: "POST", redirect: "manual", headers: { cookie, origin: pages.url }, body } as const;
      const answers = await Promise.all([1, 2, 3].map(() => fetch(`${pages.url}/scans`, init)));
      const tokens = answers.map(tokenOf);
      expect(new Set(tokens).size).toBe(1);
      return tokens[0] ?? "";
    };
    const first = await clicks();
    expect(first).not.toBe("");
    while ((await pages.store.scans.claimNext("local", new Date()))?.token !== first);
    await pages.store.scans.fail(first, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    expect(await clicks()).not.toBe(first);
  });

  test("of another visitor starts a separate scan", async () => {
    const first = tokenOf(await ask(site));
    const somebody = await signedIn(pages, await accountIn(pages, `${site}@assay.test`));
    const second = tokenOf(await ask(site, {}, somebody));
    expect(second).not.toBe(first);
    expect(tokenOf(await ask(site, {}, somebody))).toBe(second);
    expect(pages.store.scans.findByToken(second)?.accountId).not.toBeNull();
  });
});

describe("an equal request after the scan ended", () => {
  let quiet: PagesUnderTest;
  beforeEach(async () => {
    quiet = await startPages({ config: { "guest.rate_per_hour": 1_000 } });
  });
  afterEach(() => quiet.stop());

  test("reuses the report until the cooldown ends", async () => {
    const by = quiet.visitor();
    const first = tokenOf(await ask("cool.test", {}, by));
    await quiet.store.scans.claimNext("local", new Date());
    const { result, evidence } = knownScans.sound;
    await quiet.store.scans.finish(first, { result, evidence, timings: {}, now: new Date() });
    // Ten seconds remain, less the time the test took.
    quiet.advanceMs(50_000);
    const again = await ask("cool.test", {}, by);
    expect(tokenOf(again)).toBe(first);
    const report = again.headers.get("location") ?? "";
    for (const locale of locales) {
      await by.get(`/?locale=${locale}`);
      const [before = "", behind = ""] = texts[locale].report.notices.againMeans.split("{{wait}}");
      expect(await (await by.get(report)).text()).toMatch(new RegExp(`${before}(?:10|\\d) (?:seconds?|Sekunden?)${behind}`));
      expect(await (await by.get(`/scans/${first}`)).text()).not.toContain(texts[locale].report.notices.again);
    }
    quiet.advanceMs(11_000);
    expect(await (await by.get(report)).text()).not.toContain(texts["de-de"].report.notices.again);
    expect(tokenOf(await ask("cool.test", {}, by))).not.toBe(first);
    await quiet.store.scans.claimNext("local", new Date());
  });

  test("starts a new scan if the first one failed", async () => {
    const by = quiet.visitor();
    const first = tokenOf(await ask("failing.test", {}, by));
    await quiet.store.scans.claimNext("local", new Date());
    await quiet.store.scans.fail(first, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    expect(tokenOf(await ask("failing.test", {}, by))).not.toBe(first);
  });
});

describe("permission to scan", () => {
  test("is refused to guests if the operator forbids it", async () => {
    const closed = await startPages({ config: { "guest.scans": false } });
    const html = await (await closed.visitor().get("/")).text();
    expect(html).toContain(enGb.pages.home.closed.title);
    expect(html).toContain('href="/sign-in"');
    expect(html).not.toContain('id="url"');
    const by = await signedIn(closed, await accountIn(closed, "one@assay.test"));
    expect((await ask(site, {}, by)).status).toBe(303);
    // A form from before the setting changed.
    const guest = closed.visitor();
    await guest.get("/sign-in");
    const cookie = [...guest.cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { cookie, origin: closed.url };
    const answer = await fetch(`${closed.url}/scans`, { method: "POST", headers, body: new URLSearchParams({ url: site }) });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain(enGb.pages.home.closed.title);
    expect(closed.store.scans.queueLength()).toBe(1);
    await closed.stop();
  });

  test("is refused for URLs outside the operator's rules; administrators see which rules", async () => {
    const shut = await startPages({ scanning: { mayBeScanned: (url) => !url.includes("10.0.0.1") } });
    const admin = await signedIn(shut, await accountIn(shut, "admin@assay.test"));
    const answers = [await ask("http://10.0.0.1/", {}, shut.visitor()), await ask("http://10.0.0.1/", {}, admin)];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    const [forGuest = "", forAdmin = ""] = await Promise.all(answers.map((answer) => answer.text()));
    expect(forGuest).toContain(enGb.pages.home.shut);
    expect(forGuest).not.toContain("scan.allow_cidrs");
    expect(forAdmin).toContain("scan.allow_cidrs");
    await shut.stop();
  });

  test.each([
    ["without a sender", {}, "site.test"],
    ["from another origin", { origin: "https://evil.test" }, "site.test"],
  ])("is refused to a form %s, and the page says what to do", async (_case, headers, url) => {
    const before = pages.store.scans.queueLength();
    for (const locale of locales) {
      const init = { method: "POST", headers: { "accept-language": locale, ...(headers as object) }, body: new URLSearchParams({ url }) };
      const answer = await fetch(`${pages.url}/scans`, init);
      expect([answer.status, pages.store.scans.queueLength()]).toEqual([403, before]);
      const html = await answer.text();
      const { title, what, next } = texts[locale].errors.formNotOurs;
      for (const text of [title, what, next]) expect(html).toContain(text);
    }
  });
});

describe("the page", () => {
  test("explains that scans are public, what they cover and what not", async () => {
    for (const locale of locales) {
      const html = await (await visitor.get(`/?locale=${locale}`)).text();
      const { home, visibility } = texts[locale];
      for (const text of [
        visibility.everybody.rule,
        home.notChecked.attacks,
        home.notChecked.legal,
        home.checked.other.replace("{{count}}", String(Object.keys(enGb.checks).length)),
      ]) {
        expect(html).toContain(text);
      }
      expect(html).toContain('href="/scans"');
      expect(html).toContain('href="/checks"');
      expect(html).not.toContain("{{");
    }
  });

  test("shows the latest five public scans", async () => {
    const shown = await startPages();
    for (let at = 0; at < 6; at++) await storeSite(shown.store, "sound", { at: new Date(), url: `https://latest-${at}.test/?q=1` });
    const html = await (await shown.visitor().get("/")).text();
    expect([...html.matchAll(/latest-(\d)\.test/g)].map(([, at]) => at)).toEqual(["5", "4", "3", "2", "1"]);
    await shown.stop();
  });

  test("accepts scans before the browser is ready, with a notice", async () => {
    const starting = await startPages({ scanning: { ready: () => false } });
    const by = starting.visitor();
    expect(await (await by.get("/")).text()).toContain(enGb.pages.home.notReady);
    const answer = await ask("early.test", {}, by);
    expect([answer.status, starting.woken]).toEqual([303, 1]);
    expect(await (await by.get(answer.headers.get("location") ?? "")).text()).toContain(enGb.pages.progress.notReady);
    await starting.stop();
  });
});
