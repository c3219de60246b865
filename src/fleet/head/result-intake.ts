/**
 * Receives results. A manifest announces one: its parts are fetched, checked and handed to the scan that waits.
 * Nothing is removed until the scan is stored. The next process of this server could read all of it again.
 */
import { pause } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { FleetJob } from "../messages.ts";
import { createResultAssembly, unpackResult, unpackVisit } from "../results.ts";
import { type ResultAddress, resultSubjects } from "../subjects.ts";
import { type DeliveredManifest, type FleetStore, type HeadParts, jobFields, type PendingJob, type PendingJobs } from "./head-parts.ts";
import { createMessageRate } from "./presence.ts";

/** Results in memory that are not stored yet, each of at most 14 MB. The others wait in NATS. */
const resultsAtOnce = 16;
/** Kept deliveries of one manifest; an older one comes again. */
const manifestsMax = 8;
/** A result that NATS announces, but cannot return, is gathered again after so many tries. */
const unreadableMax = 5;
/** A part that the manifest names, but that is not there: in a cluster it may arrive a little later. */
const partTriesMax = 5;
const partRetryMs = 200;
/** Lines of the log about dropped results of one worker: a hostile one may send any number. */
const droppedLines = { perSecond: 0.1, burst: 10 };

interface ResultIntakeOptions extends Omit<HeadParts, "isConnected"> {
  readonly count: (event: "results" | "faults" | "lost" | "dropped") => void;
  readonly workingEveryMs: number;
  /** Wait for a scan that the store knows as running, and that is not pending yet. */
  readonly earlyMs: number;
}

interface Held {
  readonly address: ResultAddress;
  /** Deliveries of the manifest, and messages with the same address: each is answered. */
  manifests: readonly DeliveredManifest[];
  /** Set while the result counts as one in memory. */
  inMemory: boolean;
  /** Set for the result that ends its scan. */
  isOutcome: boolean;
}

export type ResultIntake = Pick<HeldResults, keyof HeldResults>;

export function createResultIntake(options: ResultIntakeOptions): ResultIntake {
  return new HeldResults(options);
}

function answer({ manifests }: Held, how: (manifest: DeliveredManifest) => void): void {
  for (const manifest of manifests) how(manifest);
}

class HeldResults {
  readonly #options: ResultIntakeOptions;
  readonly #held = new Map<string, Held>();
  readonly #queue: Held[] = [];
  readonly #stopWorking: () => void;
  readonly #droppedLines = createMessageRate(droppedLines);
  #inMemory = 0;

  constructor(options: ResultIntakeOptions) {
    this.#options = options;
    this.#stopWorking = options.clock.every(options.workingEveryMs, () => {
      for (const held of this.#held.values()) answer(held, (manifest) => manifest.working());
    });
  }

  receive(address: ResultAddress, manifest: DeliveredManifest): void {
    const known = this.#held.get(resultSubjects.of(address));
    if (known !== undefined) {
      // Delivered again while it is read or judged.
      known.manifests = [...known.manifests, manifest].slice(-manifestsMax);
      return;
    }
    const held: Held = { address, manifests: [manifest], inMemory: false, isOutcome: false };
    this.#held.set(resultSubjects.of(address), held);
    this.#queue.push(held);
    this.#drain();
  }

  /** Acknowledges what was received for the scan, whose outcome is stored. */
  release({ job }: PendingJob): void {
    for (const held of [...this.#held.values()]) {
      if (held.address.token !== job.token || held.address.attempt !== job.attempt) continue;
      if (held.isOutcome) this.#acknowledge(held);
      else this.#drop(held);
    }
    this.#drain();
  }

  /** Gives everything back to NATS, for the next process. */
  close(): void {
    this.#stopWorking();
    this.#queue.length = 0;
    for (const held of this.#held.values()) answer(held, (manifest) => manifest.nak(0));
    this.#held.clear();
  }

  #drain(): void {
    while (this.#inMemory < resultsAtOnce) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      if (this.#held.get(resultSubjects.of(next.address)) !== next) continue;
      next.inMemory = true;
      this.#inMemory++;
      void this.#process(next).finally(() => this.#drain());
    }
  }

  async #process(held: Held): Promise<void> {
    const pending = this.#claim(held);
    if (pending === null) return;
    pending.state = "reading";
    pending.worker = held.address.worker;
    let read: Awaited<ReturnType<typeof readResult>>;
    try {
      read = await readResult(this.#options, held, pending);
    } catch (error) {
      this.#options.log.debug("result not readable yet", { ...jobFields(pending), because: messageOf(error) });
      pending.unreadable++;
      if (hasEnded(pending)) this.#leaveMemory(held);
      else if (pending.unreadable >= unreadableMax) this.#giveUp(held, pending);
      else this.#tryLater(held, pending);
      return;
    }
    if (hasEnded(pending)) {
      this.#leaveMemory(held);
      return;
    }
    if (read === "part missing") {
      this.#giveUp(held, pending);
      return;
    }
    held.isOutcome = true;
    if ("fault" in read) refuse(this.#options, held.address, pending, read.fault);
    else accept(this.#options, held.address, pending);
    pending.end("fault" in read ? "crashed" : read.gathered);
  }

  /** Null if no scan waits for the result: then it has been dropped, or is delivered again later. */
  #claim(held: Held): PendingJob | null {
    const { pendingJobs, earlyMs, store } = this.#options;
    const { address } = held;
    const worker = store.workers.find(address.worker);
    const isEnrolled = worker !== undefined && worker.location === address.location && worker.revokedAt === null;
    if (!isEnrolled || !isWanted(this.#options, address)) {
      this.#drop(held);
      return null;
    }
    const pending = pendingJobs.find(address.token, address.attempt);
    if (pending !== undefined && pending.state !== "ended" && pending.state !== "reading") return pending;
    // Acknowledged with the release of the scan: until then its outcome may still be lost.
    if (pending?.state === "ended") this.#leaveMemory(held);
    else {
      answer(held, (manifest) => manifest.nak(earlyMs));
      this.#forget(held);
    }
    return null;
  }

  /** NATS is away, and delivers the manifest again. */
  #tryLater(held: Held, pending: PendingJob): void {
    pending.state = "sent";
    this.#forget(held);
  }

  /** The scan is gathered again: the comparison with NATS finds neither job nor result. */
  #giveUp(held: Held, pending: PendingJob): void {
    this.#options.count("lost");
    this.#options.log.warn("result without one of its parts", jobFields(pending));
    pending.state = "sent";
    this.#acknowledge(held);
  }

  /** Drops a result whose scan has ended, has a later attempt or was given to another worker. */
  #drop(held: Held): void {
    const { store, count, clock, log } = this.#options;
    const { token, worker, location, attempt } = held.address;
    count("dropped");
    if (this.#droppedLines.allows(worker, clock.now().getTime()))
      log.info("result dropped: no scan waits for it", { worker: store.workers.find(worker)?.name ?? worker, location, token, attempt });
    this.#acknowledge(held);
  }

  #acknowledge(held: Held): void {
    answer(held, (manifest) => manifest.ack());
    this.#forget(held);
  }

  #forget(held: Held): void {
    this.#leaveMemory(held);
    this.#held.delete(resultSubjects.of(held.address));
  }

  #leaveMemory(held: Held): void {
    if (held.inMemory) this.#inMemory--;
    held.inMemory = false;
  }
}

/** Whether a time limit, the end of the server or a result has ended the scan. The state changes during the calls in between. */
function hasEnded(pending: Pick<PendingJob, "state">): boolean {
  return pending.state === "ended";
}

function accept({ store, count, log }: ResultIntakeOptions, { worker, token }: ResultAddress, { job }: PendingJob): void {
  count("results");
  if (job.visit !== undefined) return;
  store.workers.noteScan(worker).catch((error) => log.warn("scan of worker not counted", { token, because: messageOf(error) }));
}

function refuse(
  { store, count, clock, log }: ResultIntakeOptions,
  { worker, token }: ResultAddress,
  pending: PendingJob,
  fault: string,
): void {
  count("faults");
  log.error("result of worker refused", { ...jobFields(pending), worker: store.workers.find(worker)?.name ?? worker, fault });
  const lastFault = { at: clock.now().toISOString(), text: fault };
  store.workers.noteFault(worker, lastFault).catch((error) => log.warn("fault of worker not stored", { token, because: messageOf(error) }));
}

/** Whether the store has this attempt as running at this location, or a proof of this process waits for it. */
export function isWanted(
  { store, pendingJobs }: { readonly store: Pick<FleetStore, "scans">; readonly pendingJobs: Pick<PendingJobs, "find"> },
  scan: { readonly token: string; readonly location: string; readonly attempt?: number },
): boolean {
  const pending = pendingJobs.find(scan.token, scan.attempt);
  if (pending?.ofProof === true) return pending.location === scan.location;
  const stored = store.scans.findByToken(scan.token);
  return stored?.status === "running" && stored.location === scan.location && (scan.attempt ?? stored.attempts) === stored.attempts;
}

/** @throws if the transport cannot be reached. */
async function readResult(
  options: ResultIntakeOptions,
  { address, manifests }: Held,
  { job }: PendingJob,
): Promise<ReturnType<typeof unpackResult> | ReturnType<typeof unpackVisit> | "part missing"> {
  const assembly = createResultAssembly();
  let added = assembly.add(null, manifests[0]?.bytes ?? new Uint8Array());
  for (let part = 0; added === "more"; part++) {
    const bytes = await fetchPart(options, { ...address, part });
    if (bytes === null) return "part missing";
    added = assembly.add(part, bytes);
  }
  return added === "complete" ? unpackSafely(assembly, job) : added;
}

/** A worker decides what is unpacked: an error that it causes must end the scan, or the result would come again without end. */
function unpackSafely(
  assembly: Parameters<typeof unpackVisit>[0],
  job: FleetJob,
): ReturnType<typeof unpackResult> | ReturnType<typeof unpackVisit> {
  try {
    return job.visit === undefined ? unpackResult(assembly, job) : unpackVisit(assembly);
  } catch {
    return { fault: "sent a result that this server fails to read" };
  }
}

async function fetchPart({ transport, clock }: ResultIntakeOptions, address: ResultAddress): Promise<Uint8Array | null> {
  for (let tries = 1; ; tries++) {
    const bytes = await transport.resultPart(address);
    if (bytes !== null || tries === partTriesMax) return bytes;
    await pause(clock, partRetryMs * tries);
  }
}
