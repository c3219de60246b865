/**
 * A complete user journey from the first scan to an API token and sign-out: by mouse and by keyboard. A full test adds English by
 * mouse, and German without script.
 */

import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locale } from "../../../src/check/check.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { type Route, startHttps, type TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { type InputDevice, keyboardOn, mouseOn } from "./input.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

interface Journey {
  readonly locale: Locale;
  readonly host: string;
  readonly input: (visitor: Visitor) => InputDevice;
  readonly script?: false;
  /** The first account by setup link; the others by sign-up. */
  readonly first?: true;
}

const byMouse = ({ page }: Visitor) => mouseOn(page);
const firstJourney: Journey = { locale: "de-de", host: "first.test", input: byMouse, first: true };
const allJourneys: readonly (readonly [string, Journey])[] = [
  ["by keyboard alone, in English", { locale: "en-gb", host: "keyboard.test", input: ({ page }) => keyboardOn(page) }],
  ["by mouse in English", { locale: "en-gb", host: "mouse.test", input: byMouse }],
  ["without script, in German", { locale: "de-de", host: "still.test", input: byMouse, script: false }],
];
const journeys = isFullTest ? allJourneys : allJourneys.slice(0, 1);
const hosts = [firstJourney.host, ...journeys.map(([, { host }]) => host)];

const journeyMsMax = 300_000;
/** Long enough to observe a running scan; the first one of a host goes on once that has happened. */
const siteTakesMs = 700;
const readyPollMs = 20;
const password = "six blue elephants on a wire";

/** Hosts that were fixed after their first report. */
const fixedHosts = new Set<string>();
/** Settled when the first scan of the host was seen to run. */
const observed = new Map(hosts.map((host) => [host, Promise.withResolvers<void>()]));
let site: TestServer;
let appliance: Appliance;
let visitors: Visitors;

const page: Route = (request, response) => {
  const { host = "" } = request.headers;
  const header = fixedHosts.has(host) ? { "x-content-type-options": "nosniff" } : {};
  setTimeout(async () => {
    await observed.get(host)?.promise;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", server: "nginx/1.2.3", ...header });
    response.end("<!doctype html><html lang=en><title>A shop</title><h1>A shop</h1></html>");
  }, siteTakesMs);
};

beforeAll(async () => {
  site = await startHttps(siteIdentity("first.test", { names: hosts }), { "/": page });
  visitors = await openVisitors();
  appliance = await applianceOfJourney();
  // The journeys of others sign up; the setup link is for the first account only.
  await appliance.withStore((store) => store.accounts.create({ email: "admin@first.test", now: new Date() }));
}, journeyMsMax);

afterAll(async () => {
  await visitors.close();
  await appliance.stop();
  await site.stop();
});

function applianceOfJourney(): Promise<Appliance> {
  return startAppliance({
    sites: Object.fromEntries(hosts.map((host) => [`${host}:443`, site])),
    env: { ASSAY_ACCOUNTS_SIGNUP: "open", ASSAY_SCAN_COOLDOWN: "0" },
  });
}

const submitButton = "form:not([action='/scans']) button[type=submit]";

test(
  "by mouse in German, as the first user",
  async () => {
    const fresh = await applianceOfJourney();
    try {
      await runJourney(fresh, firstJourney);
    } finally {
      await fresh.stop();
    }
  },
  journeyMsMax,
);

// The journeys mostly wait for scans, so they run concurrently.
test.concurrent.each(journeys)("%s", (_name, journey) => runJourney(appliance, journey), journeyMsMax);

/** Executes a pasted curl command, split by a shell. */
async function pasted(line: string): Promise<Response> {
  const child = Bun.spawn(["sh", "-c", `curl() { printf '%s\\n' "$@"; }\n${line}`]);
  const words = (await new Response(child.stdout).text()).trimEnd().split("\n");
  const behind = (flag: string) => words.filter((_word, at) => words[at - 1] === flag);
  const headers = behind("-H").map((field): [string, string] => [field.split(": ")[0] ?? "", field.split(": ")[1] ?? ""]);
  const [body] = behind("-d");
  return fetch(words.at(-1) ?? "", { headers, ...(body === undefined ? {} : { method: "POST", body }) });
}

/** Waits for the script of the report too, which moves the focus and so scrolls: a click meanwhile misses its target. */
async function reportLoaded(page: Page): Promise<void> {
  const isLoaded = () => document.querySelector(".verdict") !== null && document.readyState === "complete";
  // Asked from here: a page without script never runs the callbacks by which it would be asked again. A page that is left has no answer.
  while (!(await page.evaluate(isLoaded).catch(() => false))) await Bun.sleep(readyPollMs);
}

/** Number of stages on a page that can reload itself at any instant. */
async function stagesShown(page: Page): Promise<number> {
  for (;;) {
    const count = await page.$$eval("main [data-stage]", (stages) => stages.length).catch(() => 0);
    if (count > 0) return count;
    await Bun.sleep(readyPollMs);
  }
}

async function runJourney(appliance: Appliance, { locale, host, input: handOf, first, script }: Journey): Promise<void> {
  const visitor = await visitors.visitor({ origin: appliance.origin, locale, ...(script === undefined ? {} : { script }) });
  const { page } = visitor;
  const input = handOf(visitor);
  const events: string[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/events")) events.push(response.headers()["content-type"] ?? "");
  });

  // Type a URL, watch the scan, read the report.
  await visitor.open("/");
  await input.type("#url", host);
  await input.leave("main form[action='/scans'] button[type=submit]");
  expect(page.url()).toMatch(/\/scans\/\w{22}$/);
  const firstReport = page.url();
  expect(await stagesShown(page)).toBe(8);
  observed.get(host)?.resolve();
  await reportLoaded(page);
  expect(page.url()).toBe(firstReport);
  expect(events).toEqual(script === false ? [] : ["text/event-stream; charset=utf-8"]);
  expect(await page.$eval("main", (main) => main.textContent)).toContain(host);

  // Filter by violated, then open the finding.
  const filter = "nav a[href*='state=violated']";
  await (script === false ? input.leave(filter) : input.press(filter));
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll<HTMLElement>("[data-ledger] li[id]")];
    const shown = rows.filter((row) => row.offsetParent !== null);
    return shown.length > 0 && shown.length < rows.length;
  });
  expect(new URL(page.url()).searchParams.get("state")).toBe("violated");
  await input.press("#x-content-type-options a[href^='#']");
  await page.waitForFunction(() => document.querySelector(":target")?.matches(".finding-body"));
  expect(await page.$eval(":target footer code", (code) => code.textContent)).toContain("security.");

  // Apply the advice; the second scan shows it.
  fixedHosts.add(host);
  await input.leave("main form[action='/scans'] button[type=submit]");
  await reportLoaded(page);
  expect(page.url().split(/[?#]/)[0]).not.toBe(firstReport);
  await input.leave(`main a[href$="/compare?with=previous"]`);
  expect(await page.$$eval("main a", (links) => links.map((link) => link.getAttribute("href")))).toContain(
    "/checks/x-content-type-options",
  );

  // Create an account.
  const email = `owner@${host}`;
  if (first === true) await visitor.open(/\/setup\?t=[\w-]+/.exec(appliance.stderr())?.[0] ?? "/");
  else {
    await input.leave("header a[href='/sign-in']");
    await input.leave("main a[href='/sign-up']");
  }
  await input.type("[name=email]", email);
  await input.type("[name=password]", password);
  await input.leave(submitButton);
  expect(page.url()).toBe(`${appliance.origin}/account?done=made`);

  // Create a token, use it within the plan, revoke it.
  await input.leave("main a[href='/account/tokens']");
  await input.type("[name=name]", "first");
  await input.leave("form:has([value=create]) button[type=submit]");
  const token = await page.$eval("#token", (input) => (input as HTMLInputElement).value);
  const lines = await page.$$eval("main pre code", (all) => all.map(({ textContent }) => textContent));
  const [toList = "", toStart = ""] = lines.filter((line) => line.startsWith("curl "));
  expect(toList).toContain(token);
  const ask = (path: string) => fetch(`${appliance.origin}/api/v1/scans${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (first !== true) {
    expect((await pasted(toList)).status).toBe(403);
    await appliance.withStore(async (store) => store.accounts.setPlan(store.accounts.findByEmail(email)?.id ?? 0, "agency"));
  }
  const started = await pasted(toStart.replace("example.com", host));
  expect(started.status).toBe(202);
  const { token: scan } = (await started.json()) as { readonly token: string };
  expect((await ask(`/${scan}/security`)).status).toBe(200);
  await input.leave("main a[href='/account/tokens']");
  await input.leave("form:has([value=revoke]) button[type=submit]");
  expect((await ask("")).status).toBe(401);

  // Sign out and in again.
  await input.leave("header a[href='/account']");
  await input.leave("main form[action='/sign-out'] button[type=submit]");
  await input.type("[name=email]", email);
  await input.type("[name=password]", password);
  await input.leave(submitButton);
  expect(page.url()).toBe(`${appliance.origin}/account`);
  expect(await page.$eval("html", (html) => html.lang)).toBe(locale === "de-de" ? "de-DE" : "en-GB");
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
}
