/** Hears presence and progress of workers. Each may send a bounded number of notes. */
import { messageOf } from "../../base/log.ts";
import { fleetProtocol, type PresenceNote, type PresenceReply } from "../messages.ts";
import { answerPresence, type Readers, textOfAnswer } from "./answer-presence.ts";
import type { FleetTimes } from "./fleet-times.ts";
import type { HeadParts } from "./job-board.ts";
import { createMessageRate } from "./message-rate.ts";
import { parsePresenceNote, parseProgressNote, protocolOf } from "./notes.ts";
import type { PresenceRegistry } from "./presence-registry.ts";
import type { HeadEvents } from "./transport.ts";

export interface WorkerNotesOptions extends Omit<HeadParts, "isConnected" | "transport"> {
  readonly registry: PresenceRegistry;
  readonly readers: Readers;
  readonly times: Pick<FleetTimes, "noteSeenEveryMs">;
  readonly onCapacity: () => void;
}

/** A worker sends one in ten seconds, and one at each reconnection. */
const presenceRate = { perSecond: 1, burst: 10 };
/** A scan has ten; a worker with many slots sends more. */
const progressRate = { perSecond: 100, burst: 400 };

/** Of a worker whose notes cannot be read. */
const noSlots = { slots: 0, busy: 0 };

export function listenToWorkers(options: WorkerNotesOptions): Pick<HeadEvents, "onPresence" | "onProgress"> {
  const { store, registry, board, readers, onCapacity, clock } = options;
  const presences = createMessageRate(presenceRate);
  const progresses = createMessageRate(progressRate);
  const noteSeen = createSeenWriter(options);
  return {
    onPresence: (address, bytes, reply) => {
      const now = clock.now();
      if (!presences.allows(address.worker, now.getTime())) return;
      const note = parsePresenceNote(bytes);
      const protocol = protocolOf(bytes);
      // Malformed rather than of another release.
      if (note === null && (protocol === null || protocol === fleetProtocol)) return;
      const answer = answerPresence(address, { note, protocol: protocol ?? 0 }, { workers: store.workers, readers });
      const answered: PresenceReply = { v: fleetProtocol, answer, text: textOfAnswer(answer) };
      reply(JSON.stringify(answered));
      // Made-up identities take no memory.
      if (answer === "unknown") return;
      if (registry.note(address, note ?? noSlots, answer, now)) onCapacity();
      if (note !== null && answer !== "revoked") noteSeen(address.worker, note, now);
    },
    onProgress: ({ location, worker, token }, bytes) => {
      if (!progresses.allows(worker, clock.now().getTime())) return;
      const note = parseProgressNote(bytes);
      const out = note === null ? undefined : board.find(token, note.attempt);
      if (note === null || out?.location !== location || out.state === "ended") return;
      const enrolled = store.workers.find(worker);
      if (enrolled === undefined || enrolled.location !== location || enrolled.revokedAt !== null) return;
      out.worker = worker;
      out.begunAtMs ??= clock.now().getTime();
      if (note.stage !== null) out.onStage(note.stage);
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
