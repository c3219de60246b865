/** Workers that are enrolled for locations. What they are doing is known only to the process that hears them. */
import { type Actor, type AuditNote, putAudit, serverActor } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { transactions } from "./methods.ts";

const faultRow = stored.row({
  at: stored.time,
  /** One line. */
  text: stored.text,
});
export type WorkerFault = Static<typeof faultRow>;

/** All instants are ISO 8601, UTC. */
const workerRow = stored.row({
  /** Public nkey. */
  id: stored.text,
  /** No two workers in use share one; the name of a revoked worker can be given again. */
  name: stored.text,
  location: stored.location,
  enrolledAt: stored.time,
  /** A revoked worker never comes back: another one is enrolled with a key of its own. */
  revokedAt: stored.orNull(stored.time),
  /** Takes no further scans until it is resumed. */
  drained: stored.flag,
  /** The next four are as the worker last said; null and 0 before. */
  lastSeenAt: stored.orNull(stored.time),
  version: stored.orNull(stored.text),
  slots: stored.number,
  /** Whether its settings let scans reach private addresses. */
  reach: stored.orNull(stored.oneOf(["public", "private"])),
  /** Results that were accepted. */
  scansDone: stored.number,
  lastFault: stored.orNull(faultRow),
});
export type Worker = Static<typeof workerRow>;

export const workersTable = defineTable({ row: workerRow, key: keyed<string>(), keyedBy: "id", ofAccount: [] });

/** Methods that note something ignore an unknown id. Texts and numbers are bounded by the caller. */
export function workerRepository(db: Db) {
  const readAll = db.cacheReads((_all: "all") => db.workers.values().toSorted(byLocationAndName));
  /** By location, then name; revoked ones too. */
  const list = (): readonly Worker[] => readAll("all") ?? [];
  return {
    find: db.cacheReads((id: string) => db.workers.get(id)),
    /** The worker in use; without one, the latest revoked one of that name. */
    findByName: (name: string): Worker | undefined => newestNamed(list(), name),
    list,
    /** Locations of workers that are not revoked, sorted; without `local`. */
    locations: (): readonly string[] => [...new Set(list().flatMap(({ location, revokedAt }) => (revokedAt === null ? [location] : [])))],
    ...transactions(db, { enrol, revoke, setDrained }),
    /** Each call is a change on disk: the caller bounds the rate. */
    noteSeen: (id: string, { version, slots, reach, now }: WorkerSeen) =>
      db.write(() => db.workers.update(id, () => ({ version, slots, reach, lastSeenAt: now.toISOString() }))),
    noteScan: (id: string) => db.write(() => db.workers.update(id, ({ scansDone }) => ({ scansDone: scansDone + 1 }))),
    noteFault: (id: string, lastFault: WorkerFault) => db.write(() => db.workers.update(id, () => ({ lastFault }))),
  };
}

type Enrolment = Pick<Worker, "id" | "name" | "location"> & Pick<WorkerNote, "now" | "by">;

/** `id-taken` also by a revoked worker. */
function enrol(db: Db, { id, name, location, now, by }: Enrolment): Worker | "name-taken" | "id-taken" {
  if (db.workers.doesExist(id)) return "id-taken";
  if (newestNamed(db.workers.values(), name)?.revokedAt === null) return "name-taken";
  const unseen = { lastSeenAt: null, version: null, slots: 0, reach: null, scansDone: 0, lastFault: null };
  const worker: Worker = { id, name, location, enrolledAt: now.toISOString(), revokedAt: null, drained: false, ...unseen };
  db.workers.put(id, worker);
  noteWorker(db, worker, { action: "worker.enrolled", by, details: { location, key: id }, now });
  return worker;
}

/** Undefined for an unknown worker. The instant of a first revocation stays. */
function revoke(db: Db, idOrName: string, now: Date, by?: Actor): Worker | undefined {
  const id = db.workers.get(idOrName)?.id ?? newestNamed(db.workers.values(), idOrName)?.id;
  if (id === undefined) return undefined;
  return db.workers.update(id, (worker) => {
    if (worker.revokedAt === null) noteWorker(db, worker, { action: "worker.revoked", by, now });
    return { revokedAt: worker.revokedAt ?? now.toISOString() };
  });
}

function setDrained(db: Db, id: string, drained: boolean, by?: Actor): Worker | undefined {
  return db.workers.update(id, (worker) => {
    const action = drained ? "worker.drained" : "worker.resumed";
    if (worker.drained !== drained) noteWorker(db, worker, { action, by, now: db.clock.now() });
    return { drained };
  });
}

interface WorkerSeen extends Pick<Worker, "slots"> {
  readonly version: string;
  readonly reach: NonNullable<Worker["reach"]>;
  readonly now: Date;
}

interface WorkerNote extends Pick<AuditNote, "action" | "details" | "now"> {
  /** The server by default. */
  readonly by?: Actor | undefined;
}

function noteWorker(db: Db, { name }: Worker, { by = serverActor, ...note }: WorkerNote): void {
  putAudit(db, { ...note, actor: by, subject: { kind: "worker", id: name } });
}

function newestNamed(workers: readonly Worker[], name: string): Worker | undefined {
  const named = workers.filter((worker) => worker.name === name);
  return (
    named.find(({ revokedAt }) => revokedAt === null) ?? named.toSorted((one, other) => compare(one.enrolledAt, other.enrolledAt)).at(-1)
  );
}

function byLocationAndName(one: Worker, other: Worker): number {
  return compare(one.location, other.location) || compare(one.name, other.name) || compare(one.enrolledAt, other.enrolledAt);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
