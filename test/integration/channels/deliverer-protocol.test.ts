/** Protocol of the deliverer over models of receivers and clock: schedules, slots, and channels that change meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import { type DeliveryModel, deliveredWebhook, deliveryModel, failedWith, mailFailedWith } from "../../support/delivery-model.ts";

const digestMs = 60_000;

let model: DeliveryModel;
beforeEach(async () => {
  model = await deliveryModel();
});
afterEach(() => model.stop());

describe("the schedule", () => {
  test("is followed to the tenth attempt, under one id, and then disables the channel", async () => {
    const { channel, process } = await model.sending();
    const waits: number[] = [];
    for (let count = 1; count < 10; count++) {
      process.webhooks.at(-1)?.end(failedWith("status"));
      await model.settle();
      waits.push(model.untilNextMs());
      model.clock.advance(model.untilNextMs() - 1);
      await model.settle();
      expect(process.webhooks).toHaveLength(count);
      // The next look is at most 50 milliseconds after the time.
      model.clock.advance(50);
      await model.settle();
      expect(process.webhooks).toHaveLength(count + 1);
    }
    expect(waits.map((ms) => ms / 60_000)).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    expect(model.store.channels.find(1, channel.id)?.disabled).toBeNull();
    process.webhooks.at(-1)?.end(failedWith("status"));
    await model.settle();
    expect([model.first()?.state, model.first()?.attempts.length]).toEqual(["failed", 10]);
    expect(model.store.channels.find(1, channel.id)?.disabled?.because).toBe("failed");
    expect(new Set(process.webhooks.map(({ given: { id, body } }) => `${id} ${body}`)).size).toBe(1);
    expect(process.counted).toEqual([...Array(9).fill("webhook retried"), "webhook failed"]);
    expect(process.mails.map(({ given: { to } }) => to)).toEqual(["owner1@agency.test"]);
  });

  test("gives way to a longer wait that the receiver asks for, and not to a shorter one", async () => {
    const { process } = await model.sending();
    process.webhooks[0]?.end(failedWith("status", hourMs));
    await model.settle();
    expect(model.untilNextMs()).toBe(hourMs);
    model.clock.advance(hourMs);
    await model.settle();
    process.webhooks[1]?.end(failedWith("status", 1_000));
    await model.settle();
    expect(model.untilNextMs()).toBe(5 * 60_000);
  });

  test("is looked at when the next delivery is due, and after 50 milliseconds at the earliest", async () => {
    const { process } = await model.sending();
    process.webhooks[0]?.end(failedWith("status"));
    await model.settle();
    expect([model.untilNextMs(), model.clock.waits()]).toEqual([5_000, [5_000]]);
    model.clock.advance(4_990);
    process.deliverer.wake();
    expect(model.clock.waits()).toEqual([50]);
  });

  test("ends with 410, which disables the channel and drops what waits for it", async () => {
    const { channel, process } = await model.sending();
    await model.report();
    process.webhooks[0]?.end({ result: "gone", status: 410, ms: 5 });
    await model.settle();
    expect(model.states()).toEqual(["dropped", "failed"]);
    expect(model.store.channels.find(1, channel.id)?.disabled?.because).toBe("gone");
    expect([process.counted, process.webhooks.length]).toEqual([["webhook gone"], 1]);
  });

  test("of a mail ends at once with a refused recipient alone, and only then disables the channel", async () => {
    for (const [at, [outcome, state, disabled]] of (
      [
        [mailFailedWith("recipient", true), "failed", "failed"],
        [mailFailedWith("refused", true), "failed", undefined],
        [mailFailedWith("recipient"), "waiting", undefined],
      ] as const
    ).entries()) {
      const accountId = at + 1;
      const channel = await model.addChannel({ kind: "mail", accountId, target: "team@client.test" });
      await model.report(accountId);
      const process = model.start();
      model.clock.advance(digestMs);
      await model.settle();
      process.mails.find(({ given: { to } }) => to === channel.target)?.end(outcome);
      await model.settle();
      expect(model.deliveries(accountId)[0]?.state).toBe(state);
      expect(model.store.channels.find(accountId, channel.id)?.disabled?.because).toBe(disabled);
      await process.deliverer.stop(0);
    }
  });

  test("goes on without a mail server", async () => {
    await model.addChannel({ kind: "mail" });
    await model.report();
    model.start({ hasMail: false });
    model.clock.advance(digestMs);
    await model.settle();
    expect(model.first()).toMatchObject({ state: "waiting", attempts: [{ because: "no-mail" }] });
  });
});

describe("a channel", () => {
  test("gets one delivery at a time, the earliest first, and the next at once", async () => {
    const { process } = await model.sending();
    await model.report();
    process.deliverer.wake();
    await model.settle();
    expect(process.webhooks).toHaveLength(1);
    // What is due belongs to a busy channel: the next look is in a second.
    expect(model.clock.waits()).toEqual([1_000]);
    process.webhooks[0]?.end(deliveredWebhook);
    await model.settle();
    expect([model.states(), process.webhooks.length]).toEqual([["waiting", "delivered"], 2]);
    process.webhooks[1]?.end(deliveredWebhook);
    await model.settle();
    expect([model.states(), process.counted]).toEqual([
      ["delivered", "delivered"],
      ["webhook delivered", "webhook delivered"],
    ]);
    // Nothing waits: the next look is in a minute.
    expect(model.clock.waits()).toEqual([60_000]);
  });

  test("gets one delivery at a time, also where several are due at the start", async () => {
    await model.addChannel({ kind: "webhook" });
    for (let count = 0; count < 3; count++) await model.report();
    const process = model.start();
    await model.settle();
    expect(process.webhooks).toHaveLength(1);
  });

  test("that was removed or disabled, or whose account is disabled, gets nothing: its delivery is dropped", async () => {
    await model.addChannel({ kind: "webhook", accountId: 1 });
    await model.report(1);
    const disabled = await model.addChannel({ kind: "webhook", accountId: 2 });
    await model.report(2);
    await model.store.channels.disable(2, disabled.id, "owner", model.clock.now());
    await model.store.accounts.setDisabled(1, true);
    const process = model.start();
    await model.settle();
    expect([process.webhooks, model.deliveries(1)[0]?.state, model.deliveries(2)[0]?.state]).toEqual([[], "dropped", "dropped"]);
  });

  test("that is disabled does not end the deliveries of the channels after it", async () => {
    const disabled = await model.addChannel({ kind: "webhook" });
    const next = await model.addChannel({ kind: "webhook", target: "https://next.test/" });
    await model.store.channels.disable(1, disabled.id, "owner", model.clock.now());
    await model.report();
    expect(model.deliveries(1).map(({ channelId }) => channelId)).toEqual([next.id]);
  });

  test("that is still disabled gets no delivery that a person sends again", async () => {
    const { channel, process } = await model.sending();
    await model.store.channels.disable(1, channel.id, "owner", model.clock.now());
    process.webhooks[0]?.end(deliveredWebhook);
    await model.settle();
    await model.store.deliveries.retry(1, model.first()?.id ?? 0, model.clock.now());
    expect(model.states()).toEqual(["waiting"]);
    process.deliverer.wake();
    await model.settle();
    expect([model.states(), process.webhooks.length]).toEqual([["dropped"], 1]);
  });

  test("with an address that nobody has confirmed gets nothing, also of what waited for the former address", async () => {
    const channel = await model.addChannel({ kind: "mail" });
    await model.report();
    await model.store.channels.change(1, channel.id, () => ({ target: "other@client.test" }));
    const process = model.start();
    model.clock.advance(digestMs);
    await model.settle();
    expect([model.states(), process.mails]).toEqual([["dropped"], []]);
  });

  test("that is disabled during an attempt keeps the reason, and the delivery stays dropped", async () => {
    const { channel, process } = await model.sending();
    await model.store.channels.disable(1, channel.id, "owner", model.clock.now());
    process.webhooks[0]?.end(deliveredWebhook);
    await model.settle();
    expect([model.states(), model.first()?.attempts]).toEqual([["dropped"], []]);
    expect(model.store.channels.find(1, channel.id)?.disabled?.because).toBe("owner");
    expect(process.mails).toEqual([]);
  });

  test("shares the slots: three for an account, sixteen for webhooks, eight for mails", async () => {
    for (let accountId = 1; accountId <= 6; accountId++)
      for (const name of ["a", "b", "c", "d"]) {
        await model.addChannel({ kind: "webhook", accountId, target: `https://${name}.test/` });
        await model.addChannel({ kind: "mail", accountId, target: `${name}@client.test` });
      }
    for (let accountId = 1; accountId <= 6; accountId++) await model.report(accountId);
    const process = model.start();
    await model.settle();
    expect([process.webhooks.length, process.mails.length]).toEqual([16, 0]);
    model.clock.advance(digestMs);
    await model.settle();
    expect([process.webhooks.length, process.mails.length]).toEqual([16, 8]);
    process.webhooks[0]?.end(deliveredWebhook);
    await model.settle();
    expect([process.webhooks.length, process.mails.length]).toEqual([17, 8]);
  });
});
