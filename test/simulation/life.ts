/** One process of the server, from its start to its end or kill: the product's parts, put together as `src/app/serve.ts` does. */
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { planSitesMax } from "../../src/accounts/account-operations.ts";
import { startHousekeeping } from "../../src/app/server-store.ts";
import type { Clock } from "../../src/base/clock.ts";
import { createLog, type Log, messageOf } from "../../src/base/log.ts";
import { type Deliverer, startDeliverer } from "../../src/channels/deliverer.ts";
import { type Dispatcher, startDispatcher } from "../../src/scan/dispatcher.ts";
import { createProgress, type ProgressHub } from "../../src/scan/progress.ts";
import { createScanner } from "../../src/scan/scanner.ts";
import { type SiteClock, startSiteClock } from "../../src/sites/clock.ts";
import { createSiteNetworks } from "../../src/sites/site-networks.ts";
import { DataDirError } from "../../src/store/data-dir.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { modelGatherer, modelJudging } from "./pages.ts";
import { modelMailer, modelWebhooks } from "./receivers.ts";
import type { World } from "./world.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });
const retention = {
  ...{ "audit.days": 365, "retention.evidence_days": 1, "retention.proof_days": 1 },
  ...{ "retention.scans_per_host": 2, "retention.screenshots": 10 },
};
/** Never settles: what a killed process waits for. */
const never = new Promise<never>(() => {});

/** What the process has under way. */
export interface Gauges {
  /** Running scans by URL. */
  readonly scans: Map<string, number>;
  /** Open attempts by target. */
  readonly attempts: Map<string, number>;
}

export interface Life {
  /** The first process has number 1. */
  readonly number: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly gauges: Gauges;
  readonly progress: ProgressHub;
  /** Null until they have started. */
  parts: { readonly dispatcher: Dispatcher; readonly sites: SiteClock; readonly deliverer: Deliverer } | null;
  /** `dead`: killed, or ended. Nothing of it goes on. */
  state: "starting" | "up" | "stopping" | "dead";
  /** Changes that are not on disk yet. */
  pending(): number;
  /** Timers that wait. */
  timers(): number;
  kill(): void;
  stop(drainMs: number): Promise<void>;
  /** Only once it is dead, and everything has settled. */
  close(): Promise<void>;
}

export function startLife(world: World, number: number): Life {
  const timers = new Set<() => void>();
  let pending = 0;
  let stopHousekeeping: () => Promise<void> = async () => {};
  const isDead = () => life.state === "dead";

  function timer(start: (action: () => void) => () => void, action: () => void, isOnce: boolean): () => void {
    if (isDead()) return () => {};
    const cancelTimer = start(() => {
      if (isOnce) timers.delete(cancel);
      action();
    });
    const cancel = () => {
      timers.delete(cancel);
      cancelTimer();
    };
    timers.add(cancel);
    return cancel;
  }

  const clock: Clock = {
    ...world.clock,
    after: (ms, action) => timer((wrapped) => world.clock.after(ms, wrapped), action, true),
    every: (ms, action) => timer((wrapped) => world.clock.every(ms, wrapped), action, false),
  };

  async function aroundWrite<T>(write: () => Promise<T>): Promise<T> {
    if (isDead()) return never;
    const fate = world.fateOfWrite();
    if (fate === "refused") throw new DataDirError("full", "no space is left");
    if (fate === "killed before") {
      kill();
      return never;
    }
    pending++;
    try {
      const value = await write();
      world.written();
      if (fate === "killed after") kill();
      return isDead() ? never : value;
    } finally {
      pending--;
    }
  }

  function kill(): void {
    if (isDead()) return;
    life.state = "dead";
    world.lifeEnds.set(number, world.nowMs);
    for (const cancel of [...timers]) cancel();
  }

  const store = openStore(world.dataDir, { noSync: true, queueMax: world.plan.queueMax, screenshotsKept: 10, clock, aroundWrite });
  const gauges: Gauges = { scans: new Map(), attempts: new Map() };
  const log = createLog({ level: "debug", format: "json", write: (line) => world.log(line) });
  const life: Life = {
    ...{ number, store, clock, gauges, kill, parts: null, state: "starting" },
    progress: createProgress({ concurrency: world.plan.slots, clock, log }),
    pending: () => pending,
    timers: () => timers.size,
    stop: async (drainMs) => {
      life.state = "stopping";
      await Promise.all([life.parts?.dispatcher.stop(drainMs), life.parts?.sites.stop(), life.parts?.deliverer.stop(drainMs)]);
      await stopHousekeeping();
      // As of the process: its store is closed once all has settled.
      kill();
    },
    close: () => store.close(),
  };
  stopHousekeeping = startHousekeeping({ config: retention, store, clock, log });
  startParts(world, life, log).then(
    (parts) => {
      if (isDead()) return;
      life.parts = parts;
      life.state = "up";
    },
    // As the process, which ends with a message.
    (error: unknown) => {
      world.say(`the server does not start: ${messageOf(error)}`);
      kill();
    },
  );
  return life;
}

/** In the order of `src/app/serve.ts`. */
async function startParts(world: World, { store, clock, progress, gauges }: Life, log: Log): Promise<NonNullable<Life["parts"]>> {
  const count = (counts: Map<string, number>) => (key: string, by: 1 | -1) => void counts.set(key, (counts.get(key) ?? 0) + by);
  let [sites, deliverer]: [SiteClock | null, Deliverer | null] = [null, null];
  const scanner = createScanner(
    { clock, remote: null },
    { judging: modelJudging(world), local: modelGatherer(world, count(gauges.scans)) },
  );
  const dispatcher = await startDispatcher({
    store: { ...store, scans: { ...store.scans, claimNext: world.watchedClaims(store) } },
    ...{ scanner, progress, log, clock, concurrency: world.plan.slots, remote: null, waitMaxMs: 3_600_000 },
    prove: async () => "crashed",
    observer: {
      claimed: () => {},
      begin: () => ({ stage: () => {}, end: () => {} }),
      ended: ({ token }) => {
        sites?.scanEnded(token);
        deliverer?.wake();
      },
    },
  });
  deliverer = startDeliverer({
    ...{ store, texts: () => texts, localeDefault: "en-gb", publicUrl: "https://assay.test", brandOf: () => undefined, clock, log },
    send: {
      webhook: modelWebhooks(world, count(gauges.attempts)),
      mail: modelMailer(world, count(gauges.attempts)),
    },
    metrics: { attempted: () => {} },
  });
  const siteStore = { ...store, siteRuns: { ...store.siteRuns, start: world.watchedStarts(store) } };
  sites = startSiteClock({
    ...{ store: siteStore, clock, log, tickMs: world.plan.tickMs },
    ready: () => store.health.diskFault() === null,
    wake: () => dispatcher.wake(),
    onEvents: () => deliverer?.wake(),
    sitesMaxOf: planSitesMax(store),
    slotsOf: () => world.plan.slots,
    networks: createSiteNetworks({ resolve: world.addressesOf, onKnown: () => sites?.wake(), clock }),
  });
  return { dispatcher, sites, deliverer };
}
