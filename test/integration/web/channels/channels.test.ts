/** `/account/channels`: creation, confirmation, secrets, tests, states, and rights of other accounts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Channel } from "../../../../src/store/channels.ts";
import { eventTypes } from "../../../../src/store/notification-rules.ts";
import { inputValueOf, mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { type SiteServicesUnderTest, siteServices } from "../../../support/site-services.ts";

const path = "/account/channels";
let pages: PagesUnderTest;
let services: SiteServicesUnderTest;
let testChannel: SiteServicesUnderTest["testChannel"];
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  services = siteServices();
  ({ testChannel } = services);
  pages = await startPages({ sites: services });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  services.reset();
  Object.assign(services, { testChannel });
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

const send = (fields: Readonly<Record<string, string>>, by = visitor) => by.post(path, fields, path);
const createHook = (fields: Readonly<Record<string, string>> = {}) =>
  send({ do: "create", kind: "webhook", target: "https://hooks.example/in", ...fields });
const createMail = (target: string, fields: Readonly<Record<string, string>> = {}) =>
  send({ do: "create", kind: "mail", target, ...fields });
const stored = () => pages.store.channels.list(account.id);
const shown = async (at = path, by = visitor) => mainOf(await (await by.get(at)).text());

function only(): Channel {
  const [channel, ...more] = stored();
  if (channel === undefined || more.length > 0) throw new Error(`${stored().length} channels`);
  return channel;
}

function secretIn(html: string): string {
  return /whsec_[0-9A-Za-z+/=]+/.exec(html)?.[0] ?? "";
}

const act = (action: string, fields: Readonly<Record<string, string>> = {}) => send({ do: action, channel: String(only().id), ...fields });

describe("a webhook", () => {
  test("is created with a secret that is shown once", async () => {
    const answer = await createHook();
    const html = await answer.text();
    const secret = secretIn(html);
    expect([answer.status, answer.headers.get("cache-control"), secret]).toEqual([200, "no-store", only().secrets[0] ?? "none"]);
    expect(only()).toMatchObject({ kind: "webhook", name: "hooks.example", target: "https://hooks.example/in", disabled: null });
    expect(only().verifiedAt).not.toBeNull();
    expect(await shown()).not.toContain(secret);
    expect(pages.logged.join("")).not.toContain(secret);
  });

  test("gets a new secret beside the previous one, which is not shown again", async () => {
    const first = secretIn(await (await createHook()).text());
    const answer = await (await act("rotate")).text();
    const second = secretIn(answer);
    expect(only().secrets).toEqual([second, first]);
    expect(answer).not.toContain(first);
    expect(await shown()).toContain("signs with the new and the previous secret");
  });

  test.each([
    ["", "This field is empty"],
    ["ftp://hooks.example/", "not a valid https address"],
    ["https://me:pass@hooks.example/", "not a valid https address"],
    ["https://10.0.0.1/", "must not connect"],
    ["http://169.254.169.254/", "must not connect"],
  ])("is refused with the target %j", async (target, text) => {
    const answer = await createHook({ target, name: "kept" });
    const html = await answer.text();
    expect([answer.status, stored()]).toEqual([400, []]);
    expect(html).toContain(text);
    expect(inputValueOf(html.slice(html.indexOf('id="webhook-target"')), "name")).toBe("kept");
  });

  test.each([
    ["x".repeat(101), "longer than 100 characters"],
    ["a\u202eb", "direction of text"],
  ])("is refused with the name %j", async (name, text) => {
    const answer = await createHook({ name });
    expect([answer.status, (await answer.text()).includes(text), stored()]).toEqual([400, true, []]);
  });
});

describe("a new channel", () => {
  const rules = () => pages.store.rules.list(account.id);
  const events = eventTypes.filter((type) => type !== "scan.finished" && type !== "proof.finished");
  const ruleOf = (id: number | undefined) =>
    expect.objectContaining({ scope: { kind: "all" }, events, severityMin: "medium", channelIds: [id] });
  const noRule = "No rule names this channel";

  test("offers to report everything, and does so if asked", async () => {
    expect(await shown()).toMatch(/name="all"[^>]*checked/);
    expect(await (await createHook({ all: "yes" })).text()).not.toContain(noRule);
    expect(rules()).toEqual([ruleOf(only().id)]);
    const list = await shown();
    expect([list.includes("1 rule"), list.includes("No rule:")]).toEqual([true, false]);
    expect(await shown(`${path}?edit=${only().id}`)).not.toContain(noRule);
  });

  test("without the choice has no rule, and every page about it says so", async () => {
    expect(await (await createHook()).text()).toContain(noRule);
    expect(rules()).toEqual([]);
    expect(await shown()).toContain("No rule: gets nothing");
    expect(await shown(`${path}?edit=${only().id}`)).toContain(noRule);
  });

  test("has the offer after the first one too, and for each kind", async () => {
    await createHook();
    expect((await shown()).match(/name="all"[^>]*checked/g)).toHaveLength(3);
    await createHook({ target: "https://other.example/", all: "yes" });
    await createMail("team@example.org", { all: "yes" });
    expect(rules()).toEqual(
      stored()
        .slice(1)
        .map(({ id }) => ruleOf(id)),
    );
    expect((await shown()).match(/No rule: gets nothing/g)).toHaveLength(1);
  });

  test("has none again when its rule is deleted", async () => {
    await createHook({ all: "yes" });
    await pages.store.rules.remove(account.id, rules()[0]?.id ?? 0);
    expect(await shown()).toContain("No rule: gets nothing");
  });
});

describe("the form of a channel", () => {
  test("changes name and target, and keeps the secret of a webhook", async () => {
    await createHook();
    const before = only();
    const html = await shown(`${path}?edit=${before.id}`);
    expect([html.includes("Change channel"), html.includes("Add webhook")]).toEqual([true, false]);
    expect([inputValueOf(html, "target"), inputValueOf(html, "name")]).toEqual([before.target, before.name]);
    const answer = await act("change", { target: "https://other.example/in", name: "Ops" });
    expect(answer.headers.get("location")).toBe(`${path}?done=changed`);
    expect(only()).toEqual({ ...before, target: "https://other.example/in", name: "Ops" });
  });

  test("asks for a confirmation only where the mail address is another one", async () => {
    await createMail("you@example.org");
    await pages.store.channels.confirm(account.id, only().id, services.confirmations[0]?.value ?? "", new Date());
    expect((await act("change", { target: "you@example.org", name: "You" })).headers.get("location")).toBe(`${path}?done=changed`);
    expect([only().name, only().verifiedAt === null]).toEqual(["You", false]);
    expect((await act("change", { target: "team@example.org", name: "You" })).headers.get("location")).toBe(`${path}?done=sent`);
    expect([only().target, only().verifiedAt, services.confirmations.length]).toEqual(["team@example.org", null, 2]);
  });

  test.each([
    [{ target: "10.0.0.1", name: "" }, "not a valid https address"],
    [{ target: "https://10.0.0.1/", name: "" }, "must not connect"],
    [{ target: "https://hooks.example/in", name: "x".repeat(101) }, "longer than 100 characters"],
  ])("is shown again for %j, and changes nothing", async (fields, text) => {
    await createHook();
    const before = only();
    const answer = await act("change", fields);
    const html = mainOf(await answer.text());
    expect([answer.status, html.includes(text), html.includes("Change channel")]).toEqual([400, true, true]);
    expect(only()).toEqual(before);
  });
});

describe("a mail channel", () => {
  test.each(["you@example.org", "me@assay.test"])("to %s gets nothing but the link, which can be sent again", async (address) => {
    const answer = await createMail(address);
    expect(answer.headers.get("location")).toBe(`${path}?done=sent`);
    expect(await shown()).toContain("not confirmed yet");
    await act("confirm");
    const [first, second] = services.confirmations;
    const confirm = (value = "") => pages.store.channels.confirm(account.id, only().id, value, new Date());
    expect(await confirm(first?.value)).toBeUndefined();
    expect((await confirm(second?.value))?.verifiedAt).not.toBeNull();
  });

  test.each([
    ["failed", "unsent"],
    ["too-many", "too-many"],
  ] as const)("says so if the confirmation is %s", async (outcome, done) => {
    services.mail.outcome = outcome;
    const answer = await createMail("you@example.org");
    expect(answer.headers.get("location")).toBe(`${path}?done=${done}`);
    expect(await shown(`${path}?done=${done}`)).toContain("Try again later with the button of the channel.");
  });

  test("is not offered and not created without a mail server", async () => {
    services.mail.configured = false;
    const html = await shown();
    expect([html.includes("smtp.url"), html.includes("mail-target")]).toEqual([true, false]);
    const answer = await createMail("me@assay.test");
    expect([answer.headers.get("location"), stored()]).toEqual([`${path}?done=no-mail`, []]);
  });

  test.each(["me", "Me <me@assay.test>", "a@b.example\r\nBcc: c@d.example"])("is refused with the address %j", async (target) => {
    const answer = await createMail(target);
    expect([answer.status, (await answer.text()).includes("not a valid email address"), stored()]).toEqual([400, true, []]);
  });

  test("whose reader ended the mails needs a new confirmation", async () => {
    await createMail("you@example.org");
    const { id } = only();
    await pages.store.channels.confirm(account.id, id, services.confirmations[0]?.value ?? "", new Date());
    await pages.store.channels.disable(account.id, id, "unsubscribed", new Date());
    expect((await act("enable")).headers.get("location")).toBe(`${path}?done=sent`);
    expect(only()).toMatchObject({ disabled: null, verifiedAt: null });
    expect(services.confirmations).toHaveLength(2);
  });
});

describe("the test", () => {
  test("shows status and time, and nothing of the answer", async () => {
    const got: string[] = [];
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        got.push(await request.text());
        return new Response("private answer", { status: got.length === 1 ? 204 : 500 });
      },
    });
    try {
      await createHook({ target: `http://127.0.0.1:${receiver.port}/in` });
      expect(mainOf(await (await act("test")).text())).toMatch(/The test arrived\.\s*Status 204\./);
      const failed = await (await act("test")).text();
      expect(mainOf(failed)).toMatch(/The test did not arrive\.\s*Status 500\./);
      expect(failed).not.toContain("private answer");
      expect(got).toHaveLength(2);
    } finally {
      await receiver.stop(true);
    }
  });

  test("reports its limit", async () => {
    await createHook();
    services = Object.assign(services, { testChannel: async () => ({ result: "failed", status: null, ms: 0, because: "too-many" }) });
    expect(mainOf(await (await act("test")).text())).toContain("Too many tests in this hour.");
  });

  test("of an address that is not confirmed sends nothing", async () => {
    await createMail("you@example.org");
    const answer = await act("test");
    expect([answer.status, services.confirmations.length]).toEqual([303, 1]);
  });
});

test.each([
  ["failed", undefined],
  ["unsubscribed", undefined],
  ["owner", "owner"],
] as const)("another address of a channel that was disabled as %s begins anew once it is confirmed", async (because, after) => {
  await createMail("wrong@example.org");
  await pages.store.channels.disable(account.id, only().id, because, new Date());
  expect((await act("change", { target: "right@example.org", name: "" })).headers.get("location")).toBe(`${path}?done=sent`);
  await pages.store.channels.confirm(account.id, only().id, services.confirmations.at(-1)?.value ?? "", new Date());
  expect(only()).toMatchObject({ target: "right@example.org", verifiedAt: expect.any(String) });
  expect(only().disabled?.because).toBe(after);
  expect(await shown()).not.toMatch(/refused a mail|has ended the mails/);
});

test("a reader who ended the mails gets no test", async () => {
  await createMail("you@example.org");
  await pages.store.channels.change(account.id, only().id, () => ({ verifiedAt: new Date().toISOString() }));
  const button = 'value="test"';
  expect(await shown()).toContain(button);
  await pages.store.channels.disable(account.id, only().id, "unsubscribed", new Date());
  expect(await shown()).not.toContain(button);
  expect((await act("test")).headers.get("location")).toBe(`${path}?done=ended`);
});

test("a channel is disabled and enabled", async () => {
  await createHook();
  expect((await act("disable")).headers.get("location")).toBe(`${path}?done=disabled`);
  expect(only().disabled?.because).toBe("owner");
  expect((await act("enable")).headers.get("location")).toBe(`${path}?done=enabled`);
  expect(only().disabled).toBeNull();
});

test.each([
  ["gone", "status 410"],
  ["failed", "all attempts of a delivery failed"],
  ["unsubscribed", "the reader has ended the mails"],
] as const)("the page says why a channel is disabled: %s", async (because, text) => {
  await createHook();
  await pages.store.channels.disable(account.id, only().id, because, new Date());
  expect(await shown()).toContain(text);
});

test("the page says that a mail address was refused, not that many attempts failed", async () => {
  await createMail("you@example.org");
  await pages.store.channels.disable(account.id, only().id, "failed", new Date());
  const text = await shown();
  expect(text).toContain("its mail server refused a mail to this address");
  expect(text).not.toContain("all attempts");
});

test("deleting asks first", async () => {
  await createHook({ all: "yes" });
  const question = await act("delete");
  expect([question.status, (await question.text()).includes("Delete this channel?"), stored().length]).toEqual([200, true, 1]);
  expect((await act("delete", { confirm: "yes" })).headers.get("location")).toBe(`${path}?done=deleted`);
  expect([stored(), pages.store.rules.list(account.id)]).toEqual([[], []]);
});

test("an account has at most 50 channels", async () => {
  for (let count = 0; count < 50; count++) await createdInStore(`https://h${count}.example/`);
  const answer = await createHook();
  expect([answer.status, (await answer.text()).includes("This account has 50 channels")]).toEqual([400, true]);
});

async function createdInStore(target: string): Promise<void> {
  await pages.store.channels.add({
    accountId: account.id,
    kind: "webhook",
    name: target,
    target,
    secrets: [],
    verified: true,
    now: new Date(),
  });
}

test("other accounts neither see nor change it", async () => {
  await createHook({ name: "Mine" });
  const before = only();
  const other = await signedIn(pages, await accountIn(pages, "other@assay.test"));
  for (const action of ["change", "test", "confirm", "rotate", "enable", "disable", "delete"])
    expect((await send({ do: action, channel: String(before.id), confirm: "yes" }, other)).status).toBe(404);
  expect((await other.get(`${path}?edit=${before.id}`)).status).toBe(404);
  expect([only(), (await shown(path, other)).includes("Mine")]).toEqual([before, false]);
});

test("guests are sent to the sign-in page", async () => {
  for (const page of [path, "/account/rules", "/account/deliveries"]) {
    const answer = await pages.visitor().get(page);
    expect([answer.status, answer.headers.get("location")?.startsWith("/sign-in?")]).toEqual([303, true]);
  }
});

test("names and targets are escaped", async () => {
  await createHook({ name: `"><script>alert(1)</script>`, target: "https://hooks.example/?a=%22%3E<script>alert(2)</script>" });
  for (const html of [await shown(), mainOf(await (await act("delete")).text()), await shown("/account/rules")])
    expect(html).not.toContain("<script>alert");
});

test.each([{}, { do: "create" }, { do: "create", kind: "fax", target: "1" }, { do: "burn" }])("is a form of ours: not %j", async (fields) =>
  expect((await send(fields as Record<string, string>)).status).toBe(400),
);
