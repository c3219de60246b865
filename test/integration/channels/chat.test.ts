/** Chat services: deliveries from a real store to receivers that hold them to the vendors' documents, and every way to fail. */
import { afterEach, describe, expect, test } from "vitest";
import { type ChatKind, chatKinds } from "../../../src/store/channels.ts";
import { type ChatReceiver, chatPlace, chatVendors, startChatReceiver } from "../../support/chat-receivers.ts";
import { type DeliveryRig, startDeliveryRig, until } from "../../support/delivery-rig.ts";
import { newEvents } from "../../support/stored-events.ts";

const digestMs = 60_000;
const shortMs = 300;
const [dropped] = newEvents;

let rig: DeliveryRig;
let receiver: ChatReceiver;
afterEach(async () => {
  await Promise.all([rig.stop(), receiver.stop()]);
});

async function start(kind: ChatKind, target?: (url: string) => string, deadlineMs?: number) {
  [rig, receiver] = await Promise.all([startDeliveryRig(deadlineMs === undefined ? {} : { deadlineMs }), startChatReceiver(kind)]);
  const channel = await rig.addChannel({ kind, target: target?.(receiver.url) ?? receiver.url });
  return { channel, site: await rig.addSite("shop.test") };
}

const newest = () => rig.deliveries()[0];
const lastAttempt = () => newest()?.attempts.at(-1);

/** An event, and the attempt to deliver it. */
async function attempted(
  kind: ChatKind,
  target?: (url: string) => string,
  answer?: Parameters<ChatReceiver["answer"]>[0],
  deadlineMs?: number,
) {
  const { channel, site } = await start(kind, target, deadlineMs);
  if (answer !== undefined) receiver.answer(answer);
  if (dropped !== undefined) await rig.report(site, dropped);
  rig.advance(digestMs);
  await until("an attempt", () => lastAttempt() !== undefined);
  return channel;
}

/** No token and no answer of a receiver is in the log or in what is stored of the attempt. */
function expectNoSecrets(kind: ChatKind): void {
  const kept = `${rig.log.join("\n")} ${JSON.stringify(rig.deliveries())}`;
  expect(kept).not.toContain(chatVendors[kind].token);
  for (const { body = "" } of receiver.refused) if (body !== "") expect(kept).not.toContain(body);
}

describe.each(chatKinds)("%s", (kind) => {
  test("takes every type of event", async () => {
    const { site } = await start(kind);
    for (const [at, event] of newEvents.entries()) {
      await rig.report(site, event);
      rig.advance(digestMs);
      await until(event.type, () => newest()?.state === "delivered" && rig.deliveries().length === at + 1);
    }
    expect([receiver.taken.length, receiver.refused]).toEqual([newEvents.length, []]);
    expect(lastAttempt()).toMatchObject({ status: chatVendors[kind].taken.status, because: null });
    expect(receiver.text(0)).toContain("shop");
    expect(await rig.metrics()).toContain(`assay_deliveries_total{kind="${kind}",result="delivered"} ${newEvents.length}\n`);
    expectNoSecrets(kind);
  });

  test("gets the events of a minute in one message", async () => {
    const { site } = await start(kind);
    await rig.report(site, ...newEvents.slice(0, 3));
    await rig.report(await rig.addSite("other.test"), ...newEvents.slice(4, 6));
    rig.advance(digestMs);
    await until("delivered", () => newest()?.state === "delivered");
    expect([rig.deliveries().length, receiver.taken.length]).toEqual([1, 1]);
    expect(receiver.text()).toContain("other");
  });

  test("with a wrong token fails, and nothing of it is kept", async () => {
    const channel = await attempted(kind, () => `${receiver.origin}${chatPlace(kind, `${chatVendors[kind].token.slice(0, -1)}0`)}`);
    // Discord restricts senders that go on after a 404.
    const isLast = kind === "discord";
    const attempt = { status: chatVendors[kind].unknown.status, because: isLast ? "gone" : "status" };
    expect([newest()?.state, lastAttempt()]).toMatchObject([isLast ? "failed" : "waiting", attempt]);
    expect(rig.store.channels.find(1, channel.id)?.disabled?.because).toBe(isLast ? "gone" : undefined);
    expectNoSecrets(kind);
  });

  test("that asks to wait is waited for", async () => {
    await attempted(kind, undefined, () => chatVendors[kind].tooMany);
    const waitMs = Date.parse(newest()?.nextAttemptAt ?? "") - rig.now().getTime();
    expect([lastAttempt()?.status, waitMs]).toEqual([429, 90_000]);
    expectNoSecrets(kind);
    receiver.answer(null);
    rig.advanceToNext();
    await until("delivered", () => newest()?.state === "delivered");
  });

  test("with a fault of its own is tried again, and at last disabled", async () => {
    const channel = await attempted(kind, undefined, () => ({ status: 502, body: "secret of a proxy" }));
    expect(lastAttempt()).toMatchObject({ status: 502, because: "status" });
    while (newest()?.state === "waiting") {
      const count = newest()?.attempts.length ?? 0;
      rig.advanceToNext();
      await until("the next attempt", () => (newest()?.attempts.length ?? 0) > count);
    }
    expect([newest()?.attempts.length, rig.store.channels.find(1, channel.id)?.disabled?.because]).toEqual([10, "failed"]);
    await until("a mail about it", () => rig.mails.length === 1);
    expect(rig.mails[0]?.parsed.subject).toBe("A chat channel of your account is disabled");
    expect(rig.mails[0]?.parsed.text).not.toContain(chatVendors[kind].token);
    expectNoSecrets(kind);
  });

  test("that is slow ends by the deadline", async () => {
    await attempted(kind, undefined, () => new Promise(() => {}), shortMs);
    expect([newest()?.state, lastAttempt()]).toMatchObject(["waiting", { status: null, because: "timeout" }]);
  });

  test("is tested by the same code", async () => {
    const { channel } = await start(kind);
    expect(await rig.deliverer.test(channel)).toMatchObject({ result: "delivered", status: chatVendors[kind].taken.status, because: null });
    expect(receiver.text()).toContain("This is a test");
    expect(rig.deliveries()).toEqual([]);
  });

  test("that is archived (410) is disabled at once", async () => {
    const channel = await attempted(kind, undefined, () => ({ status: 410, body: "channel_is_archived" }));
    expect([newest()?.state, rig.store.channels.find(1, channel.id)?.disabled?.because]).toEqual(["failed", "gone"]);
  });
});

describe("a wait in an answer", () => {
  const waitMs = async (body: string, headers: Readonly<Record<string, string>> = {}, status = 429) => {
    await attempted("discord", undefined, () => ({ status, headers, body }));
    return Date.parse(newest()?.nextAttemptAt ?? "") - rig.now().getTime();
  };

  test.each([
    ["is rounded up", '{"retry_after":6.2}', {}, 7_000],
    ["gives way to a longer field", '{"retry_after":6.2}', { "retry-after": "20" }, 20_000],
    ["counts if the field is shorter", '{"retry_after":30}', { "retry-after": "20" }, 30_000],
    ["is at most a day", '{"retry_after":1e9}', {}, 86_400_000],
    ["is nothing in other JSON", "[1,2]", {}, 5_000],
    ["is nothing as a text", '{"retry_after":"60"}', {}, 5_000],
    ["is nothing if negative", '{"retry_after":-60}', {}, 5_000],
    ["is nothing without JSON", "<html>", {}, 5_000],
    ["is nothing for null", "null", {}, 5_000],
    ["is not looked for beyond 4 KB", `{"x":"${"x".repeat(5_000)}","retry_after":60}`, {}, 5_000],
  ] as const)("%s", async (_name, body, headers, expected) => expect(await waitMs(body, headers)).toBe(expected));

  test("counts with 429 alone", async () => expect(await waitMs('{"retry_after":60}', {}, 500)).toBe(5_000));
});

test("a message that was taken counts once its head came, however slow its body is", async () => {
  await attempted("discord", undefined, () => ({ status: 200, headers: { "content-length": "1000" }, body: "" }), shortMs);
  expect([newest()?.state, lastAttempt()?.status]).toEqual(["delivered", 200]);
});

test("a channel of a released schema keeps working beside the new kinds", async () => {
  await start("slack");
  const webhook = await rig.addChannel({ kind: "webhook" });
  if (dropped !== undefined) await rig.report(await rig.addSite("b.test"), dropped);
  await until("the webhook", () => rig.webhooks.length === 1);
  expect(rig.webhooks[0]?.headers["webhook-id"]).toMatch(/^evt_/);
  expect(webhook.secrets).toHaveLength(1);
});
