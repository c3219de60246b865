/** `/account/tokens`: creation, use, expiry, revocation and ownership. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authenticate } from "../../../../src/accounts/token-operations.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import { inputValueOf, mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";

const path = "/account/tokens";
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

function send(fields: Readonly<Record<string, string>>, by = visitor): Promise<Response> {
  return by.post(path, fields, path);
}

async function made(name = "ci", expires = "90d"): Promise<string> {
  return inputTokenOf(await (await send({ do: "create", name, expires })).text());
}

function inputTokenOf(html: string): string {
  return /assay_[0-9A-Za-z]{38}/.exec(html)?.[0] ?? "";
}

function letIn(value: string, now = new Date()): string {
  return authenticate(pages.store, value, now).status;
}

/** Number of the newest token. */
const newest = () => String(pages.store.apiTokens.listOfAccount(account.id)[0]?.id);

test("a token is shown once, with a command for this server", async () => {
  const answer = await send({ do: "create", name: "ci", expires: "90d" });
  const text = await answer.text();
  const value = inputTokenOf(text);
  expect([answer.status, answer.headers.get("cache-control"), letIn(value)]).toEqual([200, "no-store", "authenticated"]);
  expect(mainOf(text).replaceAll("&#39;", "'")).toContain(`curl -H 'Authorization: Bearer ${value}' '${pages.url}/api/v1/scans'`);
  const list = mainOf(await (await visitor.get(path)).text());
  expect(list).not.toContain(value);
  expect(list).toContain(`${value.slice(0, 10)}...`);
  expect(pages.logged.join("")).not.toContain(value);
});

test.each([
  ["30d", 30],
  ["90d", 90],
  ["365d", 365],
] as const)("a token for %s expires after %i days", async (expires, days) => {
  const value = await made("ci", expires);
  const after = (ms: number) => new Date(Date.now() + days * 86_400_000 + ms);
  expect([letIn(value, after(-60_000)), letIn(value, after(60_000))]).toEqual(["authenticated", "refused"]);
});

test("the default is ninety days; unlimited tokens are possible", async () => {
  expect(await (await visitor.get(path)).text()).toMatch(/<option value="90d" selected/);
  expect(letIn(await made("ci", "never"), new Date("2099-01-01"))).toBe("authenticated");
});

test("revoking is immediate and limited to own tokens", async () => {
  const value = await made();
  const other = await signedIn(pages, await accountIn(pages, "you@assay.test"));
  await send({ do: "revoke", token: newest() }, other);
  expect(letIn(value)).toBe("authenticated");
  const answer = await send({ do: "revoke", token: newest() });
  expect([answer.headers.get("location"), letIn(value)]).toEqual([`${path}?done=revoked`, "refused"]);
  const text = mainOf(await (await visitor.get(`${path}?done=revoked`)).text());
  expect(text).toContain("revoked on");
  expect(text).not.toContain('value="revoke"');
  expect(mainOf(await (await other.get(path)).text())).not.toContain(value.slice(0, 10));
});

test("invalid tokens leave the list after thirty days", async () => {
  await made("gone");
  await send({ do: "revoke", token: newest() });
  await made("lasting", "never");
  pages.advanceMs(29 * 86_400_000);
  expect(mainOf(await (await visitor.get(path)).text())).toContain("gone");
  pages.advanceMs(2 * 86_400_000);
  const text = mainOf(await (await visitor.get(path)).text());
  expect([text.includes("gone"), text.includes("lasting")]).toEqual([false, true]);
});

describe("typed text", () => {
  test("keeps the typed name after an error", async () => {
    const answer = await send({ do: "create", name: "  ", expires: "30d" });
    const text = await answer.text();
    expect([answer.status, text.includes("The token has no name."), /<option value="30d" selected/.test(text)]).toEqual([400, true, true]);
    expect(pages.store.apiTokens.listOfAccount(account.id)).toEqual([]);
  });

  test("is escaped everywhere", async () => {
    const name = `</code><script>alert(1)</script>"\u202e`;
    const answer = await send({ do: "create", name, expires: "30d" });
    const both = (await answer.text()) + (await (await visitor.get(path)).text());
    expect(both).not.toMatch(/<script>alert|\u202e/);
  });

  test.each([{}, { do: "create", name: "x", expires: "1d" }, { do: "revoke", token: "-1" }, { do: "revoke", token: "1 or 1" }])(
    "is a form of ours: not %j",
    async (fields) => expect((await send(fields as Record<string, string>)).status).toBe(400),
  );

  test("is cut to 100 characters", async () => {
    await made("n".repeat(500));
    expect(pages.store.apiTokens.listOfAccount(account.id)[0]?.name).toHaveLength(100);
    expect(inputValueOf(await (await visitor.get(path)).text(), "name")).toBe("");
  });
});

test("at most 100 valid tokens; revoking one allows another", async () => {
  for (let count = 0; count < 100; count++) await pages.store.apiTokens.create({ accountId: account.id, name: "x", now: new Date() });
  const full = await send({ do: "create", name: "one more", expires: "30d" });
  expect([full.status, (await full.text()).includes("as many valid API tokens as it may have")]).toEqual([400, true]);
  await send({ do: "revoke", token: newest() });
  expect(await made("one more")).not.toBe("");
});

test("a plan without API access shows a notice before a token is created", async () => {
  expect(mainOf(await (await visitor.get(path)).text())).not.toContain("403");
  await pages.store.accounts.setPlan(account.id, "free");
  expect(mainOf(await (await visitor.get(path)).text())).toMatch(/plan Free does not include API access.*403/s);
  const made = await send({ do: "create", name: "ci", expires: "90d" });
  expect(mainOf(await made.text())).toMatch(/plan Free does not include API access.*403.*curl/s);
});
