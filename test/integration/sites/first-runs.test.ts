/** First runs after an import, as fast as slots and networks allow, beside people, second looks and dead addresses. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { minuteMs } from "../../../src/base/units.ts";
import type { SiteNetworks } from "../../../src/sites/site-networks.ts";
import { isBackgroundLane, networkScansMax } from "../../../src/store/queue.ts";
import type { Job } from "../../../src/store/scans.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, type SiteRig, siteRig } from "./site-rig.ts";

/** Time of each scan. */
const scanMs = 20_000;
/** Longer than in the server, so that the ends of scans alone must keep the slots busy. */
const tickMs = 60_000;
const stepMs = 5_000;

let rig: SiteRig;
beforeEach(async () => {
  rig = await siteRig();
});
afterEach(() => rig.stop());

interface Running {
  readonly scan: Job;
  readonly startedMs: number;
}

interface World {
  readonly slots: number;
  /** By host. */
  readonly networkOf: (host: string) => string;
  /** Time of a scan of that host. */
  readonly msOf?: (host: string) => number;
  /** Called before each step, with the milliseconds since the begin. */
  readonly before?: (ms: number) => Promise<void>;
}

function knownNetworks(networkOf: World["networkOf"]): SiteNetworks {
  const of = (url: string) => networkOf(new URL(url).hostname);
  return { of, known: of };
}

/** The claims of the dispatcher, in steps of five seconds; returns the start of each scan in milliseconds since the begin. */
async function world({ slots, networkOf, msOf = () => scanMs, before = async () => {} }: World, untilMs: number) {
  rig.restart({ slotsOf: () => slots, networks: knownNetworks(networkOf) });
  const starts: { readonly host: string; readonly ms: number; readonly lane: string }[] = [];
  let running: Running[] = [];
  let most = 0;

  async function claim(ms: number): Promise<boolean> {
    if (running.length >= slots) return false;
    const inBackground = running.filter(({ scan }) => isBackgroundLane(scan.queueKey?.[1] ?? "agency"));
    const byNetwork = Map.groupBy(running, ({ scan }) => scan.network ?? "");
    const busy = new Set([...byNetwork].flatMap(([network, held]) => (network !== "" && held.length >= networkScansMax ? network : [])));
    const scan = await rig.store.scans.claimNext("local", rig.now(), inBackground.length < Math.max(1, slots - 1), busy);
    if (scan === undefined) return false;
    running.push({ scan, startedMs: ms });
    starts.push({ host: new URL(scan.url).hostname, ms, lane: scan.queueKey?.[1] ?? "" });
    return true;
  }

  for (let ms = 0; ms <= untilMs; ms += stepMs) {
    rig.setMinute(ms / minuteMs);
    await before(ms);
    const ended = running.filter(({ scan, startedMs }) => ms - startedMs >= msOf(new URL(scan.url).hostname));
    running = running.filter((held) => !ended.includes(held));
    for (const { scan } of ended) await rig.end(scan, scan.url.includes("dead") ? "timeout" : (outcomes.get(scan.url) ?? { score: 90 }));
    if (ended.length > 0) await rig.ticker.conclude();
    if (ms % tickMs === 0) await rig.ticker.tick();
    while (await claim(ms)) {}
    for (const held of Map.groupBy(
      running.filter(({ scan }) => scan.network !== undefined),
      ({ scan }) => scan.network,
    ).values())
      most = Math.max(most, held.length);
  }
  return { starts, most };
}

const outcomes = new Map<string, { readonly score: number; readonly codes?: readonly string[] }>();
const addMany = async (count: number, name = "s") => {
  for (let at = 0; at < count; at++) await addSite(rig.store, { accountId: 1, url: `https://${name}${at}.example/`, now: new Date(begin) });
};
const numberIn = (host: string) => Number(/\d+/.exec(host)?.[0]);
const lastEndMs = (starts: readonly { readonly ms: number }[]) => Math.max(...starts.map(({ ms }) => ms)) + scanMs;

describe("an import", () => {
  test("of 60 sites on one address takes 30 scan times, two scans at once", async () => {
    await addMany(60);
    const { starts, most } = await world({ slots: 4, networkOf: () => "192.0.2.0" }, 33 * scanMs);
    expect([starts.length, most]).toEqual([60, 2]);
    expect(lastEndMs(starts)).toBeLessThanOrEqual(30 * scanMs * 1.1);
  });

  test("of 500 sites over 250 networks takes the time of the three slots that people leave", async () => {
    await addMany(500);
    const { starts: all, most } = await world({ slots: 4, networkOf: (host) => `n${numberIn(host) % 250}` }, 190 * scanMs);
    // The first regular run of a site can fall into this hour.
    const starts = all.filter(({ lane }) => lane === "first");
    expect(starts).toHaveLength(500);
    expect(most).toBeLessThanOrEqual(2);
    expect(lastEndMs(starts)).toBeLessThanOrEqual((500 / 3) * scanMs * 1.1);
  });

  test("delays no living site by dead ones beyond the slots that they hold, and scans no dead one again", async () => {
    await addMany(60);
    await addMany(30, "dead");
    const { starts } = await world({ slots: 4, networkOf: (host) => host }, 40 * scanMs);
    expect(starts).toHaveLength(90);
    expect(lastEndMs(starts)).toBeLessThanOrEqual(30 * scanMs * 1.1);
    expect(rig.store.sites.list(1).filter(({ secondLookAt }) => secondLookAt !== null)).toEqual([]);
  });

  test("of 500 sites, of which a third is dead and holds its slots three times as long, delays no living one beyond these slots", async () => {
    await addMany(333);
    await addMany(167, "dead");
    const msOf = (host: string) => (host.startsWith("dead") ? 3 * scanMs : scanMs);
    const { starts: all, most } = await world({ slots: 4, networkOf: (host) => `n${numberIn(host) % 250}`, msOf }, 310 * scanMs);
    const starts = all.filter(({ lane }) => lane === "first");
    expect([starts.length, most <= 2]).toEqual([500, true]);
    const living = starts.filter(({ host }) => !host.startsWith("dead"));
    expect(lastEndMs(living)).toBeLessThanOrEqual(((333 + 3 * 167) / 3) * scanMs * 1.1);
  });

  test("scans no more than two of the many pages of one site at a time", async () => {
    const pages = Array.from({ length: 9 }, (_, at) => `https://large.example/${at}`);
    await addSite(rig.store, { accountId: 1, url: "https://large.example/", pages, now: new Date(begin) });
    await addMany(10);
    const { starts, most } = await world({ slots: 4, networkOf: (host) => host }, 10 * scanMs);
    expect([starts.length, most]).toEqual([20, 2]);
  });

  test("of another account holds up no account, which has its turn", async () => {
    await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
    await addMany(60);
    await addSite(rig.store, { accountId: 2, url: "https://other.example/", now: new Date(begin) });
    const { starts } = await world({ slots: 2, networkOf: (host) => host }, 5 * scanMs);
    expect(starts.findIndex(({ host }) => host === "other.example")).toBeLessThan(3);
  });
});

test.each([1, 4])("a person's scan goes before the next first run, with %i slots", async (slots) => {
  await addMany(30);
  const askedMs = 45_000;
  const before = async (ms: number) => {
    if (ms === askedMs) await rig.store.scans.queue({ accountId: null, url: "https://person.example/", now: rig.now() });
  };
  const { starts } = await world({ slots, networkOf: (host) => host, before }, 8 * scanMs);
  const person = starts.find(({ host }) => host === "person.example");
  expect(person?.ms).toBe(slots === 1 ? 60_000 : askedMs);
});

test("a second look comes within 15 minutes, although three dead addresses and 60 first runs wait", async () => {
  const known = await addSite(rig.store, { accountId: 1, url: "https://known.example/", now: new Date(begin) });
  await rig.at(0);
  await addMany(3, "dead");
  await addMany(60);
  await rig.store.accounts.create({ email: "other@agency.example", now: rig.now() });
  await rig.store.sites.change(1, known.id, () => ({ nextRunAt: rig.now().toISOString() }));
  outcomes.set(known.url, { score: 40, codes: ["security.x.a"] });
  const { starts } = await world({ slots: 1, networkOf: () => "192.0.2.0" }, 15 * minuteMs);
  const looks = starts.filter(({ host }) => host === "known.example");
  expect(looks.map(({ lane }) => lane)).toEqual(["scheduled", "second-look"]);
  expect(rig.eventsOf(known)).toEqual(["site.score_dropped", "finding.opened"]);
  outcomes.clear();
});

describe("runs that wait", () => {
  const places = () => rig.store.sites.list(1).map(({ id }) => rig.ticker.waiting.placeOf(id));

  test("have places in the order in which they start, until they do", async () => {
    await addMany(5);
    rig.restart({ slotsOf: () => 1, networks: knownNetworks((host) => host) });
    await rig.ticker.tick();
    expect(places()).toEqual([null, 1, 2, 3, 4]);
    await rig.runScans();
    await rig.ticker.conclude();
    expect(places()).toEqual([null, null, 1, 2, 3]);
  });

  test("also those that the budget of regular runs holds back", async () => {
    await addMany(5);
    await rig.at(0);
    for (const { id } of rig.store.sites.list(1)) await rig.store.sites.change(1, id, () => ({ nextRunAt: rig.now().toISOString() }));
    await rig.ticker.tick();
    expect(places()).toEqual([null, null, null, 1, 2]);
  });

  test.each([
    ["by the slots that people leave", 4, (host: string) => host, 20],
    ["by the one slot", 1, (host: string) => host, 60],
    ["by the network that most of them share", 9, () => "192.0.2.0", 30],
  ] as const)("need a time %s", async (_what, slots, networkOf, durations) => {
    await addMany(60);
    rig.restart({ slotsOf: () => slots, networks: knownNetworks(networkOf) });
    const need = () => rig.ticker.waiting.firstRunsNeed(rig.store.sites.list(1));
    expect(need()).toEqual({ location: "local", durations, slots });
    await rig.ticker.tick();
    expect(need()).toEqual({ location: "local", durations, slots });
    expect(rig.ticker.waiting.firstRunsNeed([])).toBeNull();
  });
});
