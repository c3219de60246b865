/** Presence of workers at the head: their notes, whether each may take jobs, and since when a location has none. */
import { messageOf } from "../../base/log.ts";
import { evidenceVersion } from "../../evidence/evidence.ts";
import type { Provers } from "../../evidence/scan.ts";
import {
  fleetProtocol,
  type PresenceAnswer,
  type PresenceNote,
  type PresenceReply,
  parsePresenceNote,
  parseProgressNote,
  parseVersion,
} from "../messages.ts";
import { isKnownEvidenceVersion } from "../results.ts";
import type { WorkerAddress } from "../subjects.ts";
import type { WorkerPresence } from "../worker-operations.ts";
import type { FleetStore, FleetTimes, HeadEvents, HeadParts } from "./head-parts.ts";

/** Buckets kept. More workers than that exist only if many identities are made up. */
const bucketsMax = 10_000;

/** Rate limiter for notes of workers: a token bucket for each. */
export function createMessageRate({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return {
    /** False if the worker sends more than its rate: the note is to be dropped. */
    allows: (worker: string, nowMs: number): boolean => {
      let bucket = buckets.get(worker);
      if (bucket === undefined) {
        if (buckets.size >= bucketsMax) buckets.clear();
        bucket = { tokens: burst, atMs: nowMs };
        buckets.set(worker, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond);
      bucket.atMs = nowMs;
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
}

interface PresentWorker extends WorkerPresence {
  readonly location: string;
  readonly visits: boolean;
}

export type PresenceRegistry = ReturnType<typeof createPresenceRegistry>;

const usableAnswers: ReadonlySet<PresenceAnswer> = new Set(["accepted", "drained"]);

export function createPresenceRegistry(lapsesMs: number) {
  const workers = new Map<string, PresentWorker>();

  function present(now: Date): readonly PresentWorker[] {
    return [...workers.values()].filter(({ seenAt }) => now.getTime() - seenAt.getTime() < lapsesMs);
  }

  function capacity(location: string, now: Date): number {
    const counted = present(now).filter((worker) => worker.answer === "accepted" && worker.location === location && worker.slots > 0);
    return counted.reduce((sum, { slots }) => sum + slots + 1, 0);
  }

  return {
    /** True if the capacity of the location has risen. */
    note: (
      { worker: id, location }: WorkerAddress,
      { slots, busy, visits = false }: Pick<PresenceNote, "slots" | "busy" | "visits">,
      answer: PresenceAnswer,
      now: Date,
    ): boolean => {
      const before = capacity(location, now);
      workers.set(id, { id, location, slots, busy, visits, answer, seenAt: now });
      return capacity(location, now) > before;
    },
    /** Workers whose last note has not lapsed. */
    present,
    provers: (location: string, now: Date): Provers => {
      const accepted = present(now).filter((worker) => worker.answer === "accepted" && worker.location === location);
      return { present: accepted.length, unable: accepted.flatMap(({ id, visits }) => (visits ? [] : [id])) };
    },
    /** Whether the worker has reported itself to this process. */
    isKnown: (id: string): boolean => workers.has(id),
    /** Slots of the accepted workers, and one scan that waits for each of them. */
    capacity,
    /** When a worker of the location last reported itself that may take scans, or may after it is resumed; null if none has. */
    lastSeenAt: (location: string): Date | null => {
      const usable = [...workers.values()].filter((worker) => worker.location === location && usableAnswers.has(worker.answer));
      return usable.length === 0 ? null : new Date(Math.max(...usable.map(({ seenAt }) => seenAt.getTime())));
    },
  };
}

export type Readers = "everybody" | "accounts";

/** What to do, for the log of the worker. */
const texts: Readonly<Record<PresenceAnswer, string>> = {
  accepted: "the server sends scans",
  drained: "the server sends no scans until an administrator resumes this worker",
  revoked: "this worker was revoked; enrol a new one with 'assay fleet enrol'",
  unknown: "the server knows no such worker of this location; enrol it with 'assay fleet enrol'",
  "too-old": "the server is of a newer release; update this worker",
  "too-new": "the server is of an older release; update the server",
  "private-location":
    'this worker may reach private addresses while everybody may read scans; set readers = "accounts" at the server, or remove the networks from the settings of this worker',
};

/** `note` is null if it is of another protocol, whose version is `protocol`. */
function answerPresence(
  { location, worker }: WorkerAddress,
  { note, protocol }: { readonly note: PresenceNote | null; readonly protocol: number },
  { workers, readers }: { readonly workers: Pick<FleetStore["workers"], "find">; readonly readers: Readers },
): PresenceAnswer {
  const enrolled = workers.find(worker);
  if (enrolled === undefined || enrolled.location !== location) return "unknown";
  if (enrolled.revokedAt !== null) return "revoked";
  if (note === null) return protocol < fleetProtocol ? "too-old" : "too-new";
  if (!isKnownEvidenceVersion(note.evidenceVersion)) return note.evidenceVersion < evidenceVersion ? "too-old" : "too-new";
  if (note.reach === "private" && readers === "everybody") return "private-location";
  return enrolled.drained ? "drained" : "accepted";
}

interface AbsenceOptions extends Pick<HeadParts, "clock"> {
  readonly registry: PresenceRegistry;
  readonly workers: Pick<FleetStore["workers"], "list">;
  /** Time that workers have to report themselves after a connection is made, before older absences count. */
  readonly lapsesMs: number;
}

/** The function that returns since when a location has no worker, by presence and by the store; null while one is present. */
export function createAbsence({ registry, workers, lapsesMs, clock }: AbsenceOptions) {
  function lastSeen(location: string): Date {
    const seen = registry.lastSeenAt(location);
    if (seen !== null) return seen;
    const ofLocation = workers.list().filter((worker) => worker.location === location);
    return new Date(Math.max(0, ...ofLocation.map(({ lastSeenAt, enrolledAt }) => Date.parse(lastSeenAt ?? enrolledAt))));
  }

  return (location: string, connectedAt: Date): Date | null => {
    const now = clock.now().getTime();
    const seen = lastSeen(location);
    if (now - seen.getTime() < lapsesMs && registry.lastSeenAt(location) !== null) return null;
    const isEarly = now - connectedAt.getTime() < lapsesMs;
    return isEarly && connectedAt > seen ? connectedAt : seen;
  };
}

interface WorkerNotesOptions extends Omit<HeadParts, "isConnected" | "transport"> {
  readonly registry: PresenceRegistry;
  readonly readers: Readers;
  readonly times: Pick<FleetTimes, "noteSeenEveryMs">;
  readonly onCapacity: () => void;
  /**
   * Called for a note of a worker that may take jobs and cannot visit pages. It is answered once this has resolved, and not at all if it
   * rejects: the worker asks again.
   */
  readonly onUnable: (address: WorkerAddress) => Promise<void>;
}

/** A worker sends one in ten seconds, and one at each reconnection. */
const presenceRate = { perSecond: 1, burst: 10 };
/** A scan has ten; a worker with many slots sends more. */
const progressRate = { perSecond: 100, burst: 400 };

/** Noted for a worker whose message cannot be parsed. */
const noSlots = { slots: 0, busy: 0 };

export function listenToWorkers(options: WorkerNotesOptions): Pick<HeadEvents, "onPresence" | "onProgress"> {
  const { store, registry, pendingJobs, readers, onCapacity, onUnable, clock, log } = options;
  const presences = createMessageRate(presenceRate);
  const progresses = createMessageRate(progressRate);
  const noteSeen = createSeenWriter(options);
  return {
    onPresence: (address, bytes, reply) => {
      const now = clock.now();
      if (!presences.allows(address.worker, now.getTime())) return;
      const note = parsePresenceNote(bytes);
      const protocol = parseVersion(bytes)?.v ?? null;
      // Malformed rather than of another release.
      if (note === null && (protocol === null || protocol === fleetProtocol)) return;
      const answer = answerPresence(address, { note, protocol: protocol ?? 0 }, { workers: store.workers, readers });
      const answered: PresenceReply = { v: fleetProtocol, answer, text: texts[answer] };
      const send = () => reply(JSON.stringify(answered));
      const isUnable = answer === "accepted" && note?.visits !== true;
      if (!isUnable) send();
      // Made-up identities take no memory.
      if (answer === "unknown") return;
      if (registry.note(address, note ?? noSlots, answer, now)) onCapacity();
      if (note !== null && answer !== "revoked") noteSeen(address.worker, note, now);
      // After it is known as present: from now on no visit is published at its location.
      if (isUnable) onUnable(address).then(send, (error) => log.warn("worker not answered yet", { ...address, because: messageOf(error) }));
    },
    onProgress: ({ location, worker, token }, bytes) => {
      if (!progresses.allows(worker, clock.now().getTime())) return;
      const note = parseProgressNote(bytes);
      const pending = note === null ? undefined : pendingJobs.find(token, note.attempt);
      if (note === null || pending?.location !== location || pending.state === "ended") return;
      const enrolled = store.workers.find(worker);
      if (enrolled === undefined || enrolled.location !== location || enrolled.revokedAt !== null) return;
      pending.worker = worker;
      pending.begunAtMs ??= clock.now().getTime();
      if (note.stage !== null) pending.onStage(note.stage);
    },
  };
}

/** Stores what a worker says about itself: at once when that has changed, otherwise once per interval. `presenceRate` bounds both. */
function createSeenWriter({ store, times, log }: WorkerNotesOptions) {
  const writtenAt = new Map<string, number>();
  const faults = new Map<string, string | null>();

  async function write(id: string, { version, slots, reach, lastFault }: PresenceNote, now: Date): Promise<void> {
    // A worker repeats its fault: it must not replace a later one that the head has found.
    const known = faults.has(id) ? faults.get(id) : store.workers.find(id)?.lastFault?.text;
    faults.set(id, lastFault);
    await store.workers.noteSeen(id, { version, slots, reach, now });
    if (lastFault === null || lastFault === known) return;
    const { name = id, location = "" } = store.workers.find(id) ?? {};
    log.warn("worker reports a fault", { worker: name, location, fault: lastFault });
    await store.workers.noteFault(id, { at: now.toISOString(), text: lastFault });
  }

  function isAsStored(id: string, { version, slots, reach }: PresenceNote): boolean {
    const stored = store.workers.find(id);
    return stored?.version === version && stored.slots === slots && stored.reach === reach;
  }

  return (id: string, note: PresenceNote, now: Date): void => {
    const isRecent = now.getTime() - (writtenAt.get(id) ?? 0) < times.noteSeenEveryMs;
    if (isRecent && isAsStored(id, note) && faults.get(id) === note.lastFault) return;
    writtenAt.set(id, now.getTime());
    write(id, note, now).catch((error) => log.warn("worker not noted as seen", { worker: id, because: messageOf(error) }));
  };
}
