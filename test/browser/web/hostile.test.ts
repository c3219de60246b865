/** Attack strings from scanned sites and visitors: no page executes, obeys or breaks on them. */
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { locales } from "../../../src/check/check.ts";
import { clippedComplaints, narrow, overflowComplaints } from "./accessible.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { submit } from "./forms.ts";
import { attacks, type HostileSite, hostileHost, hostileUrl, startHostileSite, strayHost } from "./hostile-site.ts";
import { markupComplaints } from "./markup.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const scanMsMax = 300_000;
const sessionPollMs = 20;

let site: HostileSite;
let appliance: Appliance;
let visitors: Visitors;
let visitor: Visitor;
let session: string;
/** Scans: the hostile page twice, the host with another certificate, and one without a response. */
let scans: readonly string[];
/** Calls of the function that only injected scripts would call. */
let called = 0;

beforeAll(async () => {
  [site, visitors] = await Promise.all([startHostileSite(), openVisitors()]);
  appliance = await startAppliance({
    sites: site.sites,
    zones: site.zones,
    env: { ASSAY_ACCOUNTS_SIGNUP: "open", ASSAY_SCAN_COOLDOWN: "0" },
  });
  const customer = await appliance.customer();
  const urls = [hostileUrl, hostileUrl, `https://${strayHost}/`, `https://nobody.${hostileHost}/${encodeURI(attacks.template ?? "")}`];
  scans = [];
  for (const url of urls) {
    const token = (await customer.start(url)) ?? "";
    await customer.ended(token, scanMsMax);
    scans = [...scans, token];
  }
  session = await appliance.withStore(async (store) => {
    const origin = { userAgent: `${attacks.markup} ${attacks.bidi}`, address: "192.0.2.0" };
    const opened = await store.sessions.open({ accountId: 1, verifiedPasswordHash: null, origin, now: new Date() });
    return opened?.value ?? "";
  });
  // Another process has stored it: a request at once could be answered from what the server read before.
  const signedIn = () => fetch(`${appliance.origin}/account`, { headers: { cookie: `sid=${session}` }, redirect: "manual" });
  while ((await signedIn()).status !== 200) await Bun.sleep(sessionPollMs);
}, scanMsMax);

afterAll(async () => {
  await visitors.close();
  await appliance.stop();
  await site.stop();
});

beforeEach(async () => {
  visitor = await visitors.visitor({ origin: appliance.origin, session });
  called = 0;
  await visitor.page.exposeFunction("sentinel", () => {
    called += 1;
  });
});

/** All signs of interpreted attack strings. */
async function intact(page: Page, html: string): Promise<void> {
  const strays = await page.evaluate(() => {
    const own = (element: Element) => element.matches("script[src^='/assets/'], link[rel=stylesheet][href^='/assets/']");
    const injected = [
      ...document.querySelectorAll("x-injected, script, iframe, object, embed, base, style, svg[onload], form[action*=':']"),
    ];
    const handlers = [...document.querySelectorAll("*")].filter((element) =>
      element.getAttributeNames().some((name) => /^on|^style$/.test(name)),
    );
    const links = [...document.querySelectorAll("[href], [src], [action]")].filter((element) =>
      ["href", "src", "action"].some((name) => /^\s*(javascript|data|vbscript):/i.test(element.getAttribute(name) ?? "")),
    );
    return [...injected.filter((element) => !own(element)), ...handlers, ...links].map(({ outerHTML }) => outerHTML.slice(0, 200));
  });
  expect(strays).toEqual([]);
  // Only our own isolates may change the text direction, never characters of untrusted text. Input fields keep what the visitor typed.
  const words = `${await page.title()}${await page.evaluate(() => document.documentElement.textContent)}`;
  expect(words.match(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g)).toBeNull();
  expect(html).not.toContain("\0");
  expect(await page.$$eval("h1, main, body > footer", (elements) => elements.map(({ localName }) => localName).sort())).toEqual([
    "footer",
    "h1",
    "main",
  ]);
  expect(called).toBe(0);
  expect(visitor.complaints).toEqual([]);
}

const shown: readonly (readonly [string, () => string])[] = [
  ["the report", () => `/scans/${scans[1]}`],
  ["the report of a stray certificate", () => `/scans/${scans[2]}`],
  ["a failed scan", () => `/scans/${scans[3]}`],
  ["the comparison", () => `/scans/${scans[1]}/compare?with=previous`],
  ["the comparison with another host", () => `/scans/${scans[1]}/compare?with=${scans[2]}`],
  ["the list", () => "/scans"],
  ["the host", () => `/hosts/${hostileHost}`],
  ["own scans", () => "/account/scans"],
  ["the account", () => "/account"],
  ["administration", () => "/admin"],
  ["home", () => "/"],
];

describe("hostile scan data", () => {
  test.each(locales.flatMap((locale) => shown.map(([name, path]) => [locale, name, path] as const)))(
    "%s: %s",
    async (locale, _name, path) => {
      const { page } = visitor;
      const separator = path().includes("?") ? "&" : "?";
      const { status, html } = await visitor.open(`${path()}${separator}locale=${locale}`);
      expect(status).toBe(200);
      await page.$$eval("details", (all) => {
        for (const one of all) one.open = true;
      });
      await intact(page, html);
      expect(await markupComplaints(html)).toEqual([]);
      await page.setViewport(narrow);
      expect([...(await overflowComplaints(page)), ...(await clippedComplaints(page))]).toEqual([]);
    },
    scanMsMax,
  );

  test("appears literally in the report, without interpolation", async () => {
    await visitor.open(`/scans/${scans[1]}`);
    const words = await visitor.page.evaluate(() => document.body.textContent ?? "");
    expect(words).toContain("{{7*7}}");
    expect(words).toContain("$t(pages.home.title)");
    expect(words).toContain("<x-injected>");
    expect(words).not.toContain(attacks.long?.slice(0, 3_000));
  });

  test("is JSON that browsers do not render as a page", async () => {
    const answer = await fetch(`${appliance.origin}/scans/${scans[1]}.json`);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.-]+"$/);
    expect(await answer.json()).toMatchObject({ url: expect.stringContaining(hostileHost) });
  });
});

describe("hostile visitor input", () => {
  const words = Object.entries(attacks);
  const places = [
    "/?locale=",
    "/?url=",
    "/scans?host=",
    "/scans?band=",
    "/scans?cursor=",
    "/hosts/",
    "/checks/",
    "/sign-in?next=",
    "/sign-up?t=",
    "/reset?t=",
  ];
  const ofScan = ["?state=", "?area=", "/compare?with=", "/"];

  test.each(words)(
    "%s in addresses",
    async (_name, attack) => {
      const paths = [...places, ...ofScan.map((end) => `/scans/${scans[1]}${end}`), "/admin/users?q=", "/admin/users?before=", "/scans/"];
      for (const path of paths) {
        const { status, html } = await visitor.open(`${path}${encodeURIComponent(attack.slice(0, 2_000))}`);
        expect([path, status < 500]).toEqual([path, true]);
        await intact(visitor.page, html);
      }
    },
    scanMsMax,
  );

  test.each(words)(
    "%s in forms",
    async (_name, attack) => {
      const { page } = visitor;
      const guest = await visitors.visitor({ origin: appliance.origin });
      await visitor.open("/");
      const typed = attack.slice(0, 2_000);
      await intact(page, (await submit(page, { url: typed }, { unchecked: true })).html);
      await visitor.open("/account/tokens");
      await intact(page, (await submit(page, { name: attack }, { unchecked: true, form: "form:has([name=name])" })).html);
      await intact(page, (await visitor.open("/account/tokens")).html);
      await guest.open("/sign-in");
      const refused = await submit(guest.page, { email: attack, password: attack }, { unchecked: true });
      expect(refused.status).toBeLessThan(500);
      await intact(guest.page, refused.html);
      expect(guest.complaints).toEqual([]);
      await guest.close();
    },
    scanMsMax,
  );

  test.each([
    { host: `evil.invalid"><x-injected>` },
    { "x-forwarded-host": "evil.invalid", "x-forwarded-proto": "https" },
    { "x-forwarded-host": `evil.invalid"><x-injected>`, "x-forwarded-for": "<x-injected>" },
    { forwarded: "host=evil.invalid" },
    { "accept-language": attacks.markup ?? "", cookie: `locale=${attacks.address}; sid=${attacks.address}; form="` },
    { "user-agent": attacks.markup ?? "", referer: `https://evil.invalid/${attacks.markup}` },
  ])("headers: %o", async (headers) => {
    for (const path of ["/", "/sign-in", `/scans/${scans[1]}`, "/nowhere"]) {
      const answer = await fetch(`${appliance.origin}${path}`, { headers: headers as Record<string, string>, redirect: "manual" });
      const said = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
      expect(answer.status).toBeLessThan(500);
      expect(said).not.toContain("evil.invalid");
    }
  });
});
