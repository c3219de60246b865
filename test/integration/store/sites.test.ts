/** Watched sites, their runs, events and deliveries in a real store. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../src/store/database.ts";
import type { TableKey } from "../../../src/store/define-table.ts";
import { deliveriesKeptDays } from "../../../src/store/deliveries.ts";
import { compareDerivedTables } from "../../../src/store/derived-tables.ts";
import type { NewEvent } from "../../../src/store/site-events.ts";
import { newSiteState, type RunConclusion, type SiteRun } from "../../../src/store/site-runs.ts";
import type { Site } from "../../../src/store/sites.ts";
import type { RowTable } from "../../../src/store/table.ts";
import { type TemporaryStore, temporaryStore } from "../../support/temporary-store.ts";
import { addSite, newSite } from "../../support/watched-sites.ts";

const now = new Date("2026-11-02T12:00:00Z");
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const dropped: NewEvent = { type: "site.score_dropped", token: null, data: { from: 90, to: 60, band: "warn", rank: "weak" } };
const opened = (severity: "high" | "low"): NewEvent => ({
  type: "finding.opened",
  token: null,
  data: { findings: [{ code: "security.hsts.missing", checkKey: "hsts", severity, urls: ["https://a.example/"] }] },
});

let temporary: TemporaryStore;
const store = () => temporary.store;

beforeEach(async () => {
  temporary = temporaryStore({ queueMax: 10 });
  await store().accounts.create({ email: "owner@agency.example", now });
});
afterEach(() => temporary.stop());

async function startedRun(site: Site, kind: SiteRun["kind"] = "scheduled", at = now): Promise<SiteRun> {
  const run = await store().siteRuns.start({ accountId: 1, siteId: site.id, kind, now: at });
  if (typeof run === "string") throw new Error(run);
  return run;
}

function conclusion(events: readonly NewEvent[]): RunConclusion {
  return { state: newSiteState, site: {}, events, rules: null, history: null };
}

/** A rule for all sites to a new channel; returns the id of the channel. */
async function notified(kind: "mail" | "webhook", severityMin: "high" | "info" = "info"): Promise<number> {
  const given = { accountId: 1, kind, name: "Ops", target: "https://ops.example/", secrets: [], verified: true, now };
  const channel = await store().channels.add(given);
  if (channel === "full") throw new Error("full");
  const events = ["site.score_dropped", "finding.opened", "scan.finished"] as const;
  await store().rules.add({ accountId: 1, scope: { kind: "all" }, events, severityMin, channelIds: [channel.id], now });
  return channel.id;
}

describe("sites", () => {
  test("refuse an address twice and more sites than the plan allows, each for itself", async () => {
    const urls = ["https://a.example/", "https://a.example/", "https://b.example/", "https://c.example/"];
    const results = await store().sites.add(
      urls.map((url) => newSite({ accountId: 1, url, now })),
      2,
    );
    expect(results.map((one) => (typeof one === "string" ? one : one.url))).toEqual([
      "https://a.example/",
      "url-taken",
      "https://b.example/",
      "full",
    ]);
    expect(store().sites.count(1)).toBe(2);
  });

  test("keep the last 20 scores", async () => {
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now });
    const trend = Array.from({ length: 25 }, (_none, at) => at);
    await store().sites.change(1, site.id, () => ({ trend }) as never);
    expect(store().sites.find(1, site.id)?.trend).toEqual(trend.slice(-20));
  });

  test("of another account are unknown", async () => {
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now });
    expect(store().sites.find(2, site.id)).toBeUndefined();
    expect(await store().sites.change(2, site.id, () => ({ name: "x" }))).toBeUndefined();
    expect(await store().sites.remove(2, [site.id], 2)).toEqual([]);
  });

  test("are due in the order of their next run or second look", async () => {
    const late = await addSite(store(), { accountId: 1, url: "https://late.example/", now, nextRunAt: minutesLater(60).toISOString() });
    const early = await addSite(store(), { accountId: 1, url: "https://early.example/", now, nextRunAt: minutesLater(5).toISOString() });
    expect(store().sites.listDue(minutesLater(4), 9)).toEqual([]);
    await store().sites.change(1, late.id, () => ({ secondLookAt: minutesLater(1).toISOString() }));
    expect(store().sites.listDue(minutesLater(5), 9)).toEqual([
      { accountId: 1, siteId: late.id, dueAt: minutesLater(1) },
      { accountId: 1, siteId: early.id, dueAt: minutesLater(5) },
    ]);
    await store().sites.change(1, late.id, () => ({ paused: true, nextRunAt: null, secondLookAt: null }));
    expect(
      store()
        .sites.listDue(minutesLater(90), 9)
        .map(({ siteId }) => siteId),
    ).toEqual([early.id]);
  });
});

test("rows of due sites that no site implies take no places, and are removed", async () => {
  const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now, nextRunAt: minutesLater(5).toISOString() });
  const db = openDatabase(temporary.dataDir, { readOnly: false });
  await db.write(() => {
    // More than one step of the removal reads.
    for (let id = 100; id < 800; id++) db.sitesDue.put([now.getTime(), 1, id], id);
    db.sitesDue.put([now.getTime(), 1, site.id], site.id);
  });
  const due = () => store().sites.listDue(minutesLater(5), 1);
  const [before, steps] = [due(), [await store().sites.removeStrayDue(), await store().sites.removeStrayDue()]];
  const left = [...db.sitesDue.getKeys()];
  await db.close();
  expect(before).toEqual([{ accountId: 1, siteId: site.id, dueAt: minutesLater(5) }]);
  expect(steps).toEqual([true, false]);
  expect(left).toEqual([[minutesLater(5).getTime(), 1, site.id]]);
  expect(due()).toEqual(before);
});

describe("runs", () => {
  test("queue one scan for each address in the lane of scheduled scans, and only one run at a time", async () => {
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", pages: ["https://a.example/shop"], now });
    const run = await startedRun(site);
    expect(run.scans.map(({ url }) => url)).toEqual(["https://a.example/", "https://a.example/shop"]);
    expect(store().scans.findByToken(run.scans[0]?.token ?? "")?.queueKey?.[1]).toBe("scheduled");
    expect(await store().siteRuns.start({ accountId: 1, siteId: site.id, kind: "manual", now })).toBe("busy");
    const ended = () =>
      store()
        .siteRuns.endedScans(run)
        ?.map(({ url }) => url) ?? null;
    expect(ended()).toBeNull();
    await store().scans.cancelQueued(run.scans[0]?.token ?? "", now);
    expect(ended()).toBeNull();
    await store().scans.cancelQueued(run.scans[1]?.token ?? "", now);
    expect(ended()).toEqual(["https://a.example/", "https://a.example/shop"]);
  });

  test("of a person wait in the lane of people", async () => {
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now });
    const run = await startedRun(site, "manual");
    expect(store().scans.findByToken(run.scans[0]?.token ?? "")?.queueKey?.[1]).toBe("agency");
  });

  test("are queued whole or not at all, and leave the places of people free", async () => {
    const pages = ["1", "2", "3", "4", "5"].map((name) => `https://a.example/${name}`);
    await startedRun(await addSite(store(), { accountId: 1, url: "https://a.example/", pages, now }));
    const other = await addSite(store(), {
      accountId: 1,
      url: "https://b.example/",
      pages: pages.map((url) => url.replace("a.", "b.")),
      now,
    });
    expect(await store().siteRuns.start({ accountId: 1, siteId: other.id, kind: "scheduled", now })).toBe("full");
    expect(store().scans.queueLength()).toBe(6);
    expect(store().siteRuns.find(other.id)).toBeUndefined();
    const people = Array.from({ length: 11 }, (_none, at) => `https://p${at}.example/`);
    const { scans } = (await store().scans.queueAll({ accountId: 1, urls: people, idempotency: null, now })) as Exclude<
      Awaited<ReturnType<ReturnType<typeof store>["scans"]["queueAll"]>>,
      string
    >;
    expect(scans.map((one) => one === "full")).toEqual([...Array<boolean>(10).fill(false), true]);
  });

  test("are concluded once, with events and deliveries", async () => {
    const channelId = await notified("webhook");
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now });
    const run = await startedRun(site);
    const stored = await store().siteRuns.conclude(run, () => conclusion([dropped, opened("high")]), minutesLater(1));
    expect(stored?.map(({ type }) => type)).toEqual(["site.score_dropped", "finding.opened"]);
    expect(await store().siteRuns.conclude(run, () => conclusion([dropped]), minutesLater(1))).toBeUndefined();
    const due = store().deliveries.listDue(minutesLater(1), 9);
    expect(due.map((one) => [one.channelId, one.eventSeqs])).toEqual([
      [channelId, [1]],
      [channelId, [2]],
    ]);
    expect(new Set(stored?.map(({ id }) => id)).size).toBe(2);
    expect(
      store()
        .events.listOfSite(1, site.id, 9)
        .map(({ seq }) => seq),
    ).toEqual([2, 1]);
  });
});

describe("rules and deliveries", () => {
  test("a finding below the least severity is left out", async () => {
    await notified("webhook", "high");
    const run = await startedRun(await addSite(store(), { accountId: 1, url: "https://a.example/", now }));
    await store().siteRuns.conclude(run, () => conclusion([opened("low")]), now);
    expect(store().deliveries.waitingCount()).toBe(0);
  });

  test("a mail collects the events of a minute, and an event after it begins another", async () => {
    await notified("mail");
    for (const [host, minutes] of [
      ["a", 0],
      ["b", 0.5],
      ["c", 2],
    ] as const) {
      const run = await startedRun(
        await addSite(store(), { accountId: 1, url: `https://${host}.example/`, now }),
        "scheduled",
        minutesLater(minutes),
      );
      await store().siteRuns.conclude(run, () => conclusion([dropped]), minutesLater(minutes));
    }
    expect(
      store()
        .deliveries.list(1, { limit: 9, cursor: null })
        .items.map(({ eventSeqs }) => eventSeqs),
    ).toEqual([[3], [1, 2]]);
  });

  test("of a disabled or removed channel are dropped", async () => {
    const [first, second] = [await notified("webhook"), await notified("webhook")];
    const run = await startedRun(await addSite(store(), { accountId: 1, url: "https://a.example/", now }));
    await store().siteRuns.conclude(run, () => conclusion([dropped]), now);
    await store().channels.disable(1, first, "gone", now);
    await store().channels.remove(1, second);
    expect(
      store()
        .deliveries.list(1, { limit: 9, cursor: null })
        .items.map(({ state }) => state),
    ).toEqual(["dropped", "dropped"]);
    expect(store().deliveries.nextDueAt()).toBeNull();
    expect(
      store()
        .rules.list(1)
        .map(({ channelIds }) => channelIds),
    ).toEqual([[first]]);
  });

  test("an attempt is noted while the delivery waits, and old deliveries go", async () => {
    await notified("webhook");
    const run = await startedRun(await addSite(store(), { accountId: 1, url: "https://a.example/", now }));
    await store().siteRuns.conclude(run, () => conclusion([dropped]), now);
    const [due] = store().deliveries.listDue(now, 1);
    if (due === undefined) throw new Error("nothing is due");
    const attempt = { at: now.toISOString(), ms: 12, status: 500, because: "status" };
    await store().deliveries.noteAttempt(due, attempt, { state: "waiting", nextAttemptAt: minutesLater(5) });
    expect(store().deliveries.nextDueAt()).toEqual(minutesLater(5));
    await store().deliveries.noteAttempt(due, { ...attempt, status: 204, because: null }, { state: "delivered" });
    expect(await store().deliveries.noteAttempt(due, attempt, { state: "failed", disables: null })).toBeUndefined();
    expect(store().deliveries.find(1, due.id)).toMatchObject({
      state: "delivered",
      nextAttemptAt: null,
      attempts: [{ status: 500 }, { status: 204 }],
    });
    const old = minutesLater((deliveriesKeptDays + 1) * 24 * 60);
    // The first step is about deliveries, the second about events.
    expect([await store().deliveries.removeOlder(old), await store().deliveries.removeOlder(old)]).toEqual([true, false]);
    expect(store().deliveries.find(1, due.id)).toBeUndefined();
  });

  test("old ones go in steps, also from a table that is longer than a step", async () => {
    for (let count = 0; count < 30; count++) await notified("webhook");
    const run = await startedRun(await addSite(store(), { accountId: 1, url: "https://a.example/", now }));
    await store().siteRuns.conclude(run, () => conclusion(Array(20).fill(dropped)), now);
    const old = minutesLater((deliveriesKeptDays + 1) * 24 * 60);
    for (const { id } of store().channels.list(1).slice(1)) await store().channels.remove(1, id);
    let steps = 1;
    while (await store().deliveries.removeOlder(old)) steps++;
    expect(steps).toBeGreaterThan(2);
    const left = store().deliveries.list(1, { limit: 1_000, cursor: null }).items;
    expect([left.length, new Set(left.map(({ state }) => state))]).toEqual([20, new Set(["waiting"])]);
  });

  test("many to busy channels hold up no other", async () => {
    for (let count = 0; count < 50; count++) await notified("webhook");
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now });
    await store().siteRuns.conclude(await startedRun(site), () => conclusion(Array(45).fill(dropped)), now);
    const [busy, last] = [new Set(store().channels.list(1).slice(0, -1)), store().channels.list(1).at(-1)];
    const accepts = ({ channelId }: { readonly channelId: number }) => channelId === last?.id;
    for (const { id } of busy) await store().rules.remove(1, id);
    const later = await startedRun(site, "scheduled", minutesLater(1));
    await store().siteRuns.conclude(later, () => conclusion([dropped]), minutesLater(1));
    const found = new Set<number>();
    for (let look = 0; look < 3; look++)
      for (const { eventSeqs } of store().deliveries.listDue(minutesLater(2), 99, accepts)) found.add(eventSeqs[0] ?? 0);
    expect(found.size).toBe(46);
  });

  test("of a clock that was set back do not wait for its old time", async () => {
    const [, webhookId] = [await notified("mail"), await notified("webhook")];
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now });
    const ahead = minutesLater(100 * 24 * 60);
    await store().siteRuns.conclude(await startedRun(site), () => conclusion([dropped]), ahead);
    const [first] = store().deliveries.listDue(ahead, 1);
    if (first?.channelId !== webhookId) throw new Error("the webhook is not due");
    const attempt = { at: ahead.toISOString(), ms: 12, status: 500, because: "status" };
    await store().deliveries.noteAttempt(first, attempt, { state: "waiting", nextAttemptAt: ahead });
    // An event of the right time does not join the mail of the wrong one.
    await store().siteRuns.conclude(await startedRun(site, "manual", minutesLater(1)), () => conclusion([dropped]), now);
    expect(store().deliveries.waitingCount()).toBe(4);
    expect(await store().deliveries.correctTimes(now)).toBe(2);
    expect(store().deliveries.listDue(minutesLater(1), 9)).toHaveLength(4);
    expect(await store().deliveries.correctTimes(now)).toBe(0);
  });

  test("a finished scan of the account is an event; one of a schedule is not", async () => {
    await notified("webhook");
    await store().scans.queue({ accountId: 1, url: "https://ci.example/", now });
    await startedRun(await addSite(store(), { accountId: 1, url: "https://a.example/", now }));
    for (let left = 2; left > 0; left--) {
      const claimed = await store().scans.claimNext("local", now);
      await store().scans.fail(claimed?.token ?? "", { code: "unreachable", evidence: null, timings: {}, now });
    }
    const { items } = store().events.list(1, { limit: 9, cursor: null });
    expect(items).toMatchObject([
      { type: "scan.finished", data: { url: "https://ci.example/", status: "failed", errorCode: "unreachable" } },
    ]);
  });
});

describe("the rows that follow from others", () => {
  test("agree, are repaired, and go with the site and with the account", async () => {
    await notified("mail");
    const site = await addSite(store(), { accountId: 1, url: "https://a.example/", now, nextRunAt: minutesLater(9).toISOString() });
    await store().siteRuns.conclude(await startedRun(site), () => conclusion([dropped]), now);
    await store().metricsTokens.issue(1);
    const member = await store().accounts.create({ email: "member@agency.example", now });
    const invited = await store().members.invite({ ownerId: 1, email: "Member@agency.example", role: "viewer" }, now);
    if (typeof member === "string" || typeof invited === "string") throw new Error("refused");
    expect(await store().members.accept(invited.value, 1, now)).toBe("other-address");
    expect(await store().members.accept(invited.value, member.id, now)).toMatchObject({ ownerId: 1, role: "viewer" });
    expect(await store().members.accept(invited.value, member.id, now)).toBe("unknown");

    const db = openDatabase(temporary.dataDir, { readOnly: false });
    const tables = ["sitesDue", "siteEventIds", "deliveriesDue", "deliveriesWaiting", "ownersByMember", "metricsTokens"] as const;
    const faults = async (repair: boolean) =>
      (await compareDerivedTables(db, { repair }))
        .filter(({ table }) => tables.some((name) => name === table))
        .map(({ missing, stray }) => missing + stray);
    expect(await faults(false)).toEqual([0, 0, 0, 0, 0, 0]);
    await db.write(() => {
      for (const name of tables) for (const key of [...db[name].getKeys()]) (db[name] as unknown as RowTable<number, TableKey>).remove(key);
    });
    expect(await faults(true)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await faults(false)).toEqual([0, 0, 0, 0, 0, 0]);

    const account = store().accounts.findById(1);
    if (account === undefined) throw new Error("no account");
    await store().erasure.carryOut(store().erasure.accountDeletion(account, now), { kind: "server" }, now);
    const left = tables.map((name) => [...db[name].getKeys()].length);
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
    for (const name of ["sites", "events", "deliveries", "channels", "notificationRules", "siteStates", "members"] as const)
      expect([name, db[name].getCount()]).toEqual([name, 0]);
    await db.close();
  });
});
