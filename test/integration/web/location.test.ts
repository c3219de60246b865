/** Locations on the pages that start scans: form, repetition and progress. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { noRemoteLocations } from "../../../src/scan/gatherer.ts";
import { scanLocationOf } from "../../../src/store/scan-location.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";
import { type EventStream, openEvents } from "./event-stream.ts";

const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };

/** What the fleet knows at the moment. */
let names: readonly string[];
let absentSince: Date | null;
let pages: PagesUnderTest;
let visitor: Visitor;
let site: string;
let tests = 0;

beforeAll(async () => {
  const locations = { names: () => names, capacity: () => 2, absentSince: () => absentSince, provers: () => ({ present: 1, unable: [] }) };
  const mayBeScanned = (url: string) => !url.includes("inside");
  pages = await startPages({ scanning: { locations, mayBeScanned }, config: { "guest.rate_per_hour": 1_000 } });
});
afterAll(() => pages.stop());
beforeEach(() => {
  names = ["berlin", "paris"];
  absentSince = null;
  visitor = pages.visitor();
  site = `https://site-${++tests}.test/`;
});

const ask = (fields: Record<string, string>, from = "/") => visitor.post("/scans", { url: site, ...fields }, from);
const tokenOf = (answer: Response) => /^\/scans\/([0-9A-Za-z]{22})/.exec(answer.headers.get("location") ?? "")?.[1] ?? "";
const scanOf = (answer: Response) => pages.store.scans.findByToken(tokenOf(answer));
const locationOf = (answer: Response) => {
  const scan = scanOf(answer);
  return scan && scanLocationOf(scan);
};
const optionsIn = (html: string) => {
  const [, select] = /<select id="location"[^>]*>(.*?)<\/select>/s.exec(html) ?? [];
  return [...(select ?? "").matchAll(/<option value="([^"]*)"( selected)?>([^<]*)/g)].map(([, value, selected, text]) => {
    return `${selected === undefined ? "" : "*"}${value}: ${text}`;
  });
};
const htmlOf = async (path: string, by = visitor) => (await by.get(path)).text();

describe("the form", () => {
  test("has no choice without other locations", async () => {
    names = [];
    const html = await htmlOf("/");
    expect(html).not.toContain('name="location"');
    expect(html).not.toContain('name="remember"');
    expect(locationOf(await ask({}))).toBe("local");
  });

  test.each(locales)("offers the locations in %s, the own one first", async (locale) => {
    const html = await htmlOf(`/?locale=${locale}`);
    expect(html).toContain(`<label for="location">${texts[locale].location.label}</label>`);
    expect(optionsIn(html)).toEqual([`*local: ${texts[locale].location.local}`, "berlin: berlin", "paris: paris"]);
  });

  test("remembers the choice for the session, but not that of a repeated scan", async () => {
    const answer = await ask({ location: "paris", remember: "location" });
    expect(locationOf(answer)).toBe("paris");
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("location=")) ?? "";
    expect(cookie).toBe("location=paris; Path=/; HttpOnly; SameSite=Lax");
    expect(optionsIn(await htmlOf("/"))).toContain("*paris: paris");
    await ask({ location: "berlin" });
    expect(optionsIn(await htmlOf("/"))).toContain("*paris: paris");
    names = ["berlin"];
    expect(optionsIn(await htmlOf("/"))[0]).toBe(`*local: ${enGb.pages.location.local}`);
  });

  test("is prefilled by links", async () => {
    expect(optionsIn(await htmlOf("/?url=site.test&location=berlin"))).toContain("*berlin: berlin");
    expect(optionsIn(await htmlOf("/?location=%3Cb%3E")).filter((option) => option.startsWith("*"))).toEqual([]);
  });

  test.each(["rome", "LOCAL", "<b>", "x".repeat(5_000)])("refuses %s beside the field, in both languages", async (location) => {
    for (const locale of locales) {
      await visitor.get(`/?locale=${locale}`);
      const answer = await ask({ location });
      const html = await answer.text();
      expect(answer.status).toBe(400);
      expect(html).toMatch(new RegExp(`<p class="error" id="location-error">.*?${texts[locale].location.unknown}`, "s"));
      expect(html).not.toContain('id="url-error"');
      expect(html).toContain(`value="${site}"`);
    }
  });

  test("shows the refusal although no location is left", async () => {
    names = [];
    const html = await (await ask({ location: "berlin" })).text();
    expect(html).toContain('id="location-error"');
    expect(optionsIn(html)).toHaveLength(1);
  });

  test("keeps the location past the question about secrets", async () => {
    const html = await (await ask({ url: `${site}?token=abcdefghijklmnop`, location: "berlin" })).text();
    expect(html.match(/<input type="hidden" name="location" value="berlin"/g)).toHaveLength(2);
  });

  test("starts one scan for each location, and repeats none of them", async () => {
    const tokens: string[] = [];
    for (const location of ["local", "berlin", "paris", "berlin", "local"]) tokens.push(tokenOf(await ask({ location })));
    expect(new Set(tokens).size).toBe(3);
    expect([tokens[3], tokens[4]]).toEqual([tokens[1], tokens[0]]);
  });

  test("leaves the targets of a location to its workers", async () => {
    const url = `https://inside-${tests}.test/`;
    expect((await ask({ url })).status).toBe(400);
    expect(locationOf(await ask({ url, location: "berlin" }))).toBe("berlin");
  });
});

describe("a repeated scan", () => {
  test("comes from the same location: after a failure, and in the own list", async () => {
    const account = await accountIn(pages, "one@assay.test");
    visitor = await signedIn(pages, account);
    const token = tokenOf(await ask({ location: "berlin" }));
    const claimed = await pages.store.scans.claimNext("berlin", new Date());
    expect(claimed?.token).toBe(token);
    await pages.store.scans.fail(token, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    const failed = await htmlOf(`/scans/${token}`);
    expect(failed).toContain("Location: berlin");
    expect(optionsIn(failed)).toContain("*berlin: berlin");
    const list = await htmlOf("/account/scans");
    expect(list).toContain('<input type="hidden" name="location" value="berlin"/>');
    expect(list).toContain("Location: berlin");
  });
});

describe("a scan whose location has no worker", () => {
  const since = new Date("2026-11-22T14:05:00Z");
  const opened: EventStream[] = [];
  afterAll(() => opened.map((stream) => stream.leave()));
  const sentence = (locale: "en-gb" | "de-de", time: string) =>
    texts[locale].location.absent.other.replace("{{location}}", "berlin").replace("{{since}}", time).replace("{{count}}", "24");

  async function watched(location: string): Promise<{ readonly token: string; readonly stream: EventStream }> {
    const token = tokenOf(await ask({ location }));
    const stream = await openEvents(`${pages.url}/scans/${token}/events`);
    opened.push(stream);
    while (stream.events.length === 0) await Bun.sleep(2);
    return { token, stream };
  }
  const absences = ({ events }: EventStream) => events.flatMap(({ name, data }) => (name === "absence" ? [data.text] : []));

  test.each([
    ["en-gb", "22 Nov 2026, 14:05 UTC"],
    ["de-de", "22. Nov. 2026, 14:05 UTC"],
  ] as const)("says so while it waits and while it runs, in %s", async (locale, time) => {
    absentSince = since;
    await visitor.get(`/?locale=${locale}`);
    const token = tokenOf(await ask({ location: "berlin" }));
    for (const status of ["queued", "running"]) {
      const html = await htmlOf(`/scans/${token}`);
      expect(html).toMatch(new RegExp(`<div data-absence="true">.*?${sentence(locale, time)}`, "s"));
      const state = (await (await visitor.get(`/scans/${token}/state`)).json()) as Record<string, unknown>;
      expect(state).toMatchObject({ status, absence: sentence(locale, time) });
      if (status === "queued") while ((await pages.store.scans.claimNext("berlin", new Date()))?.token !== token);
    }
  });

  test("is told by the event stream, which a scan of the server itself never hears", async () => {
    absentSince = since;
    const [remote, local] = [await watched("berlin"), await watched("local")];
    expect(absences(remote.stream)).toEqual([sentence("en-gb", "22 Nov 2026, 14:05 UTC")]);
    expect(absences(local.stream)).toEqual([]);
    expect(await htmlOf(`/scans/${local.token}`)).toContain('<div data-absence="true" hidden>');
  });
});

test("a server without a fleet says so of scans that wait since it had one", async () => {
  const without = await startPages({ scanning: { locations: noRemoteLocations(new Date("2026-11-22T14:05:00Z")) } });
  const scan = await without.store.scans.queue({ accountId: null, url: site, location: "berlin", now: new Date() });
  const html = await (await without.visitor().get(`/scans/${scan === "full" ? "" : scan.token}`)).text();
  expect(html).toContain("there has been none since 22 Nov 2026, 14:05 UTC");
  await without.stop();
});
