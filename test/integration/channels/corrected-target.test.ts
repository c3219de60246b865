/** Channels whose target the owner corrects: what the earlier target did says nothing about the new one. */
import { afterEach, expect, test } from "vitest";
import type { NewEvent } from "../../../src/store/site-events.ts";
import { type DeliveryRig, startDeliveryRig, until } from "../../support/delivery-rig.ts";

const digestMs = 60_000;
const dropped: NewEvent = { type: "site.score_dropped", token: null, data: { from: 90, to: 60, band: "warn", rank: "weak" } };

let rig: DeliveryRig;
afterEach(() => rig.stop());

const states = () => rig.deliveries().map(({ state }) => state);
const channelOf = (id: number) => rig.store.channels.find(1, id);

test("a mail address that failed gets the next reports once it is corrected and confirmed", async () => {
  rig = await startDeliveryRig({ mail: { replies: { recipient: [[550, "5.1.1 no such user"]] } } });
  const { id } = await rig.addChannel({ kind: "mail", target: "taem@client.test" });
  const site = await rig.addSite("a.test");
  await rig.report(site, dropped);
  rig.advance(digestMs);
  await until("the notice", () => rig.mails.length === 1);
  expect(channelOf(id)?.disabled?.because).toBe("failed");
  await rig.store.channels.change(1, id, () => ({ target: "team@client.test" }));
  expect(rig.store.channels.noticesDue()).toEqual([]);
  const value = (await rig.store.channels.issueConfirmation(1, id, rig.now())) ?? "";
  await rig.store.channels.confirm(1, id, value, rig.now());
  await rig.report(site, dropped);
  rig.advance(digestMs);
  await until("the report", () => rig.mails.length === 2);
  expect(rig.mails[1]?.to).toEqual(["team@client.test"]);
  await until("noted", () => states()[0] === "delivered");
});

test("a target that is corrected while an attempt is under way stays enabled, without a notice", async () => {
  rig = await startDeliveryRig();
  const answering = Promise.withResolvers<{ readonly status: number }>();
  rig.answer(({ path }) => (path === "/hook" ? answering.promise : { status: 200 }));
  const { id, target } = await rig.addChannel({ kind: "webhook" });
  const site = await rig.addSite("a.test");
  await rig.report(site, dropped);
  await until("the request", () => rig.webhooks.length === 1);
  await rig.store.channels.change(1, id, () => ({ target: `${target}/corrected` }));
  answering.resolve({ status: 410 });
  await until("noted", () => states()[0] === "failed");
  expect(channelOf(id)?.disabled).toBeNull();
  await rig.report(site, dropped);
  await until("delivered", () => states()[0] === "delivered");
  expect(rig.webhooks.map(({ path }) => path)).toEqual(["/hook", "/hook/corrected"]);
  expect(rig.log.filter((line) => line.includes("channel disabled"))).toEqual([]);
  expect(rig.mails).toEqual([]);
});
