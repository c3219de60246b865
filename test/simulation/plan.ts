/** What a simulated day consists of: settings, and steps at their times. A plan is data, so that it can be cut shorter and played again. */
import { hourMs, minuteMs, secondMs } from "../../src/base/units.ts";
import type { SiteSchedule } from "../../src/parse/site-csv.ts";
import { type Draws, drawsOf } from "./draws.ts";

/** How a page answers a scan. `hangs`: until the deadline of a scan. */
const pageMoods = ["quick", "slow", "hangs", "refused", "unresolved", "crashes"] as const;
export type PageMood = (typeof pageMoods)[number];

/** How a receiver answers. `drops`: it gets the message, and its answer is lost. */
const receiverMoods = ["takes", "fails", "hangs", "drops", "gone"] as const;
export type ReceiverMood = (typeof receiverMoods)[number];

export interface ShownPage {
  readonly score: number;
  /** Codes of findings. */
  readonly findings: readonly string[];
  readonly mood: PageMood;
}

export type Action =
  | { readonly do: "account"; readonly account: string; readonly plan: "agency" | "free" }
  | { readonly do: "channel"; readonly account: string; readonly channel: string; readonly kind: "webhook" | "mail" | "slack" }
  | { readonly do: "site"; readonly account: string; readonly host: string; readonly pages: number; readonly schedule: SiteSchedule }
  /** A person scans a page; null is a guest. */
  | { readonly do: "scan"; readonly account: string | null; readonly host: string; readonly name: string }
  | { readonly do: "cancel"; readonly name: string; readonly by: "owner" | "operator" }
  | { readonly do: "scan site"; readonly account: string; readonly host: string }
  | { readonly do: "remove site"; readonly account: string; readonly host: string }
  | { readonly do: "delete account"; readonly account: string }
  | ({ readonly do: "page"; readonly host: string } & ShownPage)
  | { readonly do: "receiver"; readonly channel: string; readonly mood: ReceiverMood }
  /** The process is killed at its next write but so many. `after`: the change is on disk, but its caller gets no answer. */
  | { readonly do: "kill"; readonly writes: number; readonly moment: "before" | "after"; readonly downMs: number }
  | { readonly do: "restart"; readonly drainMs: number }
  | { readonly do: "disk full"; readonly forMs: number }
  /** The disk refuses so many changes, from the next one but so many on. */
  | { readonly do: "refuse"; readonly writes: number; readonly count: number }
  /** The operator sets the clock. */
  | { readonly do: "clock"; readonly byMs: number };

/** `atMs`: milliseconds since the start, by a clock that no one sets. */
export type Step = { readonly atMs: number } & Action;

export interface Plan {
  readonly seed: number;
  /** ISO 8601, UTC. */
  readonly startAt: string;
  readonly lastsMs: number;
  /** Interval of the clock of sites. */
  readonly tickMs: number;
  readonly slots: number;
  readonly queueMax: number;
  /** In the order of their times. */
  readonly steps: readonly Step[];
}

/** Days on which no clock changes, and those on which Berlin changes its own. */
const starts = ["2026-11-02T12:00:00Z", "2027-03-27T18:00:00Z", "2026-10-24T18:00:00Z", "2026-12-31T20:00:00Z"];
const schedules: readonly SiteSchedule[] = [
  { every: "daily" },
  { every: "weekly" },
  { cron: "0 * * * *", zone: "UTC" },
  { cron: "30 2 * * *", zone: "Europe/Berlin" },
  { cron: "15 */3 * * *", zone: "Europe/Berlin" },
];
const codes = ["security.a.missing", "security.b.weak", "security.c.old"];
const clockJumps = [-26 * hourMs, -hourMs, -5 * minuteMs, 20 * secondMs, hourMs, 25 * hourMs];

export function planOf(seed: number): Plan {
  const draws = drawsOf("plan", seed);
  const startAt = draws.of(starts);
  const tickMs = draws.of([10 * secondMs, minuteMs]);
  const lastsMs = tickMs < minuteMs ? draws.whole(2, 5) * hourMs : draws.whole(8, 26) * hourMs;
  const slots = draws.whole(1, 4);
  const queueMax = draws.of([6, 40, 1_000]);
  const world = actorsOf(drawsOf("actors", seed), lastsMs);
  const peaceful = [...world.steps, ...daysOf(drawsOf("days", seed), world, lastsMs)];
  const steps = [...peaceful, ...faultsOf(drawsOf("faults", seed), peaceful, lastsMs)];
  return { ...{ seed, startAt, lastsMs, tickMs, slots, queueMax }, steps: steps.toSorted((one, other) => one.atMs - other.atMs) };
}

interface Actors {
  readonly accounts: readonly string[];
  readonly sites: readonly { readonly account: string; readonly host: string }[];
  readonly channels: readonly string[];
  readonly steps: readonly Step[];
}

/** Accounts come first. Most sites come at once, as by an import. */
function actorsOf(draws: Draws, lastsMs: number): Actors {
  const accounts = Array.from({ length: draws.whole(1, 4) }, (_none, at) => `a${at + 1}`);
  // All sites are due at once when the clock is set to the next day.
  const isDaily = draws.chance(0.2);
  const sites = accounts.flatMap((account) =>
    Array.from({ length: isDaily ? draws.whole(3, 8) : draws.whole(0, 6) }, (_none, at) => ({
      account,
      host: `${account}-s${at + 1}.test`,
    })),
  );
  const channels = accounts.flatMap((account) =>
    Array.from({ length: draws.whole(0, 3) }, (_none, at) => ({ account, channel: `${account}-c${at + 1}` })),
  );
  const steps: Step[] = [
    ...accounts.map((account, at): Step => ({ atMs: 0, do: "account", account, plan: at === 0 || draws.chance(0.6) ? "agency" : "free" })),
    ...channels.map(
      ({ account, channel }): Step => ({
        atMs: 1,
        do: "channel",
        account,
        channel,
        kind: draws.of(["webhook", "webhook", "mail", "slack"]),
      }),
    ),
    ...sites.map(({ account, host }): Step => {
      const atMs = draws.chance(0.7) ? 2 : draws.whole(2, lastsMs / 2);
      return {
        atMs,
        do: "site",
        account,
        host,
        pages: draws.chance(0.2) ? draws.whole(1, 3) : 0,
        schedule: isDaily ? { every: "daily" } : draws.of(schedules),
      };
    }),
  ];
  if (isDaily) steps.push({ atMs: draws.whole(lastsMs / 2, lastsMs), do: "clock", byMs: 25 * hourMs });
  return { accounts, sites, channels: channels.map(({ channel }) => channel), steps };
}

/** What people, pages and receivers do. */
function daysOf(draws: Draws, { accounts, sites, channels }: Actors, lastsMs: number): readonly Step[] {
  const steps: Step[] = [];
  const at = () => draws.whole(1_000, lastsMs);
  const bursts = Array.from({ length: draws.whole(1, 4) }, at);
  // Many at once fill the queue.
  const isRush = draws.chance(0.3);
  for (let left = isRush ? draws.whole(20, 40) : draws.whole(0, 30); left > 0; left--) {
    const name = `p${left}`;
    const atMs =
      !isRush && draws.chance(0.5) ? at() : draws.of(isRush ? bursts.slice(0, 1) : bursts) + draws.whole(0, isRush ? 5_000 : 20_000);
    steps.push({ atMs, do: "scan", account: draws.chance(0.3) ? null : draws.of(accounts), host: `p${draws.whole(1, 5)}.test`, name });
    if (draws.chance(0.3)) steps.push({ atMs: atMs + draws.whole(0, 30_000), do: "cancel", name, by: draws.of(["owner", "operator"]) });
  }
  const hosts = [...sites.map(({ host }) => host), "p1.test", "p2.test"];
  for (let left = draws.whole(0, 12) + sites.length; left > 0; left--) {
    const worse = draws.chance(0.5);
    steps.push({
      atMs: at(),
      do: "page",
      host: draws.of(hosts),
      score: worse ? draws.whole(20, 70) : draws.whole(80, 100),
      findings: worse ? codes.filter(() => draws.chance(0.6)) : [],
      mood: draws.chance(0.65) ? "quick" : draws.of(pageMoods),
    });
  }
  if (channels.length > 0)
    for (let left = draws.whole(0, 6); left > 0; left--)
      steps.push({ atMs: at(), do: "receiver", channel: draws.of(channels), mood: draws.of(receiverMoods) });
  if (sites.length > 0) {
    for (let left = draws.whole(0, 4); left > 0; left--) steps.push({ atMs: at(), do: "scan site", ...draws.of(sites) });
    for (let left = draws.whole(0, 2); left > 0; left--) steps.push({ atMs: at(), do: "remove site", ...draws.of(sites) });
  }
  if (accounts.length > 1 && draws.chance(0.3)) steps.push({ atMs: at(), do: "delete account", account: draws.of(accounts.slice(1)) });
  return steps;
}

/** Most faults come soon after something has begun, where more is under way. */
function faultsOf(draws: Draws, peaceful: readonly Step[], lastsMs: number): readonly Step[] {
  const at = () => (draws.chance(0.3) ? draws.whole(1_000, lastsMs) : draws.of(peaceful).atMs + draws.whole(0, 60_000));
  const some = (most: number, fault: () => Action): readonly Step[] =>
    Array.from({ length: draws.whole(0, most) }, () => ({ atMs: at(), ...fault() }));
  return [
    ...some(4, () => ({
      do: "kill",
      writes: draws.whole(0, 6),
      moment: draws.of(["before", "after"]),
      downMs: draws.whole(1, 600) * secondMs,
    })),
    ...some(2, () => ({ do: "restart", drainMs: draws.of([0, 10 * secondMs]) })),
    ...some(6, () => ({ do: "refuse", writes: draws.whole(0, 6), count: draws.whole(1, 3) })),
    ...some(2, () => ({ do: "disk full", forMs: draws.whole(5, 900) * secondMs })),
    ...(draws.chance(0.4) ? some(2, () => ({ do: "clock", byMs: draws.of(clockJumps) })) : []),
  ];
}
