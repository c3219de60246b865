/** `/sites`: rows, filter, order, actions on several sites, and answers that are kept. */
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dayMs } from "../../../../src/base/units.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import { serverActor } from "../../../../src/store/audit.ts";
import { DataDirError } from "../../../../src/store/data-dir.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite, newSite } from "../../../support/watched-sites.ts";

let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  // Runs are measured through the queue of scans, which must be empty.
  while ((await pages.store.scans.claimNext("local", new Date())) !== undefined);
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

function add(name: string, given: Partial<Site> = {}): Promise<Site> {
  return addSite(pages.store, { accountId: account.id, url: `https://${name}.example/`, now: new Date(), ...given });
}

async function addMany(count: number): Promise<void> {
  const sites = Array.from({ length: count }, (_none, at) =>
    newSite({ accountId: account.id, url: `https://many-${at}.example/`, now: new Date() }),
  );
  await pages.store.sites.add(sites, 1_000);
}

async function listed(path = "/sites"): Promise<string> {
  return mainOf(await (await visitor.get(path)).text());
}

/** Names of the rows in their order. */
function namesIn(html: string): readonly string[] {
  return [...html.matchAll(/<tr id="site-\d+"[\s\S]*?<th scope="row"><a [^>]*>([\s\S]*?)<\/a>/g)].map(([, name = ""]) =>
    name.replaceAll(/<[^>]*>/g, ""),
  );
}

function send(fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[], path = "/sites"): Promise<Response> {
  return postPairs(path, Array.isArray(fields) ? fields : Object.entries(fields));
}

/** Unlike `visitor.post`, with repeated fields. */
async function postPairs(path: string, pairs: readonly (readonly [string, string])[]): Promise<Response> {
  const body = new URLSearchParams(pairs.map(([name, value]) => [name, value]));
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  return fetch(`${pages.url}${path}`, { method: "POST", redirect: "manual", headers: { origin: pages.url, cookie }, body });
}

test("without sites it explains what they are and what the plan includes", async () => {
  const html = await listed();
  expect(html).toContain("No sites are watched yet");
  expect(html).toContain("Your plan includes 1,000 sites.");
  expect(html).toContain('href="/sites/new"');
});

test("guests sign in first", async () => {
  const answer = await pages.visitor().get("/sites?q=x");
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?next=%2Fsites%3Fq%3Dx"]);
});

test("a row shows score, course, findings, certificate, times, client, tags and state", async () => {
  const site = await add("shop", { client: "Acme", tags: ["live"] });
  const at = (days: number) => new Date(Date.now() - days * dayMs);
  await measureOften(pages.store, site, [
    { at: at(3), shows: "sound" },
    { at: at(2), shows: "bare" },
    { at: at(1.9), shows: "bare" },
    { at: at(1), shows: null },
  ]);
  await pages.store.sites.change(account.id, site.id, () => ({ paused: true, nextRunAt: null }));
  const html = await listed();
  const stored = pages.store.sites.find(account.id, site.id);
  expect(stored?.reading).not.toBeNull();
  expect(html).toContain(`<strong>${stored?.reading?.score}</strong>`);
  expect(html).toContain('class="spark"');
  expect(html).toContain('href="/clients/Acme"');
  for (const text of ["paused", "not measured", "live", "shop.example"]) expect(html).toContain(text);
  expect(html).toContain(`data-label="Open findings">${stored?.reading?.open}<`);
});

test("the course of a site follows its measured runs, also for a row of an earlier release", async () => {
  const site = await add("course");
  const at = (days: number) => new Date(Date.now() - days * dayMs);
  await measureOften(pages.store, site, [
    { at: at(20), shows: "sound" },
    { at: at(3), shows: null },
  ]);
  const known = pages.store.sites.find(account.id, site.id);
  expect(known?.course?.map(([, score]) => score)).toEqual(known?.trend);
  const { course: _course, ...earlier } = known ?? site;
  await pages.store.sites.change(account.id, site.id, () => ({ course: undefined }) as never);
  const measured = await measureOften(pages.store, earlier, [
    { at: at(2), shows: "bare" },
    { at: at(1), shows: "bare" },
  ]);
  expect(measured.course?.map(([, score]) => score)).toEqual(measured.trend);
  expect(measured.course).toHaveLength(2);
  const [from = 0, to = 0] = measured.trend;
  expect(await listed("/sites?change=worse")).toContain(`<span class="poor">\u2212${from - to}</span>`);
  expect(namesIn(await listed("/sites?change=better"))).toEqual([]);
});

test("more sites than the plan includes are named", async () => {
  for (const name of ["a", "b", "c", "d"]) await add(name);
  expect(await listed()).not.toContain("added first");
  await pages.store.accounts.setPlan(account.id, "free", serverActor);
  expect(await listed()).toContain("Only the 3 that were added first are scanned by schedule");
});

describe("filter and order", () => {
  beforeEach(async () => {
    await add("b2", { client: "Acme", tags: ["live"] });
    await add("b10", { client: "Other", tags: ["live", "old"] });
    await add("a", { client: null });
  });

  test.each([
    ["", ["a.example", "b2.example", "b10.example"]],
    ["?dir=desc", ["b10.example", "b2.example", "a.example"]],
    ["?sort=client", ["b2.example", "b10.example", "a.example"]],
    ["?sort=client&dir=desc", ["b10.example", "b2.example", "a.example"]],
    ["?sort=score", ["b2.example", "b10.example", "a.example"]],
    ["?sort=nonsense", ["a.example", "b2.example", "b10.example"]],
    ["?client=Acme", ["b2.example"]],
    ["?tag=live", ["b2.example", "b10.example"]],
    ["?q=B10", ["b10.example"]],
    ["?q=other", ["b10.example"]],
    ["?band=unknown", ["a.example", "b2.example", "b10.example"]],
    ["?band=good", []],
    ["?state=paused", []],
    ["?client=gone", []],
  ])("%s", async (query, names) => {
    const html = await listed(`/sites${query}`);
    expect(namesIn(html)).toEqual(names);
    expect(html.includes("<p data-site-none")).toBe(names.length === 0);
  });

  test("the order is in the header, with a link that reverses it", async () => {
    const html = await listed("/sites?sort=score&client=Acme");
    expect(html).toMatch(
      /<th scope="col" aria-sort="ascending"><a id="sort-score" href="\/sites\?client=Acme&amp;sort=score&amp;dir=desc" data-sort="score"/,
    );
  });

  test.each([
    ["rows=100", 100, "1 to 100 of 120 sites"],
    ["rows=7", 50, "1 to 50 of 120 sites"],
    ["page=3&sort=last", 23, "101 to 123 of 123 sites"],
    ["page=99", 23, "101 to 123 of 123 sites"],
    ["page=-1", 50, "1 to 50 of 123 sites"],
    ["page=2&q=none", 0, "0 to 0 of 0 sites"],
  ])("?%s has a page of the list", async (query, rows, count) => {
    await addMany(120);
    const html = await listed(`/sites?${query}${query.startsWith("rows") ? "&q=many" : ""}`);
    expect([namesIn(html).length, html.includes(count)]).toEqual([rows, true]);
  });

  test("links to other pages keep filter, order and rows; other filters begin with the first page", async () => {
    await addMany(120);
    const html = await listed("/sites?q=many&sort=name&dir=desc&page=2");
    expect(html).toContain('href="/sites?q=many&amp;dir=desc&amp;page=3#list" rel="next"');
    expect(html).toContain('href="/sites?q=many&amp;dir=desc#list" rel="prev"');
    expect(html).toContain('href="/sites?q=many&amp;dir=desc&amp;rows=100"');
    expect(html).toContain('href="/sites?q=many&amp;band=unknown&amp;dir=desc"');
  });

  test("each figure of the overview is the number of sites that its link shows", async () => {
    const [one, two] = [await add("worse", { tags: ["live"] }), await add("paused", { tags: ["live"] })];
    await measureOften(
      pages.store,
      one,
      [20, 2, 1].map((days) => ({ at: new Date(Date.now() - days * dayMs), shows: days === 20 ? "sound" : "bare" }) as const),
    );
    await pages.store.sites.change(account.id, two.id, () => ({ paused: true, nextRunAt: null }));
    for (const path of ["/sites", "/sites?tag=live", "/sites?state=paused&tag=live", "/sites?change=worse"]) {
      const overview = /<section class="overview"[\s\S]*?<\/section>/.exec(await listed(path))?.[0] ?? "";
      const links = [...overview.matchAll(/<a id="[^"]*" class="[^"]*" href="([^"]*)"( aria-current="true")?><strong>(\d+)</g)];
      expect(links.length).toBeGreaterThan(0);
      for (const [, href = "", isChosen, count] of links)
        if (isChosen === undefined)
          expect([href, namesIn(await listed(href.replaceAll("&amp;", "&"))).length]).toEqual([href, Number(count)]);
        else expect(path).not.toBe("/sites");
    }
  });

  test.each([
    ["?certificate=expired", ["late.example"]],
    ["?certificate=0", ["soon.example"]],
    ["?certificate=30", ["middle.example"]],
    ["?certificate=5", ["late.example", "soon.example", "middle.example", "far.example", "a.example", "b2.example", "b10.example"]],
    ["?state=waiting", ["a.example", "b2.example", "b10.example"]],
    ["?band=strong", ["late.example", "soon.example", "middle.example", "far.example"]],
    ["?band=warn", []],
  ])("%s", async (query, names) => {
    const days = { late: -0.5, soon: 3, middle: 39.5, far: 200 };
    for (const [name, left] of Object.entries(days)) {
      const site = await add(name);
      const certificateExpiresAt = new Date(Date.now() + left * dayMs + 60_000).toISOString();
      const reading = {
        token: "t",
        at: new Date().toISOString(),
        score: 90,
        band: "good",
        rank: "strong",
        open: 0,
        certificateExpiresAt,
      } as const;
      await pages.store.sites.change(account.id, site.id, () => ({ reading, nextRunAt: new Date(Date.now() + dayMs).toISOString() }));
    }
    expect(namesIn(await listed(`/sites${query}`)).toSorted()).toEqual(names.toSorted());
  });

  test("a query is escaped, and never becomes a row", async () => {
    const html = await (await visitor.get(`/sites?q=${encodeURIComponent('"><script>alert(1)</script>')}&client=%3Cb%3E`)).text();
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<b>");
  });
});

describe("names of sites", () => {
  test("are escaped everywhere", async () => {
    const name = `</a><script>alert(1)</script>"\u202e`;
    await add("x", { name, client: name, tags: [name] });
    const html = await listed();
    expect(html).not.toMatch(/<script>alert|<a href="\/clients\/[^"]*</);
    expect(html.replaceAll(/data-(value|text|client|tags)="[^"]*"|value="[^"]*"/g, "")).not.toContain("\u202e");
  });
});

describe("kept rows", () => {
  /** Asked without decompression by the client. */
  async function packed(path = "/sites"): Promise<string> {
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(`${pages.url}${path}`, { headers: { cookie, "accept-encoding": "gzip" }, decompress: false });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return gunzipSync(await answer.bytes()).toString();
  }
  const comparable = (html: string) => mainOf(html).replaceAll(/<!-- *-->|(?<=<\/html>)\s+/g, "");

  test("a compressed page is the page", async () => {
    await add("one", { name: "Stra\u00dfe" });
    await add("two", { client: "K\u00e4se" });
    for (const path of ["/sites", "/sites", "/sites?client=K%C3%A4se", `/sites?q=${"x".repeat(99)}`])
      expect(comparable(await packed(path))).toBe(comparable(await (await visitor.get(path, { "accept-encoding": "identity" })).text()));
  });

  test("follow each change of a site, the language and the day", async () => {
    const site = await add("one");
    expect(await packed()).toContain("one.example");
    await pages.store.sites.change(account.id, site.id, () => ({ name: "Renamed" }));
    expect(await packed()).toContain("Renamed");
    expect(await packed("/sites?locale=de-de")).toContain("Renamed ausw\u00e4hlen");
    visitor.cookies.delete("locale");
    await measureOften(pages.store, site, [{ at: new Date(Date.now() - dayMs), shows: "bare" }]);
    const expiresAt = new Date(Date.now() + 20.5 * dayMs).toISOString();
    await pages.store.sites.change(account.id, site.id, ({ reading }) => ({
      reading: reading === null ? null : { ...reading, certificateExpiresAt: expiresAt },
    }));
    const before = /class="warn">(\d+) days/.exec(await packed())?.[1];
    pages.advanceMs(2 * dayMs);
    visitor = await signedIn(pages, account);
    expect([Number(before) - Number(/class="warn">(\d+) days/.exec(await packed())?.[1])]).toEqual([2]);
  });

  test("are not those of another account", async () => {
    await add("mine");
    await packed();
    const other = await anotherAccount(pages);
    await addSite(pages.store, { accountId: other.id, url: "https://yours.example/", now: new Date() });
    visitor = await signedIn(pages, other);
    const html = await packed();
    expect([html.includes("mine.example"), html.includes("yours.example")]).toEqual([false, true]);
  });
});

describe("actions on several sites", () => {
  let sites: readonly Site[];
  beforeEach(async () => {
    sites = [await add("one"), await add("two"), await add("three")];
  });
  const stored = () => pages.store.sites.list(account.id);
  const chosen = (count: number) => sites.slice(0, count).map(({ id }) => ["site[]", String(id)] as const);

  test("pause and resume, and wake the clock", async () => {
    const answer = await send([["do", "pause"], ...chosen(2)], "/sites?q=e");
    expect(answer.headers.get("location")).toBe("/sites?q=e&done=pause&count=2");
    expect(stored().map(({ paused, nextRunAt }) => [paused, nextRunAt === null])).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    await send([["do", "resume"], ...chosen(2)]);
    expect(stored().every(({ paused, nextRunAt }) => !paused && nextRunAt !== null)).toBe(true);
    expect(pages.clockWoken).toBe(2);
  });

  test("set client and tags", async () => {
    await send([["do", "client"], ["value", " Acme "], ...chosen(2)]);
    await send([["do", "tag"], ["value", "live"], ...chosen(3)]);
    await send([["do", "untag"], ["value", "live"], ...chosen(1)]);
    expect(stored().map(({ client, tags }) => [client, tags])).toEqual([
      ["Acme", []],
      ["Acme", ["live"]],
      [null, ["live"]],
    ]);
    await send([["do", "client"], ["value", ""], ...chosen(2)]);
    expect(stored().every(({ client }) => client === null)).toBe(true);
  });

  test("a tag leaves out sites that have as many as they may have", async () => {
    const [full] = stored();
    await pages.store.sites.change(account.id, full?.id ?? 0, () => ({ tags: Array.from({ length: 20 }, (_none, at) => `t${at}`) }));
    const answer = await send([["do", "tag"], ["value", "live"], ...chosen(2)]);
    expect(answer.headers.get("location")).toBe("/sites?done=tag&count=1&left=1");
    expect(await listed("/sites?done=tag&count=1&left=1")).toContain("1 site was left out: it has as many tags as it may have.");
    expect(stored().map(({ tags }) => tags.includes("live"))).toEqual([false, true, false]);
  });

  test("a full disk stores nothing and says so", async () => {
    const { changeAll } = pages.store.sites;
    pages.store.sites.changeAll = () => Promise.reject(new DataDirError("full", "no room left"));
    const answer = await send([["do", "pause"], ...chosen(2)]);
    pages.store.sites.changeAll = changeAll;
    expect([answer.status, answer.headers.get("retry-after"), (await answer.text()).includes("disk of this appliance is full")]).toEqual([
      503,
      "60",
      true,
    ]);
  });

  test("scan now: a site whose scan is under way is left out", async () => {
    const answer = await send([["do", "scan"], ...chosen(2)]);
    expect(answer.headers.get("location")).toBe("/sites?done=scan&count=2");
    expect(pages.woken).toBe(1);
    const again = await send([["do", "scan"], ...chosen(3)]);
    expect(again.headers.get("location")).toBe("/sites?done=scan&count=1&left=2");
    const html = await listed("/sites?done=scan&count=1&left=2");
    expect(html).toContain("1 site is being scanned.");
    expect(html).toContain("2 sites were left out");
    expect(html).toContain("scan in progress");
  });

  test("reach all sites of a filter, also on other pages, and none that joins it meanwhile", async () => {
    await addMany(120);
    const html = await listed("/sites?q=many&select=all");
    expect(html).toContain("All 120 sites of this filter are chosen, also on other pages.");
    // No single one of them can be left out, so that the form says what it does.
    expect(html.match(/ checked disabled /g)).toHaveLength(50);
    const ids = /name="sites" value="([\d ]+)"/.exec(html)?.[1] ?? "";
    await add("many-late");
    const answer = await send(
      [
        ["do", "pause"],
        ["sites", ids],
      ],
      "/sites?q=many&page=2",
    );
    expect(answer.headers.get("location")).toBe("/sites?q=many&page=2&done=pause&count=120");
    expect(stored().filter(({ paused }) => paused)).toHaveLength(120);
    const refused = await (
      await send(
        [
          ["do", "tag"],
          ["value", ""],
          ["sites", ids],
        ],
        "/sites?q=many",
      )
    ).text();
    expect(refused).toContain(`name="sites" value="${ids}"`);
  });

  test("deletion asks first, on a page that names the sites", async () => {
    const question = await send([["do", "delete"], ...chosen(2)], "/sites?q=o");
    const html = await question.text();
    expect([question.status, stored().length]).toEqual([200, 3]);
    expect(html).toContain("Delete 2 sites?");
    expect(html).toContain('action="/sites?q=o"');
    const answer = await send([["do", "delete"], ["confirm", "yes"], ...chosen(2)]);
    expect([answer.headers.get("location"), stored().map(({ name }) => name)]).toEqual(["/sites?done=delete&count=2", ["three.example"]]);
  });

  test.each([
    ["without a chosen site", [["do", "pause"]], "No site is chosen."],
    [
      "an empty tag",
      [
        ["do", "tag"],
        ["value", " "],
        ["site[]", "first"],
      ],
      "This field is empty.",
    ],
    [
      "a tag that is too long",
      [
        ["do", "tag"],
        ["value", "x".repeat(50)],
        ["site[]", "first"],
      ],
      "longer than 40 characters",
    ],
    [
      "an invisible client",
      [
        ["do", "client"],
        ["value", "a\u202eb"],
        ["site[]", "first"],
      ],
      "characters that change the direction",
    ],
  ] as const)("refuse %s, and keep what was chosen", async (_case, fields, text) => {
    const first = String(sites[0]?.id);
    const answer = await send(fields.map(([name, value]) => [name, value === "first" ? first : value] as const));
    const html = await answer.text();
    expect([answer.status, html.includes(text)]).toEqual([400, true]);
    expect(html.includes(`value="${first}" form="bulk" checked`)).toBe(fields.some(([name]) => name === "site[]"));
    expect(html).toContain('<details class="bulk" open');
  });

  test("take no site of another account, and no other form", async () => {
    const other = await anotherAccount(pages);
    const theirs = await addSite(pages.store, { accountId: other.id, url: "https://yours.example/", now: new Date() });
    const answer = await send([
      ["do", "delete"],
      ["confirm", "yes"],
      ["site[]", String(theirs.id)],
    ]);
    expect([answer.status, pages.store.sites.find(other.id, theirs.id)]).toEqual([400, theirs]);
    for (const field of ["", "drop"]) expect((await send({ do: field, "site[]": String(sites[0]?.id) })).status).toBe(400);
  });

  test("all sites shown are chosen by a link, without script", async () => {
    const html = await listed("/sites?q=one&select=all");
    expect(html.match(/ checked/g)).toHaveLength(1);
  });
});

describe("an action with values of its own", () => {
  test("asks for the schedule, with faults beside their fields, and sets it for the chosen sites", async () => {
    const [one, other] = [await add("one"), await add("other")];
    const picked = [one, other].map(({ id }) => ["site[]", String(id)] as const);
    const asked = await (await send([["do", "schedule"], ...picked])).text();
    expect(asked).toContain("Schedule of 2 sites");
    expect(asked).toMatch(/name="every"[\s\S]*name="cron"[\s\S]*name="zone"/);
    const steps = [["do", "schedule"], ["confirm", "yes"], ...picked] as const;
    const refused = await send([...steps, ["every", "cron"], ["cron", "* * * * *"], ["zone", "UTC"]]);
    expect([refused.status, (await refused.text()).includes("This pattern runs more than once an hour")]).toEqual([400, true]);
    const lost = await send([...steps, ["every", "daily"], ["cron", "0 3 * * *"], ["zone", ""]]);
    expect(lost.status).toBe(400);
    const set = await send([...steps, ["every", "daily"], ["cron", ""], ["zone", ""]]);
    expect([set.status, set.headers.get("location")]).toEqual([303, "/sites?done=schedule&count=2"]);
    expect(pages.store.sites.list(account.id).map(({ schedule }) => schedule)).toEqual([{ every: "daily" }, { every: "daily" }]);
    expect(await listed("/sites?done=schedule&count=2")).toContain("The schedule of 2 sites was changed.");
  });

  test("accepts a finding that the chosen sites have, and says where none is open", async () => {
    const [broken, fresh] = [await add("broken"), await add("fresh")];
    await measureOften(pages.store, broken, [{ at: new Date(Date.now() - dayMs), shows: "bare" }]);
    const code = "security.hsts.max-age-too-short";
    const picked = (sites: readonly Site[]) => sites.map(({ id }) => ["site[]", String(id)] as const);
    const none = await (await send([["do", "accept"], ...picked([fresh])])).text();
    expect(none).toContain("These sites have no open finding.");
    const asked = await (await send([["do", "accept"], ...picked([broken, fresh])])).text();
    expect(asked).toMatch(new RegExp(`value="${code}"[^>]*>[^<]* \\(at 1 site\\)`));
    const steps = [["do", "accept"], ["confirm", "yes"], ["code", code], ...picked([broken, fresh])] as const;
    expect((await send([...steps, ["reason", ""], ["until", ""]])).status).toBe(400);
    const before = pages.store.sites.find(account.id, broken.id)?.reading?.open ?? 0;
    const accepted = await send([...steps, ["reason", "Ours"], ["until", ""]]);
    expect(accepted.headers.get("location")).toBe("/sites?done=accept&count=2");
    const after = pages.store.sites.list(account.id);
    expect(after.map((site) => site.accepted.map((one) => one.code))).toEqual([[code], [code]]);
    expect(after.find(({ id }) => id === broken.id)?.reading?.open).toBe(before - 1);
  });

  test("offers a location only where there is a choice, and refuses an unknown one", async () => {
    const { id } = await add("one");
    expect(await listed()).not.toContain('value="location"');
    const steps = [
      ["do", "location"],
      ["confirm", "yes"],
      ["site[]", String(id)],
      ["location", "nowhere"],
    ] as const;
    expect((await send(steps)).status).toBe(400);
    expect(pages.store.sites.find(account.id, id)?.location).toBe("local");
  });
});
