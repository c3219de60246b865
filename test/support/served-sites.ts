/**
 * Watched sites as the server runs them, on a fake clock: real store, sites' clock, networks, dispatcher, scanner and judging. Gathering
 * alone is a model: recorded evidence, after a time that the test chooses.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { workerFiles } from "../../src/app/placement.ts";
import { createLog } from "../../src/base/log.ts";
import { builtInCatalog } from "../../src/catalog/catalog.ts";
import { type Evidence, failed } from "../../src/evidence/evidence.ts";
import { startDispatcher } from "../../src/scan/dispatcher.ts";
import type { Gatherer, RemoteLocations } from "../../src/scan/gatherer.ts";
import { openScanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { startSiteClock } from "../../src/sites/clock.ts";
import { createSiteNetworks } from "../../src/sites/site-networks.ts";
import { isBackgroundLane, type Lane } from "../../src/store/queue.ts";
import type { Store } from "../../src/store/store.ts";
import { egressSettings } from "./egress-settings.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { knownScans } from "./finished-scans.ts";
import { silentObserver } from "./silent-observer.ts";
import { temporaryStore } from "./temporary-store.ts";

/** The scans of all sites: an earlier file of the process may have opened the threads of the local one. */
export const location = "office";
/** Turns of the event loop without a write after which nothing is under way: a round over 500 sites pauses 10 times. */
const quietTurns = 16;
/** Limit of a network: an IPv4 /24. */
const networkOf = (address: string) => address.split(".").slice(0, 3).join(".");

export interface ServedScan {
  readonly token: string;
  readonly host: string;
  readonly lane: Lane;
  readonly queuedMs: number;
  readonly startedMs: number;
  /** Null while it runs. */
  endedMs: number | null;
}

export interface ServedSitesOptions {
  readonly startAt: Date;
  readonly slots: number;
  /** IPv4 address of a host. */
  readonly addressOf: (host: string) => string;
  /** Time of a scan of the host. */
  readonly scanMsOf: (host: string) => number;
  readonly isDead: (host: string) => boolean;
  readonly tickMs?: number;
  /** Sees each site before the clock starts. */
  readonly add: (store: Store, now: Date) => Promise<void>;
}

export type ServedSites = Awaited<ReturnType<typeof serveSites>>;

export async function serveSites({ startAt, slots, addressOf, scanMsOf, isDead, tickMs, add }: ServedSitesOptions) {
  const temporary = temporaryStore({ queueMax: 1_000 });
  const clock = fakeClock({ startAt });
  const work = createWork();
  const store = withMethods(temporary.store, work.until);
  const lines: string[] = [];
  const log = createLog({ level: "error", format: "json", write: (line) => void lines.push(line) });
  const scans: ServedScan[] = [];
  const active = new Map<string, ServedScan>();
  let mostInNetwork = 0;

  await store.accounts.create({ email: "owner@agency.example", now: clock.now() });
  await add(store, clock.now());

  const gather: Gatherer["gather"] = ({ url, stored }, { signal }) => {
    const { hostname: host } = new URL(url);
    const record = store.scans.findByToken(stored?.token ?? "");
    if (record?.queueKey === undefined) throw new Error("a scan without a place in the queue has started");
    const { token, queueKey, createdAt } = record;
    const scan: ServedScan = {
      token,
      host,
      lane: queueKey[1],
      queuedMs: Date.parse(createdAt),
      startedMs: clock.now().getTime(),
      endedMs: null,
    };
    scans.push(scan);
    active.set(token, scan);
    const bySites = [...active.values()].filter(({ lane }) => isBackgroundLane(lane));
    const shared = Map.groupBy(bySites, (one) => networkOf(addressOf(one.host)));
    mostInNetwork = Math.max(mostInNetwork, ...[...shared.values()].map(({ length }) => length));
    return new Promise((resolve) => {
      signal?.addEventListener("abort", () => resolve({ gathered: "interrupted", release: async () => {} }), { once: true });
      clock.after(scanMsOf(host), () => {
        scan.endedMs = clock.now().getTime();
        work.begin(token);
        resolve({ gathered: gatheredOf(host, isDead(host), clock), release: async () => {} });
      });
    });
  };
  const remote: RemoteLocations = {
    ...{ names: () => [location], capacity: () => slots, absentSince: () => null, onCapacity: () => {}, gather },
    visit: () => Promise.reject(new Error("no proof runs here")),
    provers: () => ({ present: 1, unable: [] }),
  };
  const scanner = openScanner({
    ...{ clock, log, remote, workerFiles, catalog: builtInCatalog(), deadlines: defaultDeadlines, concurrency: 1 },
    ...{ egress: egressSettings(), caPems: [] },
    browsers: { prepare: () => Promise.reject(new Error("nothing is gathered here")), watch: () => {}, record: () => {} },
  });
  const dispatcher = await startDispatcher({
    prove: async () => "crashed",
    ...{ store, scanner, concurrency: 1, remote, waitMaxMs: 3_600_000, progress: { publish: () => {} }, log, clock },
    observer: {
      ...silentObserver,
      ended: ({ token }) => {
        active.delete(token);
        siteClock.scanEnded(token);
        work.end(token);
      },
    },
  });
  const networks = createSiteNetworks({ resolve: async (host) => [addressOf(host)], onKnown: () => siteClock.wake(), clock });
  const siteClock = startSiteClock({
    ...{ store, clock, slotsOf: () => slots, networks, wake: dispatcher.wake, log },
    ...(tickMs === undefined ? {} : { tickMs }),
  });
  await work.isDone();

  return {
    store,
    clock,
    /** In the order of their starts. */
    scans,
    /** Most scans for sites that ran in one network at a time. */
    mostInNetwork: () => mostInNetwork,
    /** Errors of the log. */
    lines,
    /** Lets time pass to that instant, from one timer to the next. After each, everything ends that can without time. */
    passTo: async (endMs: number): Promise<void> => {
      for (let left = endMs - clock.now().getTime(); left > 0; left = endMs - clock.now().getTime()) {
        clock.advance(Math.min(left, clock.waits()[0] ?? left));
        await work.isDone();
      }
    },
    /** A person scans a page at the form. Resolves when everything has ended that can without time. */
    scanAtForm: async (host: string): Promise<void> => {
      await store.scans.queue({ accountId: null, url: `https://${host}/`, location, now: clock.now() });
      dispatcher.wake();
      await work.isDone();
    },
    stop: async (): Promise<void> => {
      await siteClock.stop();
      const stopped = dispatcher.stop(0);
      clock.advance(0);
      await stopped;
      await scanner.close();
      await temporary.stop();
    },
  };
}

/** What is under way without the clock: writes, and scans between their end at the site and their end in the store. */
function createWork() {
  const pending = new Set<unknown>();
  let ended = Promise.withResolvers<void>();
  const end = (one: unknown) => {
    pending.delete(one);
    if (pending.size > 0) return;
    ended.resolve();
    ended = Promise.withResolvers();
  };
  return {
    begin: (one: unknown) => void pending.add(one),
    end,
    until: (promise: Promise<unknown>) => {
      pending.add(promise);
      promise.then(
        () => end(promise),
        () => end(promise),
      );
    },
    isDone: async (): Promise<void> => {
      for (let turn = 0; turn < quietTurns; turn++) {
        while (pending.size > 0) {
          await ended.promise;
          turn = 0;
        }
        await nextTurn();
      }
    },
  };
}

/** The store, whose promises `onPromise` gets. */
function withMethods(store: Store, onPromise: (promise: Promise<unknown>) => void): Store {
  const watched = (method: unknown) => {
    if (typeof method !== "function") return method;
    return (...given: unknown[]) => {
      const result: unknown = method(...given);
      if (result instanceof Promise) onPromise(result);
      return result;
    };
  };
  const ofRepository = (repository: object) =>
    Object.fromEntries(Object.entries(repository).map(([name, method]) => [name, watched(method)]));
  return Object.fromEntries(
    Object.entries(store).map(([name, value]) => [name, typeof value === "object" && value !== null ? ofRepository(value) : value]),
  ) as unknown as Store;
}

/** Evidence of a sound site, without the facts that make it large. Its certificate outlives each test. */
const recorded: Evidence = {
  ...knownScans.sound.evidence,
  markup: failed("not-asked"),
  dom: failed("not-asked"),
  requests: failed("not-asked"),
  tls: lastingCertificate(knownScans.sound.evidence.tls),
};

function lastingCertificate(tls: Evidence["tls"]): Evidence["tls"] {
  if (tls.status !== "read") return tls;
  const [leaf, ...issuers] = tls.facts.chain;
  const validTo = "2036-01-01T00:00:00.000Z";
  return leaf === undefined ? tls : { ...tls, facts: { ...tls.facts, chain: [{ ...leaf, validTo }, ...issuers] } };
}

function gatheredOf(host: string, isDead: boolean, clock: FakeClock) {
  const subject = { ...recorded.subject, url: `https://${host}/`, host, scannedAt: clock.now().toISOString() };
  const ended = { screenshot: null, timings: { total: 1 }, browserBroke: false, refusals: [] };
  return { evidence: { ...recorded, subject }, unreachable: isDead ? ("timeout" as const) : null, ...ended };
}
