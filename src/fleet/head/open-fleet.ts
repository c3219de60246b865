/** Connects the head of a fleet with NATS. Streams and consumers are checked again after each loss of the connection. */
import { jetstreamManager } from "@nats-io/jetstream";
import { pause, within } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { RemoteLocations } from "../../scan/gatherer.ts";
import { type ConnectionOptions, connectNats, FleetError } from "../connection.ts";
import { defaultStreamLimits, type StreamLimits, type StreamPurpose } from "../streams.ts";
import type { ResultAddress, WorkerAddress } from "../subjects.ts";
import type { FleetState } from "../worker-operations.ts";
import {
  createFleetCounters,
  createPendingJobs,
  type DeliveredManifest,
  defaultFleetTimes,
  type FleetCounters,
  type FleetTimes,
  type HeadEvents,
  type HeadParts,
  jobFields,
  type PendingJobs,
} from "./head-parts.ts";
import { claimHead, createLocationStreams, type NatsLink, natsTransport, subscribeToNotes } from "./nats-transport.ts";
import { createAbsence, createPresenceRegistry, listenToWorkers, type PresenceRegistry, type Readers } from "./presence.ts";
import { createRepeated, hasResult, reconcile, withdrawVisits } from "./reconcile.ts";
import { createJobPublisher, createRemoteGather, type JobSettings } from "./remote-gather.ts";
import { createResultIntake } from "./result-intake.ts";

export interface FleetOptions
  extends Pick<ConnectionOptions, "servers" | "credentialsFile" | "caFile" | "clock" | "log">,
    Pick<HeadParts, "store"> {
  readonly jobSettings: JobSettings;
  readonly readers: Readers;
  /** A scan whose location has had no worker for so long ends as `no-worker`. */
  readonly waitMaxMs: number;
  readonly times?: Partial<FleetTimes>;
  readonly limits?: Partial<StreamLimits>;
  /** `connectNats` by default. */
  readonly connect?: typeof connectNats;
}

export interface Fleet extends RemoteLocations, FleetState {
  counters(): FleetCounters;
  /** Gives results that are not stored back to NATS. Running scans go on, and the next process adopts them. */
  close(): Promise<void>;
}

const flushMsMax = 1_000;
/** The wait between two setups grows up to this multiple of the first. */
const retryFactorMax = 30;

/**
 * Resolves when the fleet is connected, or after `startWaitMs`: then it connects as soon as it can.
 * @throws FleetError if the setup cannot work: unusable files or nats-server, or another head.
 */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const own = new HeadConnection({
    ...options,
    times: { ...defaultFleetTimes, ...options.times },
    limits: { ...defaultStreamLimits, ...options.limits },
  });
  const refusal = await own.started();
  if (refusal !== null) {
    await own.close();
    throw refusal;
  }
  const { locations, presentWorkers, counters } = own.head;
  return {
    ...{ ...locations, presentWorkers, counters },
    state: () => own.state,
    fault: () => own.fault ?? own.setup.fault() ?? own.head.fault(),
    close: () => own.close(),
  };
}

interface HeadConnectionOptions extends FleetOptions {
  readonly times: FleetTimes;
  readonly limits: StreamLimits;
}

class HeadConnection {
  readonly head: FleetHead;
  state: ReturnType<FleetState["state"]> = "disconnected";
  /** Clause for readiness. */
  fault: string | null = "not connected to nats-server";
  readonly #options: HeadConnectionOptions;
  readonly setup: NatsSetup;
  readonly #ending = new AbortController();
  readonly #stopWatch: () => void;
  readonly #starting: Promise<Error | null>;
  #link: NatsLink | null = null;
  #startIsOver = false;
  /** One setup at a time. */
  #settingUp = Promise.resolve();

  constructor(options: HeadConnectionOptions) {
    this.#options = options;
    const isConnected = () => this.state === "connected";
    this.head = createFleetHead({ ...options, transport: natsTransport(() => this.#link), isConnected });
    this.setup = createNatsSetup(options, this.head);
    this.#stopWatch = options.clock.every(options.times.enrolledEveryMs, () => this.#followLocations());
    this.#starting = this.#start().then(
      () => null,
      (error: Error) => {
        if (this.#startIsOver) this.#refuse(error);
        return error;
      },
    );
  }

  /** Null if the fleet is connected, or may be later; otherwise why it never can. */
  async started(): Promise<Error | null> {
    const refusal = await within(this.#options.clock, this.#options.times.startWaitMs, this.#starting, null);
    this.#startIsOver = true;
    return refusal;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#stopWatch();
    this.setup.stop();
    this.head.close();
    const connection = this.#link?.connection;
    if (connection?.isClosed() === false) {
      const flushed = this.state === "connected" ? connection.flush().catch(() => {}) : Promise.resolve();
      await within(this.#options.clock, flushMsMax, flushed, undefined);
      // Also ends requests of a setup that still runs.
      await connection.close();
    }
    await this.#starting;
  }

  /** Resolves when the connection is made and everything is set up. @throws FleetError */
  async #start(): Promise<void> {
    const { times, connect = connectNats } = this.#options;
    const onFailure = (clause: string) => {
      this.fault = clause;
    };
    const waiting = { signal: this.#ending.signal, retryMs: times.retryMs, onFailure };
    const connection = await connect({ ...this.#options, name: "assay head", ...waiting });
    this.#link = { connection, manager: await jetstreamManager(connection, { checkAPI: false, timeout: times.requestMs }) };
    this.#settingUp = this.#setUp(this.#link);
    void this.#follow(this.#link);
    await this.#settingUp;
  }

  /** Repeats the setup until it works. @throws FleetError */
  async #setUp(link: NatsLink): Promise<void> {
    const { times, clock, log } = this.#options;
    for (let failures = 0; !this.#ending.signal.aborted; failures++) {
      try {
        await this.setup.setUp(link);
        this.state = "connected";
        this.fault = null;
        this.head.connected();
        return;
      } catch (error) {
        if (error instanceof FleetError || this.#ending.signal.aborted) throw error;
        this.fault = `nats-server is not ready: ${messageOf(error)}`;
        if (failures === 0) log.warn("streams in NATS not ready yet", { because: messageOf(error) });
        await pause(clock, times.retryMs * Math.min(retryFactorMax, failures + 1), this.#ending.signal);
      }
    }
  }

  /** Sets up again after each loss of the connection: NATS may have lost its disk, and another head may have come. */
  async #follow(link: NatsLink): Promise<void> {
    const { log } = this.#options;
    for await (const status of link.connection.status()) {
      if (this.state === "refused") return;
      if (status.type === "disconnect" && this.state === "connected") {
        this.state = "disconnected";
        this.fault = "the connection to nats-server is lost";
        log.warn("connection to nats-server lost; scans of other locations wait");
      } else if (status.type === "reconnect") {
        log.info("connected to nats-server again", { server: status.server });
        this.#settingUp = this.#settingUp.then(() => this.#setUp(link)).catch((error) => this.#refuse(error));
      } else if (status.type === "error") log.warn("nats-server reports a fault", { because: messageOf(status.error) });
    }
    // The client connects again without end: only a defect closes the connection.
    this.#refuse(new FleetError("the connection to nats-server was closed for good; restart the server"));
  }

  #refuse(error: unknown): void {
    if (this.#ending.signal.aborted || this.state === "refused") return;
    this.state = "refused";
    this.fault = messageOf(error);
    this.#options.log.error("the fleet stays off", { because: this.fault });
    void this.#link?.connection.close();
  }

  #followLocations(): void {
    if (this.state !== "connected" || this.#link === null) return;
    void this.setup.followLocations(this.#link);
  }
}

type NatsSetup = ReturnType<typeof createNatsSetup>;

/** What has to be in place in NATS. */
function createNatsSetup({ store, times, limits, clock, log }: HeadConnectionOptions, head: FleetHead) {
  const locations = createLocationStreams({
    ...{ workers: store.workers, ackWaitMs: times.ackWaitMs, log },
    onManifest: head.events.onManifest,
  });
  let otherHead: ReturnType<typeof claimHead> | null = null;
  let isSubscribed = false;

  const purposeOf = ({ connection }: NatsLink): StreamPurpose => {
    return { instance: store.instance(), isCluster: connection.info?.cluster !== undefined, limits };
  };

  /** An accepted worker asks for jobs at once. Without the streams of its new location, the request would be lost. */
  async function onPresence(link: NatsLink, ...note: Parameters<HeadEvents["onPresence"]>): Promise<void> {
    await locations.followOne(note[0].location, link, purposeOf(link));
    // The head may have stopped in the meantime.
    if (!link.connection.isClosed()) head.events.onPresence(...note);
  }

  return {
    fault: locations.fault,
    followLocations: (link: NatsLink) => locations.follow(link, purposeOf(link)),
    /** @throws FleetError if another process uses the streams, or there can be none; other errors may pass. */
    setUp: async (link: NatsLink): Promise<void> => {
      const { connection, manager } = link;
      otherHead ??= claimHead(connection, store.instance(), clock);
      if ((await otherHead(times.otherHeadMs)) !== null)
        throw new FleetError("another process of assay takes the scans of these workers; stop it first");
      try {
        await manager.getAccountInfo();
      } catch (error) {
        if (error instanceof Error && error.name === "JetStreamNotEnabled")
          throw new FleetError("nats-server runs without JetStream; add 'jetstream { }' to its configuration");
        throw error;
      }
      locations.forget();
      await locations.follow(link, purposeOf(link));
      if (!isSubscribed) subscribeToNotes(link, { ...head.events, onPresence: (...note) => void onPresence(link, ...note) });
      isSubscribed = true;
    },
    stop: locations.stop,
  };
}

// The head without its connection: publishes scans as jobs, knows its workers, and takes results in.

type FleetHeadOptions = HeadConnectionOptions & Pick<HeadParts, "transport" | "isConnected">;

type FleetHead = ReturnType<typeof createFleetHead>;

/** Gathers at the locations of workers. `events` are the calls of the transport. */
function createFleetHead(options: FleetHeadOptions) {
  const { transport, store, times, clock, log, isConnected } = options;
  const counters = createFleetCounters();
  const pendingJobs = createPendingJobs();
  const registry = createPresenceRegistry(times.presenceLapsesMs);
  const provers = (location: string) => registry.provers(location, clock.now());
  const mayVisit = (location: string) => provers(location).unable.length === 0;
  const publisher = createJobPublisher(pendingJobs, transport, { isConnected, mayVisit, retryMs: times.retryMs, clock, log });
  const intake = createResultIntake({ ...options, ...times, pendingJobs, count: counters.count });
  const capacityListeners: (() => void)[] = [];
  const capacityRose = () => capacityListeners.forEach((listener) => void listener());
  const absentSince = createAbsence({ registry, workers: store.workers, lapsesMs: times.presenceLapsesMs, clock });
  let connectedAt = clock.now();
  const repeated = { everyMs: times.reconcileMs, soonMs: times.soonMs, failed: "scans not compared with NATS", clock, log };
  const compare = createRepeated(async () => {
    endWithoutWorker(options, pendingJobs, (location) => absentSince(location, connectedAt));
    if (isConnected()) await reconcile({ ...options, pendingJobs, count: counters.count, onUnsent: publisher.wake });
  }, repeated);
  const remote = createRemoteGather({
    ...{ ...options, pendingJobs, intake, onUnsent: publisher.wake, onAdopted: compare.soon },
    whenWorkersKnown: createKnownWait(options, registry),
  });

  const onUnable = async ({ location }: WorkerAddress) => {
    await publisher.settled();
    await withdrawVisits({ ...options, pendingJobs }, location);
  };
  const { onPresence, onProgress } = listenToWorkers({ ...options, registry, pendingJobs, onCapacity: capacityRose, onUnable });
  const locations: RemoteLocations = {
    ...remote,
    names: () => store.workers.locations(),
    capacity: (location) => (isConnected() ? registry.capacity(location, clock.now()) : 0),
    absentSince: (location) => absentSince(location, connectedAt),
    provers: (location) => (isConnected() ? provers(location) : { present: 0, unable: [] }),
    onCapacity: (listener) => void capacityListeners.push(listener),
  };
  return {
    locations,
    /** Calls of the transport. */
    events: {
      onPresence,
      onProgress,
      onManifest: (address: ResultAddress, manifest: DeliveredManifest) => intake.receive(address, manifest),
      onSpentJob: (location: string, token: string) => void failSpent({ ...options, pendingJobs, count: counters.count }, location, token),
    },
    /** Must be called when streams and consumers are ready, at first and after each loss of the connection. */
    connected: () => {
      connectedAt = clock.now();
      // Time limits do not count the time without a connection.
      for (const pending of pendingJobs.list()) if (pending.begunAtMs !== null) pending.begunAtMs = connectedAt.getTime();
      publisher.wake();
      compare.soon();
      capacityRose();
    },
    presentWorkers: () => registry.present(clock.now()),
    counters: counters.read,
    /** Clause for readiness; null while scans can be published. */
    fault: publisher.fault,
    close: () => {
      compare.stop();
      publisher.stop();
      intake.close();
    },
  };
}

interface SpentOptions extends Pick<HeadParts, "pendingJobs" | "transport" | "log"> {
  readonly count: (event: "spent") => void;
}

async function failSpent({ pendingJobs, transport, count, log }: SpentOptions, location: string, token: string): Promise<void> {
  const pending = pendingJobs.find(token);
  if (pending?.location !== location || pending.state !== "sent") return;
  // The result may be on its way while only the acknowledgement of the job was lost.
  const mayCome = await hasResult(transport, pending).catch(() => true);
  if (mayCome || pending.state !== "sent") return;
  count("spent");
  log.error("scan was lost with its worker twice", jobFields(pending));
  pending.end("crashed");
}

/** A worker takes jobs by what an earlier process of this server answered, until that answer lapses. */
function createKnownWait({ store, times, clock }: FleetHeadOptions, registry: Pick<PresenceRegistry, "isKnown">) {
  const lapseMs = clock.now().getTime() + times.presenceLapsesMs;
  return async (location: string, signal: AbortSignal | undefined): Promise<void> => {
    const enrolled = store.workers.list().filter((worker) => worker.location === location && worker.revokedAt === null);
    const leftMs = lapseMs - clock.now().getTime();
    if (leftMs > 0 && !enrolled.every(({ id }) => registry.isKnown(id))) await pause(clock, leftMs, signal);
  };
}

function endWithoutWorker(
  { waitMaxMs, clock, log }: FleetHeadOptions,
  pendingJobs: PendingJobs,
  absentSince: (location: string) => Date | null,
): void {
  const now = clock.now().getTime();
  for (const pending of pendingJobs.list()) {
    const since = absentSince(pending.location);
    const isWaiting = pending.state === "unsent" || pending.state === "sent";
    if (!isWaiting || since === null || now - since.getTime() < waitMaxMs) continue;
    log.warn("scan ends: its location has no worker", { ...jobFields(pending), since: since.toISOString() });
    pending.end("no-worker");
  }
}
