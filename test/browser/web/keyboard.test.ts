/** Keyboard use: everything is reachable in reading order with visible focus, and nothing traps it. */
import type { Viewport } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFullTest } from "../../support/random-runs.ts";
import { narrow } from "./accessible.ts";
import { submit } from "./forms.ts";
import { tab } from "./input.ts";
import { type Person, startServers, type TestServers } from "./servers.ts";
import { desktop, openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
/** Far more tab stops than any page has. */
const stopsMax = 1_000;

let servers: TestServers;
let visitors: Visitors;

beforeAll(async () => {
  [servers, visitors] = await Promise.all([startServers(), openVisitors()]);
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await servers.stop();
});

function somebody(who: Person = "admin"): Promise<Visitor> {
  return visitors.visitor({ origin: servers.busy.origin, session: servers.fixtures.sessions[who] });
}

const paths: readonly (readonly [string, () => string])[] = [
  ["home", () => "/"],
  ["a report", () => `/scans/${servers.fixtures.scans.bare}`],
  ["the list", () => "/scans"],
  ["a host", () => "/hosts/assay-bare-site.org"],
  ["the checks", () => "/checks"],
  ["a check", () => "/checks/content-security-policy"],
  ["the account", () => "/account"],
  ["tokens", () => "/account/tokens"],
  ["the second factor", () => "/account/second-factor"],
  ["administration", () => "/admin"],
  ["accounts", () => "/admin/users"],
  ["settings", () => "/admin/settings"],
  ["the audit log", () => "/admin/audit"],
  ["the API", () => "/api"],
];

const sitePaths: typeof paths = [
  ["watched sites", () => "/sites"],
  ["a watched site", () => `/sites/${servers.fixtures.sites.measured}`],
  ["a new site", () => "/sites/new"],
  ["an import", () => "/sites/import"],
  ["a client", () => "/clients/Example%20Ltd"],
];

const walks = [
  ...paths.map(([name, path]) => [name, path, "admin"] as const),
  ...sitePaths.map(([name, path]) => [name, path, "agency"] as const),
];

test.each(walks.map((walk, at) => [...walk, at] as const))(
  "%s is reachable by keyboard from first to last tab stop",
  async (_name, path, who, at) => {
    // In the suite `places` at full width and at 400 % zoom, otherwise at one of the two.
    const viewports = isFullTest ? [desktop, narrow] : [at % 2 === 0 ? desktop : narrow];
    await Promise.all(viewports.map((viewport) => walkThrough(path(), viewport, who)));
  },
  startMsMax,
);

async function walkThrough(path: string, viewport: Viewport, who: Person): Promise<void> {
  const visitor = await somebody(who);
  const { page } = visitor;
  await page.setViewport(viewport);
  await visitor.open(path);
  const reachable = await page.$$eval(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']",
    (elements) => elements.filter((element) => element.checkVisibility() && !element.hasAttribute("disabled")).length,
  );
  // Some pages start with the focus in a field.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const stops: number[] = [];
  for (let step = 0; step < stopsMax; step++) {
    const { at, complaint } = await tab(page);
    expect(complaint).toBeNull();
    if (at === -1) break;
    stops.push(at);
  }
  expect(stops).toEqual(stops.toSorted((one, other) => one - other));
  expect(stops.length).toBeGreaterThanOrEqual(reachable);
  await visitor.close();
}

test("the first tab stop skips to the content", async () => {
  const visitor = await somebody();
  const { page } = visitor;
  await visitor.open("/scans");
  await tab(page);
  expect(await page.$eval(":focus", (element) => element.getAttribute("href"))).toBe("#main");
  await page.keyboard.press("Enter");
  expect(await page.$eval(":focus", (element) => element.id)).toBe("main");
  await tab(page);
  expect(await page.$eval(":focus", (element) => element.closest("main") !== null)).toBe(true);
  await visitor.close();
});

test("after an error the focus is in the invalid field, which keeps its value", async () => {
  const visitor = await somebody();
  const { page } = visitor;
  await visitor.open("/");
  await submit(page, { url: "not an address" }, { unchecked: true });
  const field = await page.$eval(":focus", (element) => ({
    id: element.id,
    value: (element as HTMLInputElement).value,
    invalid: element.getAttribute("aria-invalid"),
    told: (element.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  }));
  expect(field).toMatchObject({ id: "url", value: "not an address", invalid: "true" });
  expect(field.told.trim().length).toBeGreaterThan(10);
  await visitor.close();
});
