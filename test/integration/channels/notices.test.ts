/** Mails and tests that are sent at once: notices of disabled channels, the test button, and links to confirm an address. */
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import type { NewEvent } from "../../../src/store/site-events.ts";
import { type DeliveryRig, startDeliveryRig, until } from "../../support/delivery-rig.ts";

const digestMs = 60_000;
const dropped: NewEvent = { type: "site.score_dropped", token: null, data: { from: 90, to: 60, band: "warn", rank: "weak" } };

let rig: DeliveryRig;
afterEach(() => rig.stop());

const states = () => rig.deliveries().map(({ state }) => state);

describe("the notice of a disabled channel", () => {
  test("waits while the mail server is down, also over a restart, and comes once", async () => {
    rig = await startDeliveryRig();
    rig.setMailServerUp(false);
    rig.answer(() => ({ status: 410 }));
    const { id } = await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("disabled", () => rig.log.some((line) => line.includes('"mail not sent"')));
    expect(rig.store.channels.noticesDue().map((channel) => channel.id)).toEqual([id]);
    await rig.restart(1_000);
    rig.setMailServerUp(true);
    await until("the mail", () => {
      rig.advance(hourMs);
      return rig.mails.length > 0;
    });
    await until("the notice is noted", () => rig.store.channels.noticesDue().length === 0);
    rig.advance(hourMs);
    await rig.restart(1_000);
    expect(rig.mails.length).toBe(1);
  });

  test("is not sent to the address that failed", async () => {
    rig = await startDeliveryRig({ mail: { replies: { recipient: [[550, "no such user"]] } } });
    await rig.addChannel({ kind: "mail", target: "Owner@agency.test" });
    await rig.report(await rig.addSite("a.test"), dropped);
    rig.advance(digestMs);
    await until("noted", () => states()[0] === "failed" && rig.store.channels.noticesDue().length === 0);
    expect(rig.mails).toEqual([]);
  });

  test("has no text of the account, and comes a few times in an hour, the others later", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => ({ status: 410 }));
    const { target } = await rig.addChannel({ kind: "webhook" });
    for (let count = 2; count <= 7; count++)
      await rig.addChannel({ kind: "webhook", name: "Buy pills", target: `${target}/buy-pills-${count}` });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("all disabled", () => rig.store.channels.list(1).every(({ disabled }) => disabled?.because === "gone"));
    await until("five mails", () => rig.mails.length === 5 && rig.store.channels.noticesDue().length === 2);
    rig.advance(hourMs / 2 + 1_000);
    // A person may still ask for a mail of another kind.
    const account = rig.store.accounts.findById(1);
    if (account === undefined) throw new Error("there is no account");
    expect(await rig.deliverer.notices.reset(account, "https://assay.test/reset?t=x", rig.now().toISOString())).toBe("sent");
    expect([rig.mails.length, rig.store.channels.noticesDue().length]).toEqual([6, 2]);
    rig.advance(hourMs / 2);
    await until("the others", () => rig.mails.length === 8 && rig.store.channels.noticesDue().length === 0);
    expect(rig.mails.map(({ to }) => to)).toEqual(Array(8).fill(["owner@agency.test"]));
    for (const { source } of rig.mails) expect(source).not.toMatch(/pills|127\.0\.0\.1/i);
    const linked = rig.mails.flatMap(({ parsed }) => /account\/channels\?edit=(\d+)/.exec(parsed.text ?? "")?.[1] ?? []);
    expect(linked.map(Number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("is not suppressed by mails that another account causes", async () => {
    rig = await startDeliveryRig();
    const other = await rig.store.accounts.create({ email: "other@client.test", now: rig.now() });
    if (typeof other === "string") throw new Error(other);
    const invite = () =>
      rig.deliverer.notices.invitation(
        other,
        { email: "owner@agency.test", locale: "en-gb" },
        "https://assay.test/i",
        rig.now().toISOString(),
      );
    const outcomes = [];
    for (let count = 0; count < 6; count++) outcomes.push(await invite());
    expect(outcomes).toEqual([...Array(5).fill("sent"), "too-many"]);
    rig.answer(() => ({ status: 410 }));
    await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("the notice", () => rig.mails.length === 6 && rig.store.channels.noticesDue().length === 0);
    expect(rig.mails[5]?.parsed.subject).toBe("A webhook of your account is disabled");
  });

  test("is given up after three days", async () => {
    rig = await startDeliveryRig();
    rig.setMailServerUp(false);
    rig.answer(() => ({ status: 410 }));
    await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("disabled", () => rig.log.some((line) => line.includes('"mail not sent"')));
    await until("given up", () => {
      rig.advance(25 * hourMs);
      return rig.store.channels.noticesDue().length === 0;
    });
    expect(rig.mails).toEqual([]);
  });
});

describe("the test of a channel", () => {
  test("sends a signed body of its own and stores nothing", async () => {
    rig = await startDeliveryRig();
    const channel = await rig.addChannel({ kind: "webhook" });
    await rig.store.channels.disable(1, channel.id, "failed", rig.now());
    const outcome = await rig.deliverer.test(channel);
    expect(outcome).toEqual({ result: "delivered", status: 204, ms: expect.any(Number), because: null });
    const [webhook] = rig.webhooks;
    const headers = Object.fromEntries(Object.entries(webhook?.headers ?? {}).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(channel.secrets[0] ?? "").verify(webhook?.body ?? "", headers)).toMatchObject({ type: "channel.test", data: {} });
    expect(rig.deliveries()).toEqual([]);
  });

  test("shows status and reason of a failure", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => ({ status: 404 }));
    expect(await rig.deliverer.test(await rig.addChannel({ kind: "webhook" }))).toMatchObject({
      result: "failed",
      status: 404,
      because: "status",
    });
    const refused = await rig.addChannel({ kind: "webhook", target: "http://10.0.0.1/" });
    expect(await rig.deliverer.test(refused)).toMatchObject({ result: "failed", status: null, because: "blocked" });
  });

  test("is a mail for a mail address that is confirmed", async () => {
    rig = await startDeliveryRig();
    const channel = await rig.addChannel({ kind: "mail" });
    expect(await rig.deliverer.test({ ...channel, verifiedAt: null })).toMatchObject({ result: "failed", because: "not-confirmed" });
    expect(await rig.deliverer.test(channel)).toMatchObject({ result: "delivered", status: 250 });
    expect(rig.mails.map(({ parsed }) => parsed.subject)).toEqual(["Test of the channel Team"]);
  });

  test("is no mail to a reader who has ended the mails", async () => {
    rig = await startDeliveryRig();
    const { id } = await rig.addChannel({ kind: "mail" });
    const ended = await rig.store.channels.disable(1, id, "unsubscribed", rig.now());
    if (ended === undefined) throw new Error("there is no channel");
    expect(await rig.deliverer.test(ended)).toEqual({ result: "failed", status: null, ms: 0, because: "unsubscribed" });
    expect(rig.mails).toEqual([]);
  });

  test("ends before the request does while the mail server reads the mail", async () => {
    const mailLimits = { connectMs: 5_000, greetingMs: 5_000, sendMs: 20_000, acceptMs: 60_000, requestMs: 500 };
    rig = await startDeliveryRig({ mail: { accepting: () => new Promise(() => {}) }, mailLimits });
    const channel = await rig.addChannel({ kind: "mail" });
    expect(await rig.deliverer.test(channel)).toMatchObject({ result: "failed", status: null, because: "timeout" });
    expect(await rig.deliverer.notices.confirmation(channel, "v")).toBe("failed");
  });

  test("is refused after ten in an hour", async () => {
    rig = await startDeliveryRig();
    const channel = await rig.addChannel({ kind: "webhook" });
    for (let count = 0; count < 10; count++) await rig.deliverer.test(channel);
    expect(await rig.deliverer.test(channel)).toEqual({ result: "failed", status: null, ms: 0, because: "too-many" });
    rig.advance(hourMs);
    expect((await rig.deliverer.test(channel)).result).toBe("delivered");
    expect(rig.webhooks.length).toBe(11);
  });
});

describe("mails that are sent at once", () => {
  test("confirm an address by their link, a few times in an hour", async () => {
    rig = await startDeliveryRig();
    const channel = await rig.addChannel({ kind: "mail" });
    const { notices } = rig.deliverer;
    const value = (await rig.store.channels.issueConfirmation(1, channel.id, rig.now())) ?? "";
    expect(await notices.confirmation(channel, value)).toBe("sent");
    const [, key = ""] =
      new RegExp(`https://assay\\.test/confirm-channel/1-${channel.id}\\?key=(\\w+)`).exec(rig.mails[0]?.parsed.text ?? "") ?? [];
    expect(await rig.store.channels.confirm(1, channel.id, key, rig.now())).toMatchObject({ confirmation: null });
    const outcomes = [];
    for (let count = 0; count < 5; count++) outcomes.push(await notices.confirmation(channel, value));
    expect(outcomes).toEqual(["sent", "sent", "sent", "sent", "too-many"]);
    // Another address gets its link, until the account has used up its own quota.
    for (let count = 0; count < 4; count++)
      outcomes.push(await notices.confirmation({ ...channel, target: `x${count}@client.test` }, value));
    expect(outcomes.slice(5)).toEqual(["sent", "sent", "sent", "sent"]);
    expect(await notices.confirmation({ ...channel, target: "y@client.test" }, value)).toBe("too-many");
    const account = rig.store.accounts.findById(1);
    if (account === undefined) throw new Error("there is no account");
    expect(await notices.reset(account, "https://assay.test/reset?t=x", rig.now().toISOString())).toBe("sent");
  });

  test("to reset a password are sent also when a request would not wait any longer", async () => {
    const mailLimits = { connectMs: 5_000, greetingMs: 5_000, sendMs: 20_000, acceptMs: 60_000, requestMs: 500 };
    const accepted = Promise.withResolvers<void>();
    rig = await startDeliveryRig({ mail: { accepting: () => accepted.promise }, mailLimits });
    const account = rig.store.accounts.findById(1);
    if (account === undefined) throw new Error("there is no account");
    const reset = rig.deliverer.notices.reset(account, "https://assay.test/reset?t=x", rig.now().toISOString());
    // It begins later, and a request waits for it.
    expect(await rig.deliverer.notices.confirmation(await rig.addChannel({ kind: "mail" }), "v")).toBe("failed");
    accepted.resolve();
    expect(await reset).toBe("sent");
  });

  test("are in the language of the account", async () => {
    rig = await startDeliveryRig();
    const channel = await rig.addChannel({ kind: "mail" });
    const subjects = [];
    for (const locale of ["en-gb", "de-de"] as const) {
      await rig.store.accounts.setPreferences(1, { locale });
      expect(await rig.deliverer.notices.confirmation(channel, "v")).toBe("sent");
      subjects.push(rig.mails.at(-1)?.parsed.subject);
    }
    expect(subjects).toEqual(["Confirm this address", "Diese Adresse best\u00e4tigen"]);
  });

  test("are not sent without a mail server", async () => {
    rig = await startDeliveryRig({ mail: null });
    const channel = await rig.addChannel({ kind: "mail" });
    expect(await rig.deliverer.notices.confirmation(channel, "v")).toBe("no-mail");
  });
});
