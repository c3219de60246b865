/** The API of channels and rules on a running server, with webhooks to a server on loopback. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channelsMax, chatKinds } from "../../../src/store/channels.ts";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { rulesMax } from "../../../src/store/notification-rules.ts";
import { type AccountClient, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { chatPlace, chatVendors } from "../../support/chat-receivers.ts";
import { addSite } from "../../support/watched-sites.ts";

let api: ApiUnderTest;
let client: AccountClient;
let other: AccountClient;
/** Answers 204, or the status in its path. */
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => new Response(null, { status: Number(/\d{3}$/.exec(url)?.[0] ?? 204) }),
});
const hook = `http://127.0.0.1:${receiver.port}/hook`;

beforeAll(async () => {
  api = await startAccountApi();
  other = await accountClient(api);
});
beforeEach(async () => {
  client = await accountClient(api);
  Object.assign(api.services.mail, { configured: true, outcome: "sent" });
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
  await receiver.stop(true);
});

async function addChannel(fields: object = {}): Promise<number> {
  const { status, body } = await client.call("POST", "/channels", { kind: "webhook", target: hook, ...fields });
  expect(status).toBe(201);
  return body.id;
}
const mail = (target: string) => ({ kind: "mail", target });
const lastConfirmation = () => api.services.confirmations.at(-1);
const confirm = (id: number) => api.store.channels.confirm(client.accountId, id, lastConfirmation()?.value ?? "", new Date());

async function confirmedMail(address: string): Promise<number> {
  const { id } = (await client.call("POST", "/channels", mail(address))).body;
  expect(await confirm(id)).toBeDefined();
  return id;
}

describe.each(chatKinds)("a channel of %s", (kind) => {
  const target = `http://127.0.0.1:${receiver.port}${chatPlace(kind)}`;
  const shown = `http://127.0.0.1:${receiver.port}/...`;

  test("is added without a secret, and its URL is in no answer", async () => {
    const { status, body } = await client.call("POST", "/channels", { kind, target });
    expect([status, body.kind, body.target, body.secret, body.secretCount]).toEqual([201, kind, shown, null, 0]);
    expect(api.store.channels.find(client.accountId, body.id)).toMatchObject({ kind, target, disabled: null });
    const { id } = body;
    const changed = await client.call("PATCH", `/channels/${id}`, { name: "Alarms" });
    expect([changed.status, changed.body.name, changed.body.target]).toEqual([200, "Alarms", shown]);
    for (const at of ["/channels", `/channels/${id}`, "/audit"])
      expect(JSON.stringify((await client.call("GET", at)).body)).not.toContain(chatVendors[kind].token);
    expect((await client.call("POST", `/channels/${id}/rotate-secret`)).status).toBe(409);
    // The masked form is no URL of the service, so that it never replaces the stored one.
    expect((await client.call("PATCH", `/channels/${id}`, { target: shown })).status).toBe(400);
    expect(api.store.channels.find(client.accountId, id)?.target).toBe(target);
  });

  test("refuses the URL of something else with an example", async () => {
    const { status, body } = await client.call("POST", "/channels", { kind, target: "https://example.org/page/of/something" });
    expect([status, body.fieldErrors.target]).toEqual([400, [expect.stringContaining("must look like https://")]]);
    expect((await client.call("POST", "/channels", { kind, target: target.replace("127.0.0.1", "10.0.0.1") })).status).toBe(400);
  });
});

test("a channel says how many rules name it", async () => {
  const [id, unnamed] = [await addChannel(), await addChannel()];
  const countOf = async (channel: number) => (await client.call("GET", `/channels/${channel}`)).body.ruleCount;
  expect(await countOf(id)).toBe(0);
  const added = await client.call("POST", "/rules", { events: ["finding.opened"], channelIds: [id] });
  expect(added.status).toBe(201);
  expect([await countOf(id), await countOf(unnamed)]).toEqual([1, 0]);
  const { items } = (await client.call("GET", "/channels")).body;
  expect(items.map(({ ruleCount }) => ruleCount)).toEqual([1, 0]);
  await client.call("DELETE", `/rules/${added.body.id}`);
  expect(await countOf(id)).toBe(0);
});

describe("a webhook", () => {
  test("shows its secret when it is added and rotated, and never again", async () => {
    const { status, headers, body } = await client.call("POST", "/channels", { kind: "webhook", name: " Chat ", target: hook });
    expect([status, headers.get("location")]).toEqual([201, `/api/v1/channels/${body.id}`]);
    expect(body).toMatchObject({ kind: "webhook", name: "Chat", target: hook, disabled: null, secretCount: 1, confirmation: null });
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.verifiedAt).not.toBe(null);
    const rotated = (await client.call("POST", `/channels/${body.id}/rotate-secret`)).body;
    expect([rotated.secretCount, rotated.secret === body.secret]).toEqual([2, false]);
    const third = (await client.call("POST", `/channels/${body.id}/rotate-secret`)).body;
    expect(api.store.channels.find(client.accountId, body.id)?.secrets).toEqual([third.secret, rotated.secret] as string[]);
    for (const path of ["/channels", `/channels/${body.id}`])
      expect(JSON.stringify((await client.call("GET", path)).body)).not.toMatch(/whsec|unsubscribe|hash/i);
    expect(JSON.stringify((await client.call("PATCH", `/channels/${body.id}`, { name: "x" })).body)).not.toContain("whsec");
  });
  test("has the name of its host without one, and keeps its secret with another target", async () => {
    const id = await addChannel({ name: "" });
    const before = api.store.channels.find(client.accountId, id);
    expect(before?.name).toBe(`127.0.0.1:${receiver.port}`);
    const { body } = await client.call("PATCH", `/channels/${id}`, { target: "https://hooks.example/x" });
    expect(body).toMatchObject({ target: "https://hooks.example/x", confirmation: null, verifiedAt: before?.verifiedAt });
    expect(api.store.channels.find(client.accountId, id)?.secrets).toEqual([...(before?.secrets ?? [])]);
  });
  test("is tested by a real request, of which the status and the time are shown", async () => {
    const [good, bad] = [await addChannel(), await addChannel({ target: `${hook}/500` })];
    const delivered = await client.call("POST", `/channels/${good}/test`);
    expect([delivered.status, delivered.body]).toEqual([200, { result: "delivered", status: 204, ms: expect.any(Number), because: null }]);
    expect((await client.call("POST", `/channels/${bad}/test`)).body).toMatchObject({ result: "failed", status: 500, because: "status" });
  });
  test("is tested a few times in an hour; 429 beyond", async () => {
    const id = await addChannel();
    const { testChannel } = api.services;
    Object.assign(api.services, { testChannel: async () => ({ result: "failed", status: null, ms: 0, because: "too-many" }) });
    const { status, headers } = await client.call("POST", `/channels/${id}/test`);
    Object.assign(api.services, { testChannel });
    expect([status, headers.get("retry-after")]).toEqual([429, "3600"]);
  });
  test("is disabled and enabled", async () => {
    const id = await addChannel();
    expect((await client.call("POST", `/channels/${id}/disable`)).body).toMatchObject({ disabled: { because: "owner" } });
    expect((await client.call("POST", `/channels/${id}/enable`)).body).toMatchObject({ disabled: null, confirmation: null });
  });
  test.each<readonly [string, object, string, string]>([
    ["no kind", { target: hook }, "kind", "one of"],
    ["another kind", { kind: "sms", target: hook }, "kind", "one of"],
    ["no target", { kind: "webhook" }, "target", "required"],
    ["a target that is no URL", { kind: "webhook", target: "hooks" }, "target", "absolute"],
    ["credentials", { kind: "webhook", target: "https://u:p@hooks.example/" }, "target", "without user name"],
    ["a private address", { kind: "webhook", target: "https://10.0.0.1/" }, "target", "webhooks.allow_cidrs"],
    ["another loopback address", { kind: "webhook", target: "http://127.0.0.2/" }, "target", "webhooks.allow_cidrs"],
    ["a metadata address", { kind: "webhook", target: "http://169.254.169.254/" }, "target", "webhooks.allow_cidrs"],
    ["a long name", { kind: "webhook", target: hook, name: "x".repeat(101) }, "name", "at most 100"],
    ["a line break in the name", { kind: "webhook", target: hook, name: "a\nb" }, "name", "control"],
    ["a name that is no text", { kind: "webhook", target: hook, name: 1 }, "name", "string"],
    ["a secret of the caller", { kind: "webhook", target: hook, secret: "whsec_x" }, "secret", "not known"],
    ["a mail address that is none", mail("x"), "target", "mail address"],
    ["several mail addresses", mail("a@x.example,b@x.example"), "target", "mail address"],
    ["a mail address with a name", mail("A <a@x.example>"), "target", "mail address"],
  ])("or mail is refused with 400 for %s", async (_words, body, field, why) => {
    const answer = await client.call("POST", "/channels", body);
    expect(answer.status).toBe(400);
    expect(answer.body.fieldErrors[field]?.join()).toContain(why);
    expect(api.store.channels.list(client.accountId)).toEqual([]);
  });
});

describe("a mail address", () => {
  test.each(["of others", "of the account itself"])("%s gets a link, and nothing else before its confirmation", async (whose) => {
    const address = whose === "of others" ? "team@agency.example" : client.email;
    const { status, body } = await client.call("POST", "/channels", mail(address));
    expect([status, body]).toMatchObject([
      201,
      { verifiedAt: null, confirmation: "sent", secret: null, confirmationExpiresAt: expect.any(String) },
    ]);
    const { channel, value = "" } = lastConfirmation() ?? {};
    expect([channel?.id, channel?.target]).toEqual([body.id, address]);
    expect((await client.call("POST", `/channels/${body.id}/test`)).status).toBe(409);
    expect((await api.store.channels.confirm(client.accountId, body.id, value, new Date()))?.verifiedAt).not.toBe(null);
    expect((await client.call("POST", `/channels/${body.id}/confirmation`)).status).toBe(409);
  });
  test("gets a new link on request; 429 when it had too many", async () => {
    const id = (await client.call("POST", "/channels", mail("team@agency.example"))).body.id;
    const first = lastConfirmation()?.value ?? "";
    expect((await client.call("POST", `/channels/${id}/confirmation`)).body.confirmation).toBe("sent");
    expect(await api.store.channels.confirm(client.accountId, id, first, new Date())).toBe(undefined);
    api.services.mail.outcome = "too-many";
    const answer = await client.call("POST", `/channels/${id}/confirmation`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "3600"]);
  });
  test.each(["too-many", "failed"] as const)("can still be confirmed by its last link while no newer mail is sent: %s", async (outcome) => {
    const id = (await client.call("POST", "/channels", mail("team@agency.example"))).body.id;
    const first = lastConfirmation()?.value ?? "";
    api.services.mail.outcome = outcome;
    for (let count = 0; count < 3; count++) await client.call("POST", `/channels/${id}/confirmation`);
    const confirmed = await api.store.channels.confirm(client.accountId, id, first, new Date());
    expect(confirmed).toMatchObject({ verifiedAt: expect.any(String), confirmation: null });
  });
  test("is confirmed anew when it changes", async () => {
    const id = await confirmedMail(client.email);
    expect((await client.call("PATCH", `/channels/${id}`, { name: "x", target: client.email })).body.verifiedAt).not.toBe(null);
    const { body } = await client.call("PATCH", `/channels/${id}`, { target: "new@agency.example" });
    expect(body).toMatchObject({ target: "new@agency.example", verifiedAt: null, confirmation: "sent" });
  });
  test("is not confirmed by a request that began before the channel had another one", async () => {
    const id = await confirmedMail("victim@other.example");
    const rest = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('{"target":'));
        await rest.promise;
        controller.enqueue(Buffer.from('"victim@other.example"}'));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    const slow = api.request(`/api/v1/channels/${id}`, { method: "PATCH", headers, body, token: client.token });
    expect((await client.call("PATCH", `/channels/${id}`, { target: client.email })).status).toBe(200);
    await confirm(id);
    rest.resolve();
    expect(await (await slow).json()).toMatchObject({ target: "victim@other.example", verifiedAt: null, confirmation: "sent" });
    expect(api.store.channels.find(client.accountId, id)?.verifiedAt).toBe(null);
  });
  test("gets its link even if it became that of the channel while the link was made", async () => {
    const { id } = (await client.call("POST", "/channels", mail("own@agency.example"))).body;
    // One commit for both: the second request has read the channel before the first one changed it.
    await Promise.all([
      client.call("PATCH", `/channels/${id}`, { target: "victim@other.example" }),
      client.call("POST", `/channels/${id}/confirmation`),
    ]);
    const { channel, value = "" } = lastConfirmation() ?? {};
    const confirmed = await api.store.channels.confirm(client.accountId, id, value, new Date());
    expect([confirmed?.target, channel?.target]).toEqual(["victim@other.example", "victim@other.example"]);
  });
  test("whose reader ended the mails must be confirmed again", async () => {
    const id = await confirmedMail("team@agency.example");
    await api.store.channels.disable(client.accountId, id, "unsubscribed", new Date());
    const { body } = await client.call("POST", `/channels/${id}/enable`);
    expect(body).toMatchObject({ disabled: null, verifiedAt: null, confirmation: "sent" });
  });
  test("whose reader ended the mails is not tested: 409", async () => {
    const id = await confirmedMail("team@agency.example");
    await api.store.channels.disable(client.accountId, id, "unsubscribed", new Date());
    const { status, body } = await client.call("POST", `/channels/${id}/test`);
    expect([status, body.errorMessage]).toEqual([409, "The reader has ended the mails of this channel."]);
  });
  test("409 with why while the appliance cannot send mail", async () => {
    const { id } = (await client.call("POST", "/channels", mail("team@agency.example"))).body;
    api.services.mail.configured = false;
    const refusals = [
      await client.call("POST", "/channels", mail(client.email)),
      await client.call("PATCH", `/channels/${id}`, { target: "b@agency.example" }),
      await client.call("POST", `/channels/${id}/confirmation`),
    ];
    for (const { status, body } of refusals) expect([status, body.errorMessage]).toEqual([409, expect.stringContaining("smtp.url")]);
    expect((await client.call("POST", `/channels/${id}/rotate-secret`)).status).toBe(409);
    // A webhook needs no mail: only its own fields are refused.
    const webhook = await client.call("POST", "/channels", { kind: "webhook", target: "https://agency.example/hook", name: 7 });
    expect([webhook.status, Object.keys(webhook.body.fieldErrors)]).toEqual([400, ["name"]]);
  });
  test("is kept when its link could not be sent", async () => {
    api.services.mail.outcome = "failed";
    const { status, body } = await client.call("POST", "/channels", mail("team@agency.example"));
    expect([status, body.confirmation, api.store.channels.list(client.accountId).length]).toEqual([201, "failed", 1]);
  });
});

describe("channels", () => {
  test.each<readonly [method: string, path: string, body: object | undefined]>([
    ["GET", "", undefined],
    ["PATCH", "", { name: "x" }],
    ["DELETE", "", undefined],
    ["POST", "/test", undefined],
    ["POST", "/rotate-secret", undefined],
    ["POST", "/enable", undefined],
    ["POST", "/disable", undefined],
    ["POST", "/confirmation", undefined],
  ])("%s %s is the same 404 for another account's and an unknown id", async (method, path, body) => {
    const id = await addChannel();
    const before = api.store.channels.find(client.accountId, id);
    for (const given of [id, 999_999, "x"]) {
      const answer = await other.call(method, `/channels/${given}${path}`, body);
      expect<unknown>([answer.status, answer.body]).toEqual([404, { errorMessage: "There is no such channel." }]);
    }
    expect<unknown>(api.store.channels.find(client.accountId, id)).toEqual(before);
  });
  test("have a limit of 409", async () => {
    for (let count = 0; count < channelsMax; count++) await addChannel();
    const { status, body } = await client.call("POST", "/channels", { kind: "webhook", target: hook });
    expect([status, body.errorMessage]).toEqual([409, `There are at most ${channelsMax} channels; remove one first.`]);
  });
  test("are refused with 400 for an empty change, 413 for a long one, and 503 while the disk is full", async () => {
    const id = await addChannel();
    expect((await client.call("PATCH", `/channels/${id}`, {})).status).toBe(400);
    expect((await client.call("PATCH", `/channels/${id}`, `{"name":"${"x".repeat(20_000)}"}`)).status).toBe(413);
    const { change } = api.store.channels;
    api.store.channels.change = () => Promise.reject(new DataDirError("full", "no room left"));
    const { status } = await client.call("PATCH", `/channels/${id}`, { name: "x" });
    api.store.channels.change = change;
    expect(status).toBe(503);
  });
});

describe("rules", () => {
  let channelId: number;
  beforeEach(async () => {
    channelId = await addChannel();
  });

  test("are added with defaults, read, listed, changed and removed", async () => {
    const { status, headers, body } = await client.call("POST", "/rules", {
      events: ["site.recovered", "finding.opened", "finding.opened"],
      channelIds: [channelId],
    });
    expect([status, headers.get("location")]).toEqual([201, `/api/v1/rules/${body.id}`]);
    expect(body).toMatchObject({
      scope: { kind: "all" },
      events: ["finding.opened", "site.recovered"],
      severityMin: "info",
      channelIds: [channelId],
    });
    expect((await client.call("GET", `/rules/${body.id}`)).body).toEqual(body);
    const change = { scope: { kind: "tag", tag: " shop " }, severityMin: "high" };
    const changed = (await client.call("PATCH", `/rules/${body.id}`, change)).body;
    expect<unknown>(changed).toEqual({ ...body, scope: { kind: "tag", tag: "shop" }, severityMin: "high" });
    expect<unknown>((await client.call("GET", "/rules")).body.items).toEqual([changed]);
    expect((await client.call("DELETE", `/rules/${body.id}`)).status).toBe(204);
    expect((await client.call("DELETE", `/rules/${body.id}`)).status).toBe(404);
  });
  test("go with their last channel, and with their site", async () => {
    const site = await addSite(api.store, { accountId: client.accountId, url: "https://ruled.example/", now: new Date() });
    const scoped = { events: ["site.recovered"], channelIds: [channelId], scope: { kind: "site", siteId: site.id } };
    expect((await client.call("POST", "/rules", scoped)).status).toBe(201);
    expect((await client.call("POST", "/rules", { ...scoped, scope: { kind: "client", client: "M" } })).status).toBe(201);
    await client.call("DELETE", `/sites/${site.id}`);
    expect((await client.call("GET", "/rules")).body.items).toHaveLength(1);
    expect((await client.call("DELETE", `/channels/${channelId}`)).status).toBe(204);
    expect((await client.call("GET", "/rules")).body.items).toEqual([]);
  });
  test.each<readonly [string, (id: number) => object, string]>([
    ["no events", (id) => ({ channelIds: [id] }), "events"],
    ["an empty list of events", (id) => ({ channelIds: [id], events: [] }), "events"],
    ["an unknown event", (id) => ({ channelIds: [id], events: ["site.gone"] }), "events"],
    ["no channels", () => ({ events: ["site.recovered"] }), "channelIds"],
    ["an unknown channel", () => ({ events: ["site.recovered"], channelIds: [999_999] }), "channelIds"],
    ["a known and an unknown channel", (id) => ({ events: ["site.recovered"], channelIds: [id, 999_999] }), "channelIds"],
    ["an unknown severity", (id) => ({ events: ["site.recovered"], channelIds: [id], severityMin: "worst" }), "severityMin"],
    ["an unknown scope", (id) => ({ events: ["site.recovered"], channelIds: [id], scope: { kind: "none" } }), "scope"],
    ["a scope that is a text", (id) => ({ events: ["site.recovered"], channelIds: [id], scope: "all" }), "scope"],
    ["an unknown site", (id) => ({ events: ["site.recovered"], channelIds: [id], scope: { kind: "site", siteId: 999_999 } }), "scope"],
    ["an empty tag", (id) => ({ events: ["site.recovered"], channelIds: [id], scope: { kind: "tag", tag: " " } }), "scope"],
    [
      "a scope of two kinds",
      (id) => ({ events: ["site.recovered"], channelIds: [id], scope: { kind: "tag", tag: "x", siteId: 1 } }),
      "siteId",
    ],
    ["an unknown field", (id) => ({ events: ["site.recovered"], channelIds: [id], enabled: true }), "enabled"],
  ])("are refused with 400 for %s", async (_words, body, field) => {
    const answer = await client.call("POST", "/rules", body(channelId));
    expect([answer.status, Object.keys(answer.body.fieldErrors)]).toEqual([400, [field]]);
    expect(api.store.rules.list(client.accountId)).toEqual([]);
  });
  test("that are removed during their change are 404", async () => {
    const { id } = (await client.call("POST", "/rules", { events: ["site.recovered"], channelIds: [channelId] })).body;
    const { change } = api.store.rules;
    api.store.rules.change = async (accountId, ruleId, fields) => {
      await api.store.rules.remove(accountId, ruleId);
      return change(accountId, ruleId, fields);
    };
    const { status } = await client.call("PATCH", `/rules/${id}`, { severityMin: "low" });
    api.store.rules.change = change;
    expect(status).toBe(404);
  });
  test("take no channel and no site of another account, and are its own", async () => {
    const foreign = await other.call("POST", "/channels", { kind: "webhook", target: hook });
    const site = await addSite(api.store, { accountId: other.accountId, url: "https://foreign.example/", now: new Date() });
    const events = ["site.recovered"];
    const refused = await client.call("POST", "/rules", { events, channelIds: [foreign.body.id] });
    expect([refused.status, refused.body.fieldErrors]).toEqual([400, { channelIds: [`must each be one of ${channelId}`] }]);
    expect(
      (await client.call("POST", "/rules", { events, channelIds: [channelId], scope: { kind: "site", siteId: site.id } })).status,
    ).toBe(400);
    const { id } = (await client.call("POST", "/rules", { events, channelIds: [channelId] })).body;
    for (const [method, body] of [["GET"], ["PATCH", { severityMin: "low" }], ["DELETE"]] as const)
      expect<unknown>((await other.call(method, `/rules/${id}`, body)).body).toEqual({ errorMessage: "There is no such rule." });
    expect(api.store.rules.list(client.accountId)).toHaveLength(1);
  });
  test("have a limit of 409", async () => {
    const rule = {
      accountId: client.accountId,
      scope: { kind: "all" },
      events: ["site.recovered"],
      severityMin: "info",
      channelIds: [channelId],
    } as const;
    for (let count = 0; count < rulesMax; count++) await api.store.rules.add({ ...rule, now: new Date() });
    expect((await client.call("POST", "/rules", { events: ["site.recovered"], channelIds: [channelId] })).status).toBe(409);
  });
});
