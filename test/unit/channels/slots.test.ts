/** Slots of attempts: each is free again after its attempt, which is said at once. */
import { expect, test } from "vitest";
import { createSlots } from "../../../src/channels/pacing.ts";
import type { Delivery, DeliveryPlace } from "../../../src/store/deliveries.ts";

const place = { accountId: 1, channelId: 7 } as Delivery;

test("a channel is busy until its attempt has ended, which is said once it is free", async () => {
  const offered: boolean[] = [];
  const channels = { find: () => ({ kind: "mail" }) };
  const deliveries = { listDue: (_now: Date, _max: number, accepts: (place: DeliveryPlace) => boolean) => (accepts(place) ? [place] : []) };
  const slots = createSlots({ channels, deliveries } as unknown as Parameters<typeof createSlots>[0], () => offered.push(isFree()));
  const isFree = () => slots.listDue(new Date()).length > 0;
  const attempt = Promise.withResolvers<void>();
  slots.run(place, () => attempt.promise);
  expect([isFree(), offered]).toEqual([false, []]);
  attempt.resolve();
  await slots.idle();
  expect(offered).toEqual([true]);
});
