/** Channels of chat services on the pages: the form, the URL as a secret, and in words why a delivery failed. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import { type Channel, type ChatKind, chatKinds } from "../../../../src/store/channels.ts";
import { newSiteState } from "../../../../src/store/site-runs.ts";
import { chatPlace, chatVendors } from "../../../support/chat-receivers.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { type SiteServicesUnderTest, siteServices } from "../../../support/site-services.ts";
import { addSite } from "../../../support/watched-sites.ts";

const path = "/account/channels";
const deliveriesPath = "/account/deliveries";
let pages: PagesUnderTest;
let services: SiteServicesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  services = siteServices();
  pages = await startPages({ sites: services });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  services.reset();
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

const send = (fields: Readonly<Record<string, string>>) => visitor.post(path, fields, path);
const shown = async (at = path) => mainOf(await (await visitor.get(at)).text());
const stored = () => pages.store.channels.list(account.id);
const products: Readonly<Record<ChatKind, string>> = {
  ...{ slack: "Slack", teams: "Microsoft Teams", discord: "Discord", mattermost: "Mattermost", ntfy: "ntfy" },
};
const urlOf = (kind: ChatKind) => `http://127.0.0.1:9${chatPlace(kind)}`;

function only(): Channel {
  const [channel, ...more] = stored();
  if (channel === undefined || more.length > 0) throw new Error(`${stored().length} channels`);
  return channel;
}

test("the form offers every service, with a line on where to find its URL", async () => {
  const html = await shown();
  for (const kind of chatKinds) {
    expect(html).toContain(`<option value="${kind}"`);
    expect(html).toContain(`<strong>${products[kind]}</strong>: `);
  }
});

describe.each(chatKinds)("a channel of %s", (kind) => {
  const create = (fields: Readonly<Record<string, string>> = {}) => send({ do: "create", kind, target: urlOf(kind), ...fields });

  test("is added with a rule, named after its service, and its URL is never shown again", async () => {
    expect((await create({ all: "yes" })).headers.get("location")).toBe(`${path}?done=added`);
    expect(only()).toMatchObject({ kind, name: products[kind], target: urlOf(kind), secrets: [], disabled: null });
    expect(only().verifiedAt).not.toBeNull();
    expect(pages.store.rules.list(account.id)).toHaveLength(1);
    const list = await shown();
    expect(list).toContain(products[kind]);
    expect(list).toContain("http://127.0.0.1:9/...");
    for (const html of [list, await shown(`${path}?edit=${only().id}`), await shown("/account/rules"), pages.logged.join("")])
      expect(html).not.toContain(chatVendors[kind].token);
    expect(list).not.toContain('value="rotate"');
  });

  test("keeps its URL if none is typed, and takes another one", async () => {
    await create();
    const change = (target: string) => send({ do: "change", channel: String(only().id), name: "Alarms", target });
    expect((await change("")).headers.get("location")).toBe(`${path}?done=changed`);
    expect(only()).toMatchObject({ name: "Alarms", target: urlOf(kind) });
    expect((await change("https://example.org/page/of/other")).status).toBe(400);
    const other = urlOf(kind).replace("127.0.0.1:9", "127.0.0.1:7");
    await change(other);
    expect(only().target).toBe(other);
  });

  test("refuses a URL of something else, and shows how one looks", async () => {
    const answer = await create({ target: "https://example.org/page/of/something" });
    const html = await answer.text();
    expect([answer.status, stored().length]).toEqual([400, 0]);
    expect(html).toContain(`not the URL of an incoming webhook of ${products[kind]}`);
    expect(html).toContain(`<option value="${kind}" selected`);
    expect((await create({ target: urlOf(kind).replace("127.0.0.1", "10.0.0.1") })).status).toBe(400);
  });
});

test("a channel that its service has ended says so", async () => {
  await send({ do: "create", kind: "discord", target: urlOf("discord") });
  await pages.store.channels.disable(account.id, only().id, "gone", new Date());
  expect(await shown()).toContain("disabled, because the chat service does not accept its URL any more");
});

describe("the page of deliveries says in words why one failed", () => {
  async function store(status: number | null, because: string): Promise<void> {
    const [accountId, now] = [account.id, new Date()];
    const given = { accountId, kind: "slack", name: "Chat", target: urlOf("slack"), secrets: [], verified: true, now } as const;
    const channel = await pages.store.channels.add(given);
    if (channel === "full") throw new Error(channel);
    const scope = { kind: "all" } as const;
    await pages.store.rules.add({ accountId, scope, events: ["site.recovered"], severityMin: "info", channelIds: [channel.id], now });
    const site = await addSite(pages.store, { accountId, url: "https://a.example/", name: "Shop", now });
    const event = { type: "site.recovered", token: null, data: { since: now.toISOString() } } as const;
    await pages.store.siteRuns.noteState(site, () => ({ state: newSiteState, events: [event] }), now);
    const [delivery] = pages.store.deliveries.list(accountId, { limit: 1, cursor: null }).items;
    if (delivery === undefined) throw new Error("no delivery");
    const nextAttemptAt = new Date(now.getTime() + 90_000);
    await pages.store.deliveries.noteAttempt(
      delivery,
      { at: now.toISOString(), ms: 12, status, because },
      { state: "waiting", nextAttemptAt },
    );
  }

  test.each([
    [401, "status", "does not accept this URL", "nimmt diese URL nicht an"],
    [403, "status", "does not accept this URL", "nimmt diese URL nicht an"],
    [404, "status", "does not accept this URL", "nimmt diese URL nicht an"],
    [400, "status", "refused the message", "hat die Nachricht abgelehnt"],
    [413, "status", "too large", "zu gro\u00df"],
    [429, "status", "asks to wait", "bittet zu warten"],
    [500, "status", "a fault of its own", "selbst einen Fehler"],
    [503, "status", "a fault of its own", "selbst einen Fehler"],
    [302, "redirect", "is not followed", "wird nicht gefolgt"],
    [404, "gone", "does not accept this URL", "nimmt diese URL nicht an"],
    [410, "gone", "wants nothing more", "m\u00f6chte nichts mehr"],
    [null, "timeout", "did not answer in time", "nicht rechtzeitig"],
    [null, "refused", "refused the connection", "Verbindung abgelehnt"],
    [null, "certificate", "certificate of the receiver", "Zertifikat des Empf\u00e4ngers"],
    [null, "blocked", "must not connect", "darf diese Adresse nicht"],
  ] as const)("%s %s", async (status, because, english, german) => {
    await store(status, because);
    const html = await shown(deliveriesPath);
    expect(html).toContain(english);
    expect(html).toContain("Next attempt:");
    expect(html).not.toContain(chatVendors.slack.token);
    expect(await shown(`${deliveriesPath}?locale=de-de`)).toContain(german);
  });

  test("and keeps the code of failures of mail", async () => {
    await store(550, "recipient");
    expect(await shown(deliveriesPath)).toContain("<code>recipient</code>");
  });
});
