/** `/account/rules`: scopes, events, severity, channels, and rights of other accounts. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Channel } from "../../../../src/store/channels.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

const path = "/account/rules";
let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;
let channel: Channel;
let site: Site;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
  channel = await addChannel(account, "Chat");
  const now = new Date();
  site = await addSite(pages.store, { accountId: account.id, url: "https://a.example/", client: "Acme: 1", tags: ["live"], now });
});
afterAll(() => pages.stop());

async function addChannel({ id: accountId }: Account, name: string): Promise<Channel> {
  const target = "https://hooks.example/";
  const added = await pages.store.channels.add({ accountId, kind: "webhook", name, target, secrets: [], verified: true, now: new Date() });
  if (added === "full") throw new Error(added);
  return added;
}

const rules = () => pages.store.rules.list(account.id);
const send = (fields: Readonly<Record<string, string>>, by = visitor) => by.post(path, fields, path);
const create = (fields: Readonly<Record<string, string>> = {}) =>
  send({ do: "create", scope: "all", "event[]": "finding.opened", severity: "high", "channel[]": String(channel.id), ...fields });

test.each([
  ["all", { kind: "all" }, "All sites"],
  ["tag:live", { kind: "tag", tag: "live" }, "Tag: live"],
  ["client:Acme: 1", { kind: "client", client: "Acme: 1" }, "Client: Acme: 1"],
] as const)("a rule is created for %s", async (scope, expected, text) => {
  expect((await create({ scope })).headers.get("location")).toBe(`${path}?done=added`);
  expect(rules()).toEqual([
    expect.objectContaining({ scope: expected, events: ["finding.opened"], severityMin: "high", channelIds: [channel.id] }),
  ]);
  const html = mainOf(await (await visitor.get(path)).text());
  const table = html.slice(html.indexOf("<table"), html.indexOf("</table"));
  for (const shown of [text, "New findings", "High", "Chat"]) expect(table).toContain(shown);
});

test("a rule is changed by the form that shows it", async () => {
  const second = await addChannel(account, "Ops");
  await create({ scope: "client:Acme: 1" });
  const [rule] = rules();
  const at = `${path}?edit=${rule?.id}`;
  const html = mainOf(await (await visitor.get(at)).text());
  expect(html).toContain("Change rule");
  expect(html).toMatch(/value="client:Acme: 1"[^>]*selected|selected[^>]*value="client:Acme: 1"/);
  const change = { do: "change", rule: String(rule?.id), scope: "tag:live", "event[]": "site.unreachable", severity: "low" };
  const answer = await visitor.post(path, { ...change, "channel[]": String(second.id) }, at);
  expect(answer.headers.get("location")).toBe(`${path}?done=changed`);
  const changed = { scope: { kind: "tag", tag: "live" }, events: ["site.unreachable"], severityMin: "low", channelIds: [second.id] };
  expect(rules()).toEqual([{ ...rule, ...changed } as never]);
});

test("a refused change shows what was typed, and changes nothing", async () => {
  await create();
  const before = rules();
  const answer = await send({ do: "change", rule: String(before[0]?.id), scope: "all", severity: "low", "channel[]": String(channel.id) });
  const html = mainOf(await answer.text());
  expect([answer.status, html.includes("No event is chosen"), html.includes("Change rule")]).toEqual([400, true, true]);
  expect(rules()).toEqual(before);
});

test("a rule whose client has no site any more keeps its scope", async () => {
  await create({ scope: "client:Acme: 1" });
  await pages.store.sites.change(account.id, site.id, () => ({ client: null }));
  const id = String(rules()[0]?.id);
  expect(mainOf(await (await visitor.get(`${path}?edit=${id}`)).text())).toContain("Client: Acme: 1");
  const kept = { do: "change", rule: id, scope: "client:Acme: 1", "event[]": "site.unreachable", severity: "low" };
  expect((await send({ ...kept, "channel[]": String(channel.id) })).status).toBe(303);
  expect(rules()).toMatchObject([{ scope: { kind: "client", client: "Acme: 1" }, severityMin: "low" }]);
  expect((await create({ scope: "client:Acme: 1" })).status).toBe(400);
});

test("a rule for one site goes with the site", async () => {
  await create({ scope: `site:${site.id}` });
  expect(rules()[0]?.scope).toEqual({ kind: "site", siteId: site.id });
  expect(mainOf(await (await visitor.get(path)).text())).toContain("Site: a.example");
  await pages.store.sites.remove(account.id, [site.id], account.id);
  expect(rules()).toEqual([]);
});

test.each([
  [{ scope: "site:987" }, "These sites are not known."],
  [{ scope: "tag:other" }, "These sites are not known."],
  [{ scope: "" }, "These sites are not known."],
  [{ "event[]": "site.burned" }, "No event is chosen."],
  [{ "channel[]": "987" }, "No channel is chosen."],
])("is refused with %j, and keeps what was chosen", async (fields, text) => {
  const answer = await create(fields as Record<string, string>);
  const html = await answer.text();
  expect([answer.status, html.includes(text), rules()]).toEqual([400, true, []]);
  expect(html).toContain('<option value="high" selected');
});

test("is a form of ours: no unknown severity or action", async () => {
  for (const fields of [{ severity: "awful" }, { do: "burn" }]) expect((await create(fields as Record<string, string>)).status).toBe(400);
});

test("a rule is deleted", async () => {
  await create();
  expect((await send({ do: "delete", rule: String(rules()[0]?.id) })).headers.get("location")).toBe(`${path}?done=deleted`);
  expect(rules()).toEqual([]);
});

test("without a channel there is no form", async () => {
  await pages.store.channels.remove(account.id, channel.id);
  const html = mainOf(await (await visitor.get(path)).text());
  expect([html.includes("<form"), html.includes("Add a channel first")]).toEqual([false, true]);
});

test("other accounts can use neither its rules, nor its channels and sites", async () => {
  await create({ scope: `site:${site.id}` });
  const before = rules();
  const otherAccount = await accountIn(pages, "other@assay.test");
  const other = await signedIn(pages, otherAccount);
  const own = await addChannel(otherAccount, "Own");
  await send({ do: "delete", rule: String(before[0]?.id) }, other);
  const changed = { do: "change", rule: String(before[0]?.id), scope: "all", "event[]": "finding.opened", severity: "low" };
  expect((await send({ ...changed, "channel[]": String(own.id) }, other)).status).toBe(404);
  expect((await other.get(`${path}?edit=${before[0]?.id}`)).status).toBe(404);
  const taken = { do: "create", scope: "all", "event[]": "finding.opened", severity: "high" };
  expect((await send({ ...taken, "channel[]": String(channel.id) }, other)).status).toBe(400);
  expect((await send({ ...taken, scope: `site:${site.id}`, "channel[]": String(own.id) }, other)).status).toBe(400);
  expect([rules(), pages.store.rules.list(otherAccount.id)]).toEqual([before, []]);
  expect(mainOf(await (await other.get(path)).text())).not.toContain("a.example");
});

test("names of sites, tags and clients are escaped", async () => {
  const name = `</option><script>alert(1)</script>\u202e`;
  await addSite(pages.store, { accountId: account.id, url: "https://b.example/", name, client: name, tags: [name], now: new Date() });
  await create({ scope: `tag:${name}` });
  expect(rules()).toHaveLength(1);
  expect(await (await visitor.get(path)).text()).not.toMatch(/<script>alert|\u202e[^"]*<\/option>/);
});
