/** Deliveries that are due together: which of them are attempted at the same time, and which go first. */
import { afterEach, expect, test } from "vitest";
import type { NewEvent } from "../../../src/store/site-events.ts";
import type { Site } from "../../../src/store/sites.ts";
import { type DeliveryRig, startDeliveryRig, until } from "../../support/delivery-rig.ts";
import { addSite } from "../../support/watched-sites.ts";

const digestMs = 60_000;
const dropped: NewEvent = { type: "site.score_dropped", token: null, data: { from: 90, to: 60, band: "warn", rank: "weak" } };

let rig: DeliveryRig;
afterEach(() => rig.stop());

test("mails that hang hold up no webhook, not even of the same account", async () => {
  rig = await startDeliveryRig({ mail: { accepting: () => new Promise(() => {}) } });
  for (const name of ["a", "b", "c", "d"]) await rig.addChannel({ kind: "mail", target: `${name}@client.test` });
  const site = await rig.addSite("a.test");
  await rig.report(site, dropped);
  rig.advance(digestMs);
  await until("three mails", () => rig.mails.length === 3);
  await rig.addChannel({ kind: "webhook" });
  await rig.report(site, dropped);
  await until("the webhook", () => rig.webhooks.length === 1);
  expect(rig.mails.length).toBe(3);
});

test("slow webhooks of some accounts hold up no other account: it gets the next free slot", async () => {
  rig = await startDeliveryRig();
  const answers = new Map<string, PromiseWithResolvers<{ readonly status: number }>>();
  rig.answer(({ path }) => {
    const answer = Promise.withResolvers<{ readonly status: number }>();
    answers.set(path, answer);
    return answer.promise;
  });
  const { target } = await rig.addChannel({ kind: "webhook" });
  const [origin] = target.split("/hook");
  const sites = new Map<number, Site>();
  for (let accountId = 1; accountId <= 7; accountId++) {
    if (accountId > 1) await rig.store.accounts.create({ email: `owner${accountId}@agency.test`, now: rig.now() });
    sites.set(accountId, await addSite(rig.store, { accountId, url: `https://a${accountId}.test/`, name: "a", now: rig.now() }));
    for (const name of ["a", "b", "c"]) await rig.addChannel({ kind: "webhook", accountId, target: `${origin}/${accountId}${name}` });
  }
  const report = async (accountId: number) => {
    const site = sites.get(accountId);
    if (site !== undefined) await rig.report(site, dropped);
  };
  for (let accountId = 1; accountId <= 6; accountId++) await report(accountId);
  await until("all slots are taken", () => answers.size === 16);
  // These deliveries are due after the waiting ones of account 6.
  rig.advance(1_000);
  await report(7);
  answers.get("/1a")?.resolve({ status: 204 });
  await until("the next one", () => answers.size === 17);
  expect([...answers.keys()].at(-1)).toMatch(/^\/7/);
  expect(rig.most.atOnce).toBe(16);
});
