/** Themes: device setting or account setting, without a flash, and with forced colours. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Theme } from "../../../src/store/accounts.ts";
import { axeComplaints } from "./accessible.ts";
import { submit } from "./forms.ts";
import { startServers, type TestServers } from "./servers.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;

let servers: TestServers;
let visitors: Visitors;
let visitor: Visitor;

beforeAll(async () => {
  [servers, visitors] = await Promise.all([startServers(), openVisitors()]);
  visitor = await visitors.visitor({ origin: servers.busy.origin, session: servers.fixtures.sessions.agency });
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await servers.stop();
});

/** Brightness of the page background: 0 is black, 255 white. */
async function brightness(): Promise<number> {
  const colour = await visitor.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
}

async function choose(theme: Theme): Promise<void> {
  await visitor.open("/account");
  const form = "form:has([name=theme])";
  await visitor.page.select(`${form} [name=theme]`, theme);
  await submit(visitor.page, {}, { form });
}

describe.each(["light", "dark"] as const)("on a %s device", (scheme) => {
  test.each([
    ["system", scheme],
    ["light", "light"],
    ["dark", "dark"],
  ] as const)(
    "theme %s shows %s pages without axe findings",
    async (theme, seen) => {
      const { page } = visitor;
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await choose(theme);
      await visitor.open(`/scans/${servers.fixtures.scans.sound}`);
      expect((await brightness()) > 128 ? "light" : "dark").toBe(seen);
      expect(await axeComplaints(page)).toEqual([]);
      expect(visitor.complaints).toEqual([]);
    },
    startMsMax,
  );
});

test("forced colours keep icons and texts of states", async () => {
  const { page } = visitor;
  const session = await page.createCDPSession();
  await session.send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
  await visitor.open(`/scans/${servers.fixtures.scans.bare}`);
  const states = await page.$$eval("[data-ledger] li[data-state]", (rows) =>
    rows.map((row) => ({
      words: row.querySelector(".state")?.textContent?.trim() ?? "",
      shape: getComputedStyle(row.querySelector(".state") ?? row, "::before").width !== "auto",
    })),
  );
  expect(states.length).toBeGreaterThan(50);
  expect(states.filter(({ words, shape }) => words === "" || !shape)).toEqual([]);
  await session.detach();
});
