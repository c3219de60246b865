/** Use cases of rules and deliveries over a real store: outcome, log line and refusals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addRule, type RuleFields, removeRule, retryDelivery, retryRefusalOf, updateRule } from "../../../src/channels/rule-operations.ts";
import type { Account } from "../../../src/store/accounts.ts";
import type { Channel } from "../../../src/store/channels.ts";
import type { Delivery } from "../../../src/store/deliveries.ts";
import { rulesMax } from "../../../src/store/notification-rules.ts";
import { newSiteState } from "../../../src/store/site-runs.ts";
import type { Site } from "../../../src/store/sites.ts";
import { rigStart, type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";
import { addSite } from "../../support/watched-sites.ts";

let rig: UseCaseRig;
let owner: Account;
let other: Account;
let site: Site;
let channel: Channel;

beforeAll(() => {
  rig = useCaseRig();
});
beforeEach(async () => {
  [owner, other] = [await rig.account(), await rig.account()];
  site = await addSite(rig.store, { accountId: owner.id, url: "https://shop.example/", now: rigStart });
  channel = await addChannel(owner);
  rig.sites.reset();
  rig.logged();
});
afterAll(() => rig.stop());

async function addChannel({ id: accountId }: Account): Promise<Channel> {
  const given = { accountId, kind: "webhook", name: "hook", target: "https://hooks.example/", secrets: ["s"], verified: true } as const;
  const added = await rig.store.channels.add({ ...given, now: rigStart });
  if (added === "full") throw new Error(added);
  return added;
}

const rule = (given: Partial<RuleFields> = {}): RuleFields => ({
  scope: { kind: "site", siteId: site.id },
  events: ["site.recovered"],
  severityMin: "info",
  channelIds: [channel.id],
  ...given,
});

async function stored(given: Partial<RuleFields> = {}) {
  const added = await addRule(rig.context, owner, rule(given));
  if (!("done" in added)) throw new Error(added.refused);
  rig.logged();
  return added.done;
}

describe("rules", () => {
  test("are added, changed in part, and removed, each with a log line", async () => {
    const added = await addRule(rig.context, owner, rule());
    const [first] = rig.store.rules.list(owner.id);
    expect(added).toEqual({ done: { ...rule(), id: first?.id, accountId: owner.id, createdAt: rigStart.toISOString() } });
    const id = first?.id ?? 0;
    const changed = await updateRule(rig.context, owner, { id, severityMin: "high" });
    expect(changed).toEqual({ done: { ...first, severityMin: "high" } });
    expect(await removeRule(rig.context, owner, id)).toEqual({ done: null });
    expect(rig.store.rules.list(owner.id)).toEqual([]);
    const fields = { account: owner.id, rule: id };
    expect(rig.logged()).toEqual([
      ["rule added", fields],
      ["rule changed", fields],
      ["rule removed", fields],
    ]);
  });

  test("refuse what the account does not have, and empty lists", async () => {
    const { id } = await stored();
    const [{ id: otherChannel }, otherSite] = [
      await addChannel(other),
      await addSite(rig.store, { accountId: other.id, url: "https://other.example/", now: rigStart }),
    ];
    const faults: readonly [Partial<RuleFields>, string][] = [
      [{ scope: { kind: "site", siteId: otherSite.id } }, "unknown-site"],
      [{ events: [] }, "no-events"],
      [{ channelIds: [] }, "no-channels"],
      [{ channelIds: [channel.id, otherChannel] }, "unknown-channel"],
    ];
    for (const [given, refused] of faults) {
      expect(await addRule(rig.context, owner, rule(given))).toEqual({ refused });
      expect(await updateRule(rig.context, owner, { id, ...given })).toEqual({ refused });
    }
    expect(await updateRule(rig.context, other, { id, events: ["site.recovered"] })).toEqual({ refused: "unknown" });
    expect(await removeRule(rig.context, other, id)).toEqual({ refused: "unknown" });
    expect([rig.store.rules.list(owner.id).length, rig.logged()]).toEqual([1, []]);
  });

  test("refuse more than an account may have", async () => {
    const given = { ...rule(), accountId: owner.id, now: rigStart };
    for (let at = 0; at < rulesMax; at++) await rig.store.rules.add(given);
    expect(await addRule(rig.context, owner, rule())).toEqual({ refused: "full" });
  });
});

describe("sending a delivery again", () => {
  async function delivery(): Promise<Delivery> {
    await stored({ scope: { kind: "all" } });
    const event = { type: "site.recovered", token: null, data: { since: rigStart.toISOString() } } as const;
    await rig.store.siteRuns.noteState(site, () => ({ state: newSiteState, events: [event] }), rigStart);
    const [queued] = rig.store.deliveries.list(owner.id, { limit: 1, cursor: null }).items;
    if (queued === undefined) throw new Error("no delivery");
    return queued;
  }

  const fail = (one: Delivery) =>
    rig.store.deliveries.noteAttempt(
      one,
      { at: rigStart.toISOString(), ms: 12, status: 500, because: "status" },
      { state: "failed", disables: null },
    );

  test("lets one that failed wait again, and wakes the deliverer", async () => {
    const failed = await delivery();
    expect(await retryDelivery(rig.context, owner, failed.id)).toEqual({ refused: "not-ended" });
    await fail(failed);
    expect(await retryDelivery(rig.context, owner, failed.id)).toMatchObject({ done: { id: failed.id, state: "waiting" } });
    expect(rig.logged()).toEqual([["delivery repeated", { account: owner.id, delivery: failed.id, channel: channel.id }]]);
    expect(rig.sites.woken.deliveries).toBe(1);
    expect(await retryDelivery(rig.context, other, failed.id)).toEqual({ refused: "unknown" });
  });

  test("names what is wrong with the channel", async () => {
    const failed = await delivery();
    await fail(failed);
    const refusals: unknown[] = [];
    const retried = async () => {
      refusals.push(await retryDelivery(rig.context, owner, failed.id));
    };
    await rig.store.channels.change(owner.id, channel.id, () => ({ verifiedAt: null }));
    await retried();
    await rig.store.channels.disable(owner.id, channel.id, "owner", rigStart);
    await retried();
    expect(retryRefusalOf(rig.store, failed)).toBe("channel-disabled");
    await rig.store.channels.remove(owner.id, channel.id);
    await retried();
    expect(refusals).toEqual([{ refused: "channel-unconfirmed" }, { refused: "channel-disabled" }, { refused: "channel-removed" }]);
    expect([rig.logged(), rig.sites.woken.deliveries]).toEqual([[], 0]);
  });
});
