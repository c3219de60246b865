/**
 * Receives results. A manifest announces one: its parts are fetched, checked and handed to the scan that waits.
 * Nothing is removed until the scan is stored. The next process of this server could read all of it again.
 */
import { pause } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import type { Gathered } from "../../scan/task.ts";
import { createResultAssembly, unpackResult } from "../results.ts";
import { type ResultAddress, resultSubjects } from "../subjects.ts";
import { type DeliveredManifest, type FleetStore, type HeadParts, jobFields, type PendingJob } from "./head-parts.ts";
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
      for (const each of this.#held.values()) answer(each, (manifest) => manifest.working());
    });
  }

  receive(address: ResultAddress, manifest: DeliveredManifest): void {
    const known = this.#held.get(resultSubjects.of(address));
    if (known !== undefined) {
      // Delivered again while it is read or judged.
      known.manifests = [...known.manifests, manifest].slice(-manifestsMax);
      return;
    }
    const each: Held = { address, manifests: [manifest], inMemory: false, isOutcome: false };
    this.#held.set(resultSubjects.of(address), each);
    this.#queue.push(each);
    this.#drain();
  }

  /** Acknowledges what was received for the scan, whose outcome is stored. */
  release({ job }: PendingJob): void {
    for (const each of [...this.#held.values()]) {
      if (each.address.token !== job.token || each.address.attempt !== job.attempt) continue;
      if (each.isOutcome) this.#acknowledge(each);
      else this.#drop(each);
    }
    this.#drain();
  }

  /** Gives everything back to NATS, for the next process. */
  close(): void {
    this.#stopWorking();
    this.#queue.length = 0;
    for (const each of this.#held.values()) answer(each, (manifest) => manifest.nak(0));
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

  async #process(each: Held): Promise<void> {
    const pending = this.#claim(each);
    if (pending === null) return;
    pending.state = "reading";
    pending.worker = each.address.worker;
    let read: Awaited<ReturnType<typeof readResult>>;
    try {
      read = await readResult(this.#options, each, pending);
    } catch (error) {
      this.#options.log.debug("result not readable yet", { ...jobFields(pending), because: messageOf(error) });
      pending.unreadable++;
      if (hasEnded(pending)) this.#leaveMemory(each);
      else if (pending.unreadable >= unreadableMax) this.#giveUp(each, pending);
      else this.#tryLater(each, pending);
      return;
    }
    if (hasEnded(pending)) {
      this.#leaveMemory(each);
      return;
    }
    if (read === "part missing") {
      this.#giveUp(each, pending);
      return;
    }
    each.isOutcome = true;
    if ("fault" in read) refuse(this.#options, each.address, pending, read.fault);
    else accept(this.#options, each.address);
    pending.end("fault" in read ? "crashed" : read.gathered);
  }

  /** Null if no scan waits for the result: then it has been dropped, or is delivered again later. */
  #claim(each: Held): PendingJob | null {
    const { pendingJobs, store, earlyMs } = this.#options;
    const { address } = each;
    const worker = store.workers.find(address.worker);
    const isEnrolled = worker !== undefined && worker.location === address.location && worker.revokedAt === null;
    if (!isEnrolled || !isRunning(store, address)) {
      this.#drop(each);
      return null;
    }
    const pending = pendingJobs.find(address.token, address.attempt);
    if (pending !== undefined && pending.state !== "ended" && pending.state !== "reading") return pending;
    // Acknowledged with the release of the scan: until then its outcome may still be lost.
    if (pending?.state === "ended") this.#leaveMemory(each);
    else {
      answer(each, (manifest) => manifest.nak(earlyMs));
      this.#forget(each);
    }
    return null;
  }

  /** NATS is away, and delivers the manifest again. */
  #tryLater(each: Held, pending: PendingJob): void {
    pending.state = "sent";
    this.#forget(each);
  }

  /** The scan is gathered again: the comparison with NATS finds neither job nor result. */
  #giveUp(each: Held, pending: PendingJob): void {
    this.#options.count("lost");
    this.#options.log.warn("result without one of its parts", jobFields(pending));
    pending.state = "sent";
    this.#acknowledge(each);
  }

  /** Drops a result whose scan has ended, has a later attempt or was given to another worker. */
  #drop(each: Held): void {
    const { store, count, clock, log } = this.#options;
    const { token, worker, location, attempt } = each.address;
    count("dropped");
    if (this.#droppedLines.allows(worker, clock.now().getTime()))
      log.info("result dropped: no scan waits for it", { worker: store.workers.find(worker)?.name ?? worker, location, token, attempt });
    this.#acknowledge(each);
  }

  #acknowledge(each: Held): void {
    answer(each, (manifest) => manifest.ack());
    this.#forget(each);
  }

  #forget(each: Held): void {
    this.#leaveMemory(each);
    this.#held.delete(resultSubjects.of(each.address));
  }

  #leaveMemory(each: Held): void {
    if (each.inMemory) this.#inMemory--;
    each.inMemory = false;
  }
}

/** Whether a time limit, the end of the server or a result has ended the scan. The state changes during the calls in between. */
function hasEnded(pending: Pick<PendingJob, "state">): boolean {
  return pending.state === "ended";
}

function accept({ store, count, log }: ResultIntakeOptions, { worker, token }: ResultAddress): void {
  count("results");
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

/** Whether the store has this attempt as running at this location. */
export function isRunning(
  store: Pick<FleetStore, "scans">,
  scan: { readonly token: string; readonly location: string; readonly attempt?: number },
): boolean {
  const stored = store.scans.findByToken(scan.token);
  return stored?.status === "running" && stored.location === scan.location && (scan.attempt ?? stored.attempts) === stored.attempts;
}

/** @throws if the transport cannot be reached. */
async function readResult(
  options: ResultIntakeOptions,
  { address, manifests }: Held,
  { job }: PendingJob,
): Promise<{ readonly gathered: Gathered | ScanErrorCode } | { readonly fault: string } | "part missing"> {
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
function unpackSafely(...[assembly, job]: Parameters<typeof unpackResult>): ReturnType<typeof unpackResult> {
  try {
    return unpackResult(assembly, job);
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
