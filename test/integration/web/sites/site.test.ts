/** `/sites/{id}`: what it shows, its actions, and accepted findings. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dayMs, hourMs } from "../../../../src/base/units.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;
let site: Site;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
  site = await addSite(pages.store, { accountId: account.id, url: "https://shop.example/", client: "Acme", now: new Date() });
});
/** The next test begins with an empty queue. */
afterEach(async () => {
  for (;;) {
    const scan = await pages.store.scans.claimNext("local", new Date());
    if (scan === undefined) return;
    await pages.store.scans.fail(scan.token, { code: "crashed", evidence: null, timings: {}, now: new Date() });
  }
});
afterAll(() => pages.stop());

const path = () => `/sites/${site.id}`;
const send = (fields: Readonly<Record<string, string>>) => visitor.post(path(), fields, path());
const shown = async (query = "") => mainOf(await (await visitor.get(`${path()}${query}`)).text());
const stored = () => pages.store.sites.find(account.id, site.id);
const ago = (ms: number) => new Date(Date.now() - ms);

/** Good, then bad in two runs, so that the findings are confirmed. */
async function measured(): Promise<Site> {
  site = await measureOften(pages.store, site, [
    { at: ago(3 * dayMs), shows: "sound" },
    { at: ago(2 * dayMs), shows: "bare" },
    { at: ago(2 * dayMs - hourMs), shows: "bare" },
  ]);
  return site;
}

test("before the first scan: address, schedule, badge and no findings", async () => {
  const html = await shown();
  for (const text of [
    "shop.example",
    "every week",
    "as soon as there is capacity",
    "The first scan has not finished yet.",
    "No events yet",
  ])
    expect(html).toContain(text);
  expect(html).toContain('src="/badge/shop.example.svg"');
  expect(html).toContain(`&lt;a href="${pages.url}/hosts/shop.example">`.replaceAll('"', "&quot;"));
});

test("after scans: chart, open findings, events with reports, and the next three scans", async () => {
  await measured();
  await pages.store.sites.change(account.id, site.id, () => ({ nextRunAt: new Date(Date.now() + dayMs).toISOString() }));
  const html = await shown();
  expect(html).toContain('class="chart"');
  expect(html).toMatch(/Score fell from \d+ to \d+/);
  expect(html).toMatch(/<strong>\d+ new findings<\/strong>/);
  expect(html).toContain(`href="/scans/${site.reading?.token}"`);
  expect(html.match(/Next scans:<\/p><ol>[\s\S]*?<\/ol>/)?.[0].match(/<li>/g)).toHaveLength(3);
  expect(html).toContain('id="open"');
  expect(html).not.toContain("The first scan has not finished yet.");
});

test("the chart marks where other checks judged", async () => {
  site = await measureOften(pages.store, site, [
    { at: ago(3 * dayMs), shows: "sound" },
    { at: ago(2 * dayMs), shows: "sound" },
  ]);
  expect(await shown()).not.toContain("chart-change");
  site = await measureOften(pages.store, site, [{ at: ago(dayMs), shows: "bare", rules: { catalogVersion: "c2" } }]);
  const html = await shown();
  expect(html.match(/class="chart-change"/g)).toHaveLength(1);
  expect(html).toContain("Dotted line: checks, scoring, limits or data files changed.");
  expect(html).toContain("No events yet");
});

test("a site that cannot be measured says since when and why", async () => {
  const failures = Array.from({ length: 4 }, (_none, at) => ({ at: ago((4 - at) * dayMs), shows: null }));
  site = await measureOften(pages.store, site, failures);
  const html = await shown();
  expect(html).toContain("No scan could measure this website since");
  expect(html).toContain("The website could not be measured since");
});

describe("actions", () => {
  test("scan now starts one run and follows it", async () => {
    expect((await send({ do: "scan" })).headers.get("location")).toBe(`${path()}?done=scan`);
    expect([pages.woken, pages.store.siteRuns.find(site.id)?.kind]).toEqual([1, "manual"]);
    const html = await shown("?done=scan");
    expect(html).toContain("The scan was started.");
    expect(html).toContain("Follow the scan");
    expect((await send({ do: "scan" })).headers.get("location")).toBe(`${path()}?done=busy`);
    expect(await shown("?done=busy")).toContain("under way already");
  });

  test("a full queue refuses the scan", async () => {
    const now = new Date();
    const full = await startPages({ queueMax: 1 });
    const owner = await accountIn(full, "me@assay.test");
    const { id } = await addSite(full.store, { accountId: owner.id, url: "https://shop.example/", now });
    await full.store.scans.queue({ accountId: owner.id, url: "https://w.example/", now });
    const answer = await (await signedIn(full, owner)).post(`/sites/${id}`, { do: "scan" }, `/sites/${id}`);
    expect([answer.headers.get("location"), full.woken]).toEqual([`/sites/${id}?done=full`, 0]);
    await full.stop();
  });

  test("pause and resume", async () => {
    await send({ do: "pause" });
    expect(stored()).toMatchObject({ paused: true, nextRunAt: null });
    expect(await shown()).toContain("The schedule is paused.");
    await send({ do: "resume" });
    expect(stored()?.nextRunAt).not.toBeNull();
    expect(pages.clockWoken).toBe(2);
  });

  test("deletion asks first", async () => {
    const question = await send({ do: "delete" });
    expect([question.status, (await question.text()).includes("Delete 1 site?"), stored() !== undefined]).toEqual([200, true, true]);
    expect((await send({ do: "delete", confirm: "yes" })).headers.get("location")).toBe("/sites?done=delete&count=1");
    expect([stored(), (await visitor.get(path())).status]).toEqual([undefined, 404]);
  });

  test.each([{}, { do: "destroy" }])("no other form: %j", async (fields) => {
    expect((await send(fields as Record<string, string>)).status).toBe(400);
  });
});

describe("accepted findings", () => {
  const today = () => new Date().toISOString().slice(0, 10);
  const openCodes = () =>
    Object.entries(pages.store.siteRuns.state(site.id).findings).flatMap(([code, { state }]) => (state === "open" ? code : []));

  test("leave the open ones, with reason and last day, and come back", async () => {
    await measured();
    const [code = ""] = openCodes();
    const before = stored()?.reading?.open ?? 0;
    const answer = await send({ do: "accept", code, reason: "<b>old</b> plugin", until: today() });
    expect(answer.headers.get("location")).toBe(`${path()}?done=accepted`);
    expect(stored()).toMatchObject({ accepted: [{ code, reason: "<b>old</b> plugin", until: today() }], reading: { open: before - 1 } });
    const html = await shown();
    expect(html).toContain("&lt;b>old&lt;/b> plugin");
    expect(html).not.toContain(`<option value="${code}"`);
    await send({ do: "withdraw", code });
    expect(stored()).toMatchObject({ accepted: [], reading: { open: before } });
  });

  test("have an end, after which they are open again", async () => {
    await measured();
    const [code = ""] = openCodes();
    await send({ do: "accept", code, reason: "until the relaunch", until: today() });
    pages.advanceMs(2 * dayMs);
    const html = await shown();
    expect(html).toContain("(ended)");
    expect(html).toContain(`<option value="${code}"`);
  });

  test.each([
    ["no reason", { reason: " " }, "Say why this finding is accepted."],
    ["a day that has passed", { until: "2020-01-01" }, "This day has passed."],
    ["no day", { until: "tomorrow" }, "Write the day as year, month and day"],
    ["an unknown finding", { code: "security.none.such" }, "This finding is not open any more."],
    ["no code", { code: "<script>" }, "This is not a finding."],
  ])("are refused with %s, and the form keeps its values", async (_case, fields, text) => {
    await measured();
    const answer = await send({ do: "accept", code: openCodes()[0] ?? "", reason: "because", until: "", ...fields });
    const html = await answer.text();
    expect([answer.status, html.includes(text), stored()?.accepted]).toEqual([400, true, []]);
    expect(html).toContain('aria-invalid="true"');
  });
});

test("last notifications name the channel, not its address", async () => {
  const now = new Date();
  const channel = await pages.store.channels.add({
    accountId: account.id,
    kind: "webhook",
    name: "Chat <b>",
    target: "https://hooks.example/secret-part",
    secrets: ["whsec_x"],
    verified: true,
    now,
  });
  if (typeof channel === "string") throw new Error(channel);
  const rule = {
    accountId: account.id,
    scope: { kind: "all" },
    events: ["finding.opened"],
    severityMin: "info",
    channelIds: [channel.id],
    now,
  } as const;
  await pages.store.rules.add(rule);
  await measured();
  const html = await shown();
  expect(html).toContain("Chat &lt;b>");
  expect(html).toContain("waiting");
  expect(html).not.toContain("secret-part");
});

test("the badge of a site that is scanned elsewhere names its location", async () => {
  site = await addSite(pages.store, { accountId: account.id, url: "https://away.example/", location: "berlin", now: new Date() });
  const html = await shown();
  expect(html).toContain('src="/badge/away.example.svg?location=berlin"');
  expect(html).toContain("/hosts/away.example?location=berlin");
});

test("hostile names and addresses are escaped", async () => {
  const name = `</title><script>alert(1)</script>\u202e`;
  site = await addSite(pages.store, {
    accountId: account.id,
    url: "https://x.example/%3Cb%3E?a=%22",
    name,
    client: name,
    tags: [name],
    now: new Date(),
  });
  for (const page of [path(), `${path()}/edit`, `/clients/${encodeURIComponent(name)}`]) {
    const answer = await visitor.get(page);
    const html = await answer.text();
    expect([answer.status, /<script>alert|<b>/.test(html)]).toEqual([200, false]);
    expect(html.replaceAll(/value="[^"]*"/g, "")).not.toContain("\u202e");
  }
});

test.each(["0", "-1", "1e3", "999", "x", "%", "1%2F2"])("there is no site %s", async (id) => {
  expect((await visitor.get(`/sites/${id}`)).status).toBe(404);
});
