/** Protocol of the deliverer over models of receivers and clock: refused writes, stops and kills, in any order with attempts. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { type DeliveryModel, deliveredWebhook, deliveryModel, failedWith } from "../../support/delivery-model.ts";

const digestMs = 60_000;
const storeRetryMs = 10_000;
const full = () => new DataDirError("full", "no space is left");

let model: DeliveryModel;
beforeEach(async () => {
  model = await deliveryModel();
});
afterEach(() => model.stop());

/** `refuse` makes the store refuse what follows from attempts. */
function refusingStore() {
  const state = { refuses: false };
  const { noteAttempt } = model.store.deliveries;
  return {
    refuse: (refuses: boolean) => void Object.assign(state, { refuses }),
    deliveries: {
      noteAttempt: (...given: Parameters<typeof noteAttempt>) => (state.refuses ? Promise.reject(full()) : noteAttempt(...given)),
    },
  };
}

describe("a store that takes nothing", () => {
  test("is asked again every ten seconds, and the webhook is not sent again meanwhile", async () => {
    const { refuse, deliveries } = refusingStore();
    const { process } = await model.sending({ deliveries });
    await model.report();
    refuse(true);
    process.webhooks[0]?.end(deliveredWebhook);
    await model.settle();
    model.clock.advance(storeRetryMs);
    await model.settle();
    refuse(false);
    model.clock.advance(storeRetryMs - 1);
    await model.settle();
    expect([model.states(), process.webhooks.length]).toEqual([["waiting", "waiting"], 1]);
    model.clock.advance(1);
    await model.settle();
    expect([model.states(), process.webhooks.length]).toEqual([["waiting", "delivered"], 2]);
    expect(process.counted).toEqual(["webhook delivered"]);
  });

  test("and cannot be read is looked at again after a minute, or when something is due", async () => {
    let isBroken = true;
    const { listDue } = model.store.deliveries;
    const faulty: typeof listDue = (...given) => {
      if (isBroken) throw new Error("a fault of the test");
      return listDue(...given);
    };
    await model.addChannel({ kind: "webhook" });
    await model.report();
    const process = model.start({ deliveries: { listDue: faulty } });
    expect([process.log.join("\n").includes("a fault of the test"), model.clock.waits()]).toEqual([true, [60_000]]);
    isBroken = false;
    model.clock.advance(60_000);
    await model.settle();
    expect(process.webhooks).toHaveLength(1);
  });

  test("leaves a delivery that cannot be read due, and its channel busy for ten seconds", async () => {
    let reads = 0;
    const find = (): never => {
      reads++;
      throw new Error("a fault of the test");
    };
    await model.addChannel({ kind: "webhook" });
    await model.report();
    const process = model.start({ events: { find } });
    model.clock.advance(storeRetryMs - 1);
    await model.settle();
    expect([reads, model.states(), process.log.filter((line) => line.includes("a fault of the test")).length]).toEqual([1, ["waiting"], 1]);
    model.clock.advance(1);
    await model.settle();
    expect([reads, process.webhooks.length]).toEqual([2, 0]);
  });

  test("leaves a delivery that cannot be dropped due, and its channel busy for ten seconds", async () => {
    const channel = await model.addChannel({ kind: "webhook" });
    await model.report();
    await model.store.accounts.setDisabled(1, true);
    let drops = 0;
    const { drop } = model.store.deliveries;
    const refusing: typeof drop = (...given) => (++drops === 1 ? Promise.reject(full()) : drop(...given));
    model.start({ deliveries: { drop: refusing } });
    await model.settle();
    expect([drops, model.states()]).toEqual([1, ["waiting"]]);
    model.clock.advance(storeRetryMs);
    await model.settle();
    expect([drops, model.states(), channel.disabled]).toEqual([2, ["dropped"], null]);
  });
});

describe("a stop", () => {
  test("waits for the attempts under way, and begins no other", async () => {
    const { process } = await model.sending();
    await model.report();
    let stopped = false;
    const stopping = process.deliverer.stop(5_000).then(() => (stopped = true));
    process.deliverer.wake();
    model.clock.advance(4_999);
    await model.settle();
    expect([stopped, process.webhooks[0]?.signal?.aborted]).toEqual([false, false]);
    process.webhooks[0]?.end(deliveredWebhook);
    await stopping;
    await model.settle();
    expect([model.states(), process.webhooks.length, model.clock.waits()]).toEqual([["waiting", "delivered"], 1, []]);
  });

  test("aborts an attempt, which counts nowhere, and the next start repeats under the same id", async () => {
    const { process } = await model.sending();
    const stopping = process.deliverer.stop(5_000);
    model.clock.advance(5_000);
    await stopping;
    await model.settle();
    expect(process.webhooks[0]?.signal?.aborted).toBe(true);
    expect([model.states(), model.first()?.attempts, process.counted]).toEqual([["waiting"], [], []]);
    const next = model.start();
    await model.settle();
    expect(next.webhooks.map(({ given: { id } }) => id)).toEqual(process.webhooks.map(({ given: { id } }) => id));
    next.webhooks[0]?.end(failedWith("status"));
    await model.settle();
    expect([model.first()?.attempts.length, model.untilNextMs()]).toEqual([1, 5_000]);
  });

  test("aborts a mail, which counts nowhere", async () => {
    await model.addChannel({ kind: "mail" });
    await model.report();
    const process = model.start();
    model.clock.advance(digestMs);
    await model.settle();
    const stopping = process.deliverer.stop(0);
    model.clock.advance(0);
    await stopping;
    await model.settle();
    expect([process.mails[0]?.signal?.aborted, model.first()?.attempts, process.counted]).toEqual([true, [], []]);
  });

  test("stores what was delivered although it was aborted, so that it is not sent again", async () => {
    const { process } = await model.sending({ hangs: true });
    const stopping = process.deliverer.stop(0);
    model.clock.advance(0);
    await model.settle();
    process.webhooks[0]?.end(deliveredWebhook);
    await stopping;
    await model.settle();
    expect([model.states(), process.counted]).toEqual([["delivered"], ["webhook delivered"]]);
  });

  test("ends two seconds after it has aborted attempts that do not end", async () => {
    const { process } = await model.sending({ hangs: true });
    let stopped = false;
    process.deliverer.stop(1_000).then(() => (stopped = true));
    model.clock.advance(1_000);
    await model.settle();
    model.clock.advance(1_999);
    await model.settle();
    expect(stopped).toBe(false);
    model.clock.advance(1);
    await model.settle();
    expect(stopped).toBe(true);
  });

  test("does not wait for a store that takes nothing", async () => {
    const { refuse, deliveries } = refusingStore();
    const { process } = await model.sending({ deliveries });
    refuse(true);
    process.webhooks[0]?.end(deliveredWebhook);
    await model.settle();
    const stopping = process.deliverer.stop(1_000);
    model.clock.advance(1_000);
    await stopping;
    await model.settle();
    expect([model.states(), model.clock.waits()]).toEqual([["waiting"], []]);
  });
});

test("a process that is killed between sending and storing sends again, under the same id, and counts one attempt", async () => {
  const noteAttempt = () => new Promise<undefined>(() => {});
  const channel = await model.addChannel({ kind: "webhook" });
  await model.report();
  const killed = model.start({ deliveries: { noteAttempt }, hangs: true });
  await model.settle();
  killed.webhooks[0]?.end(deliveredWebhook);
  const next = model.start();
  await model.settle();
  expect(next.webhooks.map(({ given: { id } }) => id)).toEqual(killed.webhooks.map(({ given: { id } }) => id));
  next.webhooks[0]?.end(deliveredWebhook);
  await model.settle();
  expect([model.states(), model.first()?.attempts.length, channel.disabled]).toEqual([["delivered"], 1, null]);
});
