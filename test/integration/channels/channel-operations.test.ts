/** Use cases of channels over a real store: outcome, log line, audit entry and refusals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  addChannel,
  confirmChannel,
  disableOwnChannel,
  enableOwnChannel,
  removeChannel,
  rotateChannelSecret,
  testChannel,
  updateChannel,
} from "../../../src/channels/channel-operations.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { type Channel, channelsMax } from "../../../src/store/channels.ts";
import { rigStart, type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";

const url = "https://hooks.example/in";
const webhook = { kind: "webhook", target: url, name: "" } as const;
const mail = { kind: "mail", target: "me@shop.example", name: "Me" } as const;
let rig: UseCaseRig;
let owner: Account;

beforeAll(() => {
  rig = useCaseRig();
});
beforeEach(async () => {
  owner = await rig.account();
  rig.sites.reset();
  for (const forget of [rig.logged, rig.audited]) forget();
});
afterAll(() => rig.stop());

async function added(given: Parameters<typeof addChannel>[2] = webhook): Promise<Channel> {
  const outcome = await addChannel(rig.context, owner, given);
  if (!("done" in outcome)) throw new Error(JSON.stringify(outcome));
  for (const forget of [rig.logged, rig.audited]) forget();
  rig.sites.confirmations.length = 0;
  return outcome.done.channel;
}

/** Channel as after a click on the link of the mail. */
async function confirmedMail(): Promise<Channel> {
  const { id } = await added(mail);
  const channel = await rig.store.channels.change(owner.id, id, () => ({ verifiedAt: rigStart.toISOString(), confirmation: null }));
  if (channel === undefined) throw new Error("no channel");
  return channel;
}

const stored = ({ id }: Channel) => rig.store.channels.find(owner.id, id);
const audit = (action: string, { id, kind }: Pick<Channel, "id" | "kind">) => ({
  actor: { kind: "account", id: owner.id },
  action,
  subject: { kind: "account", id: owner.id },
  details: { channel: id, kind },
});
const asked = ({ id }: Channel, outcome = "sent") => [
  "confirmation of a channel requested",
  { account: owner.id, channel: id, mail: outcome },
];
const note = (event: string, { id }: Channel, fields = {}) => [event, { account: owner.id, channel: id, ...fields }];

describe("adding", () => {
  test("a webhook is confirmed, has a secret, and the host as its name", async () => {
    const outcome = await addChannel(rig.context, owner, webhook);
    const [channel] = rig.store.channels.list(owner.id) as [Channel];
    expect(outcome).toEqual({ done: { channel, confirmation: null } });
    expect(channel).toMatchObject({
      name: "hooks.example",
      target: url,
      verifiedAt: rigStart.toISOString(),
      secrets: [expect.any(String)],
    });
    expect(rig.logged()).toEqual([note("channel added", channel, { kind: "webhook" })]);
    expect(rig.audited()).toEqual([audit("channel.created", channel)]);
    expect(rig.store.rules.list(owner.id)).toEqual([]);
  });

  test("a mail address is asked to confirm, and the outcome of the mail is reported", async () => {
    rig.sites.mail.outcome = "too-many";
    const outcome = await addChannel(rig.context, owner, mail);
    const [channel] = rig.store.channels.list(owner.id) as [Channel];
    expect(outcome).toEqual({ done: { channel, confirmation: "too-many" } });
    expect(channel).toMatchObject({ verifiedAt: null, secrets: [], confirmation: { hash: expect.any(String) } });
    expect(rig.sites.confirmations.map((one) => one.channel.id)).toEqual([channel.id]);
    expect(rig.logged()).toEqual([note("channel added", channel, { kind: "mail" }), asked(channel, "too-many")]);
  });

  test("each channel can get a rule for all events", async () => {
    const first = await added({ ...webhook, reportAll: true });
    const second = await added({ ...webhook, reportAll: true });
    const rules = rig.store.rules.list(owner.id);
    const toAll = ({ id }: Channel) => ({ scope: { kind: "all" }, severityMin: "medium", channelIds: [id] });
    expect(rules).toMatchObject([first, second].map(toAll));
    expect(rules[0]?.events).not.toContain("scan.finished");
    expect(rules[0]?.events).toContain("finding.opened");
  });

  test("refuses faults of fields, mail without a mail server, and too many", async () => {
    const fault = async (given: Parameters<typeof addChannel>[2]) => addChannel(rig.context, owner, given);
    expect(await fault({ ...webhook, target: " " })).toEqual({ fault: { at: "target", because: "required" } });
    expect(await fault({ ...webhook, target: "http://10.1.2.3/" })).toEqual({ fault: { at: "target", because: "refused" } });
    expect(await fault({ ...mail, target: "nowhere" })).toEqual({ fault: { at: "target", because: "not-mail" } });
    expect(await fault({ ...webhook, name: "a\nb" })).toEqual({ fault: { at: "name", because: "characters" } });
    rig.sites.mail.configured = false;
    expect(await fault(mail)).toEqual({ refused: "no-mail" });
    const given = { accountId: owner.id, ...webhook, name: "one", secrets: ["s"], verified: true, now: rigStart } as const;
    for (let at = 0; at < channelsMax; at++) await rig.store.channels.add(given);
    expect(await fault(webhook)).toEqual({ refused: "full" });
    expect(rig.logged()).toEqual([]);
  });
});

describe("changing", () => {
  test("keeps what is not given", async () => {
    const channel = await added();
    const renamed = { ...channel, name: "Ops" };
    expect(await updateChannel(rig.context, owner, { id: channel.id, name: "Ops" })).toEqual({
      done: { channel: renamed, confirmation: null },
    });
    expect([rig.logged(), rig.audited()]).toEqual([[note("channel changed", channel)], []]);
    const moved = await updateChannel(rig.context, owner, { id: channel.id, target: `${url}/2` });
    expect(moved).toEqual({ done: { channel: { ...renamed, target: `${url}/2` }, confirmation: null } });
    expect(rig.audited()).toEqual([audit("channel.changed", channel)]);
  });

  test("does not judge a stored target again", async () => {
    const channel = await added({ ...webhook, target: "http://hooks.example/" });
    const strict = { ...rig.context, sites: { ...rig.sites, webhooksAllowHttp: false } };
    expect(await updateChannel(strict, owner, { id: channel.id, name: "Ops" })).toMatchObject({ done: { channel: { name: "Ops" } } });
    const given = { id: channel.id, name: "Ops", target: channel.target };
    expect(await updateChannel(strict, owner, given)).toEqual({ fault: { at: "target", because: "not-url" } });
  });

  test("another mail address must be confirmed", async () => {
    const channel = await confirmedMail();
    const moved = await updateChannel(rig.context, owner, { id: channel.id, target: "you@shop.example" });
    expect(moved).toEqual({ done: { channel: stored(channel), confirmation: "sent" } });
    expect(stored(channel)).toMatchObject({ verifiedAt: null, target: "you@shop.example" });
    expect(rig.logged()).toEqual([note("channel changed", channel), asked(channel)]);
    rig.sites.mail.configured = false;
    expect(await updateChannel(rig.context, owner, { id: channel.id, target: channel.target })).toEqual({ refused: "no-mail" });
    expect(await updateChannel(rig.context, owner, { id: channel.id, name: "Ops" })).toMatchObject({ done: { confirmation: null } });
  });

  test("refuses faults, and channels of other accounts", async () => {
    const channel = await added();
    expect(await updateChannel(rig.context, owner, { id: channel.id, target: "" })).toEqual({
      fault: { at: "target", because: "required" },
    });
    expect(await updateChannel(rig.context, owner, { id: channel.id, name: "x".repeat(101) })).toEqual({
      fault: { at: "name", because: "too-long" },
    });
    const other = await rig.account();
    expect(await updateChannel(rig.context, other, { id: channel.id, name: "Ops" })).toEqual({ refused: "unknown" });
    expect([stored(channel), rig.logged()]).toEqual([channel, []]);
  });
});

describe("secrets and tests", () => {
  test("a new secret comes first, and the earlier one stays valid", async () => {
    const channel = await added();
    expect(await rotateChannelSecret(rig.context, owner, channel.id)).toEqual({ done: stored(channel) as Channel });
    expect(stored(channel)?.secrets).toEqual([expect.any(String), channel.secrets[0]]);
    expect(rig.logged()).toEqual([note("secret of a channel rotated", channel)]);
    expect(rig.audited()).toEqual([audit("channel.changed", channel)]);
    expect(await rotateChannelSecret(rig.context, owner, 999_999)).toEqual({ refused: "unknown" });
    expect(await rotateChannelSecret(rig.context, owner, (await added(mail)).id)).toEqual({ refused: "no-secret" });
  });

  test("a test reaches the receiver, and its result is logged", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const channel = await added({ ...webhook, target: `http://127.0.0.1:${server.port}/` });
    expect(await testChannel(rig.context, owner, channel.id)).toMatchObject({ done: { result: "delivered", status: 200, because: null } });
    expect(rig.logged()).toEqual([note("channel tested", channel, { result: "delivered", because: null })]);
    await server.stop();
  });

  test("a test is refused before the address is confirmed, after its reader ended the mails, and without mail", async () => {
    const channel = await added(mail);
    const tried = () => testChannel(rig.context, owner, channel.id);
    expect(await tried()).toEqual({ refused: "unconfirmed" });
    await rig.store.channels.change(owner.id, channel.id, () => ({ verifiedAt: rigStart.toISOString() }));
    rig.sites.mail.configured = false;
    expect(await tried()).toEqual({ refused: "no-mail" });
    await rig.store.channels.disable(owner.id, channel.id, "unsubscribed", rigStart);
    expect(await tried()).toEqual({ refused: "unsubscribed" });
    expect(await testChannel(rig.context, owner, 999_999)).toEqual({ refused: "unknown" });
    expect(rig.logged()).toEqual([]);
  });
});

describe("states", () => {
  test("a channel that its owner disabled is enabled again", async () => {
    const channel = await added();
    const disabled = { at: rigStart.toISOString(), because: "owner" };
    expect(await disableOwnChannel(rig.context, owner, channel.id)).toMatchObject({ done: { disabled } });
    expect(await enableOwnChannel(rig.context, owner, channel.id)).toEqual({ done: { channel, confirmation: null } });
    expect(rig.logged()).toEqual([note("channel disabled", channel, { because: "owner" }), note("channel enabled", channel)]);
    for (const change of [disableOwnChannel, enableOwnChannel, confirmChannel, removeChannel])
      expect(await change(rig.context, owner, 999_999)).toEqual({ refused: "unknown" });
  });

  test("a reader who has ended the mails must confirm again", async () => {
    const channel = await confirmedMail();
    await rig.store.channels.disable(owner.id, channel.id, "unsubscribed", rigStart);
    rig.sites.mail.configured = false;
    expect(await enableOwnChannel(rig.context, owner, channel.id)).toEqual({ refused: "no-mail" });
    expect(stored(channel)?.disabled).toMatchObject({ because: "unsubscribed" });
    rig.sites.mail.configured = true;
    const enabled = await enableOwnChannel(rig.context, owner, channel.id);
    expect(enabled).toEqual({ done: { channel: stored(channel), confirmation: "sent" } });
    expect(stored(channel)).toMatchObject({ disabled: null, verifiedAt: null });
    expect(rig.logged()).toEqual([note("channel enabled", channel), asked(channel)]);
  });

  test("confirms once more, unless that is done or cannot be", async () => {
    const channel = await added(mail);
    rig.sites.mail.outcome = "failed";
    expect(await confirmChannel(rig.context, owner, channel.id)).toEqual({ done: { channel: stored(channel), confirmation: "failed" } });
    expect([rig.sites.confirmations.length, rig.logged()]).toEqual([1, [asked(channel, "failed")]]);
    rig.sites.mail.configured = false;
    expect(await confirmChannel(rig.context, owner, channel.id)).toEqual({ refused: "no-mail" });
    expect(await confirmChannel(rig.context, owner, (await added()).id)).toEqual({ refused: "confirmed" });
  });

  test("removing logs and audits it, once", async () => {
    const channel = await added();
    expect(await removeChannel(rig.context, owner, channel.id)).toEqual({ done: null });
    expect([stored(channel), rig.logged()]).toEqual([undefined, [note("channel removed", channel)]]);
    expect(rig.audited()).toEqual([audit("channel.removed", channel)]);
    expect(await removeChannel(rig.context, owner, channel.id)).toEqual({ refused: "unknown" });
    expect([rig.logged(), rig.audited()]).toEqual([[], []]);
  });
});
