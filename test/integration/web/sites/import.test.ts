/** `/sites/import`: a result for each line, a confirmation, and tables as spreadsheets write them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

const path = "/sites/import";
let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

const send = (text: string, button = "preview") => visitor.post(path, { do: button, text }, path);
const stored = () => pages.store.sites.list(account.id);

interface PreviewRow {
  readonly line: string;
  readonly result: string;
  readonly url: string;
}

/** Rows of the preview, as text. */
function rowsOf(html: string): readonly PreviewRow[] {
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(mainOf(html))?.[1] ?? "";
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) => {
    const cells = [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, ""));
    return { line: cells[0] ?? "", result: cells[1] ?? "", url: cells[2] ?? "" };
  });
}

test("a preview adds nothing, and lists the lines that are left out first", async () => {
  await addSite(pages.store, { accountId: account.id, url: "https://known.example/", now: new Date() });
  const answer = await send(["one.example,One,Acme,a|b", "not an address", "", "https://known.example/", "one.example,Again"].join("\n"));
  const html = await answer.text();
  expect([answer.status, stored().length]).toEqual([200, 1]);
  expect(rowsOf(html)).toEqual([
    {
      line: "2",
      result: "Left out An address cannot contain spaces, control characters or backslashes. Check what you typed.",
      url: "not an address",
    },
    { line: "4", result: "Left out This address is watched already.", url: "https://known.example/" },
    { line: "5", result: "Left out The same address is in line 1.", url: "one.example" },
    { line: "1", result: "Can be added", url: "https://one.example/" },
  ]);
  expect(html).toContain("1 site can be added. 3 lines are left out.");
  expect(html).toContain("Add 1 site");
});

test("the confirmation adds the good lines, and reports the others", async () => {
  const text = ["one.example,One,Acme,a|b", "not an address", "two.example;x", "three.example"].join("\n");
  const answer = await send(text, "add");
  expect(answer.headers.get("location")).toBe("/sites?done=import&count=2&left=2");
  expect(stored().map(({ url, name, client, tags }) => [url, name, client, tags])).toEqual([
    ["https://one.example/", "One", "Acme", ["a", "b"]],
    ["https://three.example/", "three.example", null, []],
  ]);
  expect(pages.clockWoken).toBe(1);
  const html = mainOf(await (await visitor.get("/sites?done=import&count=2&left=2")).text());
  expect(html).toContain("2 sites were added. 2 lines were left out.");
  const again = await send(text, "add");
  expect(again.headers.get("location")).toBe("/sites?done=import&count=0&left=4");
});

test.each([
  [
    "byte order mark, semicolons, CRLF and a header in another order",
    '\ufeffName;URL;Tags;Client\r\n"K\u00e4se; Co";kaese.example;a|b;"\u00c4cme"\r\n',
    ["https://kaese.example/", "K\u00e4se; Co", "\u00c4cme", ["a", "b"]],
  ],
  ["tabs", "tabs.example\tTabs\tAcme\tx", ["https://tabs.example/", "Tabs", "Acme", ["x"]]],
])("reads %s", async (_case, text, site) => {
  await send(text, "add");
  expect(stored().map(({ url, name, client, tags }) => [url, name, client, tags])).toEqual([site]);
});

test("lines beyond the plan are left out", async () => {
  const free = await accountIn(pages, "free@assay.test", { plan: "free" });
  visitor = await signedIn(pages, free);
  const text = Array.from({ length: 5 }, (_none, at) => `${at}.example.org`).join("\n");
  expect(rowsOf(await (await send(text)).text()).filter(({ result }) => result.includes("The plan includes 3 sites"))).toHaveLength(2);
  await send(text, "add");
  expect(pages.store.sites.count(free.id)).toBe(3);
});

describe("a table as a whole", () => {
  test.each([
    ["is empty", " \n\n", "There is no line with a site."],
    ["has too many lines", Array.from({ length: 1_001 }, (_none, at) => `${at}.example`).join("\n"), "more than 1,000 lines"],
    ["is too large", `a.example\n${"x".repeat(1_048_600)}`, "larger than 1 MB"],
  ])("%s: the error is at the field", async (_case, text, words) => {
    const answer = await send(text);
    const html = await answer.text();
    expect([answer.status, html.includes(words), stored()]).toEqual([400, true, []]);
    expect(html).toMatch(/<textarea id="text"[^>]*aria-invalid="true"/);
  });

  test("of a thousand lines is previewed and added", async () => {
    const text = Array.from({ length: 1_000 }, (_none, at) => `site-${at}.example,Site ${at},Client ${at % 50},a|b`).join("\n");
    expect(rowsOf(await (await send(text)).text())).toHaveLength(1_000);
    await send(text, "add");
    expect(stored()).toHaveLength(1_000);
  }, 120_000);

  test("beyond the limit of the form is refused unread", async () => {
    expect((await send("\u00e4".repeat(1_100_000))).status).toBe(413);
  });
});

test("hostile cells are escaped", async () => {
  const html = await (
    await send(`"=cmd|' /C calc'!A0","<script>alert(1)</script>"\nx.example,"<img src=x onerror=alert(1)>\u202e",<b>,<i>`)
  ).text();
  expect(html).not.toMatch(/<script>alert|<img src=x|<b>|<i>/);
  expect(html).toContain("change the direction");
});

test("a form without one of its buttons is refused", async () => {
  expect((await send("a.example", "")).status).toBe(400);
});
