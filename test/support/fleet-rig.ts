/** A head with a real nats-server and a real store. Workers return recorded evidence when the test lets them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { systemClock } from "../../src/base/clock.ts";
import type { ScanErrorCode } from "../../src/evidence/scan.ts";
import type { FleetTimes } from "../../src/fleet/head/head-parts.ts";
import { type Fleet, type FleetOptions, openFleet } from "../../src/fleet/head/open-fleet.ts";
import { type FleetIdentity, makeIdentity } from "../../src/fleet/identity.ts";
import { inboxPrefixOf } from "../../src/fleet/subjects.ts";
import { startFleetWorker } from "../../src/fleet/worker/fleet-worker.ts";
import type { GatherEnd } from "../../src/scan/gatherer.ts";
import { defaultDeadlines, type Gathered, subjectOf } from "../../src/scan/task.ts";
import { knownScans } from "./finished-scans.ts";
import { connectAs, type EnrolledIdentity, enrolledIdentity, loopbackConfiguration } from "./fleet-places.ts";
import { type NatsServer, startNats } from "./nats.ts";
import { eventually } from "./raw-head.ts";
import { temporaryStore } from "./temporary-store.ts";

export const rigLocation = "berlin";

/** Short intervals: a test waits for some of them. */
const times: FleetTimes = {
  startWaitMs: 10_000,
  retryMs: 20,
  reconcileMs: 150,
  soonMs: 10,
  enrolledEveryMs: 50,
  presenceLapsesMs: 1_500,
  noteSeenEveryMs: 50,
  ackWaitMs: 500,
  workingEveryMs: 150,
  earlyMs: 50,
  otherHeadMs: 50,
  requestMs: 2_000,
  graceMs: 0,
  sendingMs: 0,
};

export interface HeldScan {
  readonly token: string;
  readonly signal: AbortSignal | undefined;
  end(value?: ScanErrorCode): void;
}

export interface RigWorker {
  readonly identity: EnrolledIdentity;
  /** Scans in order of their start. */
  readonly scans: readonly HeldScan[];
  started(count: number): Promise<HeldScan>;
  /** Clauses of its readiness probe. */
  faults(): readonly (string | null)[];
  /** Ends like a killed process: without any farewell. */
  kill(): Promise<void>;
}

/** nats-server of a rig, with the keys that its configuration names. */
export interface RigNats {
  /** The rig ends them. */
  readonly servers: readonly NatsServer[];
  readonly urls: readonly string[];
  /** Certificate that the servers use; null without TLS. */
  readonly caFile: string | null;
  readonly headIdentity: FleetIdentity;
  readonly identities: { readonly first: EnrolledIdentity; readonly second: EnrolledIdentity };
}

/** One server on loopback, without TLS. */
async function startLoopbackNats(): Promise<RigNats> {
  const headIdentity = makeIdentity();
  const identities = { first: enrolledIdentity(rigLocation, "first"), second: enrolledIdentity(rigLocation, "second") };
  const nats = await startNats({ configuration: loopbackConfiguration(headIdentity, Object.values(identities)) });
  return { servers: [nats], urls: [nats.url], caFile: null, headIdentity, identities };
}

export type FleetRig = Awaited<ReturnType<typeof startRig>>;

export async function startRig(
  settings: Partial<Pick<FleetOptions, "readers" | "waitMaxMs" | "limits">> & { readonly times?: Partial<FleetTimes> } = {},
  given?: RigNats,
) {
  const { servers, urls, caFile, headIdentity, identities } = given ?? (await startLoopbackNats());
  const folder = mkdtempSync(join(tmpdir(), "assay-rig-"));
  const seedFile = join(folder, "head.nk");
  writeFileSync(seedFile, headIdentity.seed);
  const [nats] = servers as readonly [NatsServer];
  const connectionOptions = caFile === null ? {} : { tls: { caFile }, ignoreClusterUpdates: true };
  const { store, stop: removeStore } = temporaryStore();
  for (const { id, name, location } of Object.values(identities)) await store.workers.enrol({ id, name, location, now: new Date() });
  const logged: string[] = [];
  const line = (event: string, fields = {}) => void logged.push(`${event} ${JSON.stringify(fields)}`);
  const log = { debug: line, info: line, warn: line, error: line };
  const closing: (() => Promise<void>)[] = [];

  async function open(changes: Partial<FleetOptions> = {}): Promise<Fleet> {
    const fleet = await openFleet({
      ...{ servers: urls, credentialsFile: seedFile, caFile, store, clock: systemClock, log },
      jobSettings: { deadlines: defaultDeadlines, screenshot: false, headerCharsMax: 512 },
      readers: "everybody",
      waitMaxMs: 60_000,
      ...settings,
      times: { ...times, ...settings.times },
      ...changes,
    });
    closing.push(fleet.close);
    return fleet;
  }

  /** A scan that the store has as running, as after a claim of the dispatcher. */
  async function claimScan(location = rigLocation): Promise<string> {
    const scan = await store.scans.queue({ accountId: null, url: knownScans.shop.evidence.subject.url, location, now: new Date() });
    if (scan === "full") throw new Error("the queue is full");
    await store.scans.claimNext(location, new Date());
    return scan.token;
  }

  function gather(fleet: Fleet, token: string, { adopted = false, signal, stages = [] }: GatherOptions = {}): Promise<GatherEnd> {
    const { url, attempts: attempt } = store.scans.findByToken(token) ?? { url: "", attempts: 0 };
    const stored = { token, attempt, location: rigLocation, adopted };
    return fleet.gather({ url, stored }, { onStage: (stage) => void stages.push(stage), signal });
  }

  /** Stores the outcome as the dispatcher does, then releases. */
  async function storeEnd(token: string, { gathered, release }: GatherEnd): Promise<void> {
    const code = typeof gathered === "string" ? gathered : "crashed";
    await store.scans.fail(token, { code, evidence: null, timings: {}, now: new Date() });
    await release();
  }

  async function startWorker(which: keyof typeof identities = "first"): Promise<RigWorker> {
    const identity = identities[which];
    const connection = await connectAs(identity, [...urls], {
      ...connectionOptions,
      inboxPrefix: inboxPrefixOf(identity.id),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 20,
    });
    const scans: HeldScan[] = [];
    const worker = startFleetWorker(workerOptions(identity, connection, scans, log));
    const kill = async () => {
      await connection.close();
      // The connection that it would say farewell on is closed.
      await worker.stop(0).catch(() => {});
    };
    closing.unshift(kill);
    const faults = () => [worker.natsFault(), worker.headFault()];
    return { identity, scans, faults, kill, started: (count) => eventually(() => scans[count - 1] ?? null, `scan ${count} of a worker`) };
  }

  return {
    ...{ nats, store, logged, identities, headIdentity, open, claimScan, gather, storeEnd, startWorker },
    connectHead: () => connectAs(headIdentity, [...urls], connectionOptions),
    [Symbol.asyncDispose]: async () => {
      for (const close of closing) await close();
      for (const server of servers) await server[Symbol.asyncDispose]();
      await removeStore();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface GatherOptions {
  readonly adopted?: boolean;
  readonly signal?: AbortSignal;
  /** Collects the stages. */
  readonly stages?: string[];
}

function workerOptions(
  { id }: EnrolledIdentity,
  connection: NatsConnection,
  scans: HeldScan[],
  log: FleetOptions["log"],
): Parameters<typeof startFleetWorker>[0] {
  return {
    connection,
    address: { location: rigLocation, worker: id },
    slots: 2,
    version: "1.2.3",
    reach: "public",
    deadlines: defaultDeadlines,
    browserFault: () => null,
    timeScan: () => ({ stage: () => {}, end: () => {} }),
    onEnd: () => {},
    clock: systemClock,
    log,
    workingEveryMs: 300,
    gatherer: {
      visitOn: async () => "crashed",
      gatherOn: (terms, { url, stored }, { onStage, signal }) =>
        new Promise((resolve) => {
          onStage("resolving");
          signal?.addEventListener("abort", () => resolve("interrupted"));
          const end = (code?: ScanErrorCode) => resolve(code ?? gatheredFor(url, terms.scannedAt ?? "", terms.headerValueCharsMax));
          scans.push({ token: stored?.token ?? "", signal, end });
        }),
    },
    presence: { everyMs: 100, lapsesMs: 2_000 },
    feed: { expiresMs: 500, retryMs: 50 },
  };
}

export function gatheredFor(url: string, scannedAt: string, headerCharsMax: number): Gathered {
  const evidence = { ...knownScans.shop.evidence, subject: subjectOf(url, scannedAt, headerCharsMax) };
  return { evidence, screenshot: null, timings: { total: 12 }, unreachable: null, browserBroke: false, refusals: [] };
}
