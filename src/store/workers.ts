/** Workers that are enrolled for locations. What they are doing is known only to the process that hears them. */
import { type Actor, type AuditAction, type AuditDetails, putAudit, serverActor } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";

export interface WorkerFault {
  readonly at: string;
  /** One line. */
  readonly text: string;
}

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
  lastFault: stored.orNull(stored.row({ at: stored.time, text: stored.text })),
});
export type Worker = Static<typeof workerRow>;

export const workersTable = defineTable({ row: workerRow, key: keyed<string>(), keyedBy: "id", ofAccount: [] });

interface Enrolment extends Pick<Worker, "id" | "name" | "location"> {
  readonly now: Date;
  /** The server by default. */
  readonly by?: Actor;
}

interface WorkerSeen {
  readonly version: string;
  readonly slots: number;
  readonly reach: NonNullable<Worker["reach"]>;
  readonly now: Date;
}

/** Methods that note something ignore an unknown id. Texts and numbers are bounded by the caller. */
export function workerRepository(db: Db) {
  const find = db.cacheReads((id: string) => db.workers.get(id));
  const readAll = db.cacheReads((_all: "all") => db.workers.values().toSorted(byLocationAndName));
  const all = (): readonly Worker[] => readAll("all") ?? [];
  const findByName = (name: string): Worker | undefined => newestNamed(all(), name);
  const change = (id: string, toChange: (worker: Worker) => Partial<Worker>): Promise<Worker | undefined> =>
    db.write(() => db.workers.update(id, toChange));

  return {
    /** On disk when this resolves. `id-taken` also by a revoked worker. */
    enrol: ({ id, name, location, now, by }: Enrolment): Promise<Worker | "name-taken" | "id-taken"> =>
      db.write(() => {
        if (db.workers.doesExist(id)) return "id-taken";
        const namesake = newestNamed(db.workers.values(), name);
        if (namesake !== undefined && namesake.revokedAt === null) return "name-taken";
        const unseen = { lastSeenAt: null, version: null, slots: 0, reach: null, scansDone: 0, lastFault: null };
        const worker: Worker = { id, name, location, enrolledAt: now.toISOString(), revokedAt: null, drained: false, ...unseen };
        db.workers.put(id, worker);
        noteWorker(db, worker, { action: "worker.enrolled", by, details: { location, key: id }, now });
        return worker;
      }),

    /** Undefined for an unknown worker. The instant of a first revocation stays. */
    revoke: (idOrName: string, now: Date, by?: Actor): Promise<Worker | undefined> =>
      db.write(() => {
        const id = db.workers.get(idOrName)?.id ?? newestNamed(db.workers.values(), idOrName)?.id;
        if (id === undefined) return undefined;
        return db.workers.update(id, (worker) => {
          if (worker.revokedAt === null) noteWorker(db, worker, { action: "worker.revoked", by, now });
          return { revokedAt: worker.revokedAt ?? now.toISOString() };
        });
      }),

    setDrained: (id: string, drained: boolean, by?: Actor): Promise<Worker | undefined> =>
      change(id, (worker) => {
        const action = drained ? "worker.drained" : "worker.resumed";
        if (worker.drained !== drained) noteWorker(db, worker, { action, by, now: db.clock.now() });
        return { drained };
      }),

    /** Each call is a change on disk: the caller bounds the rate. */
    noteSeen: (id: string, { version, slots, reach, now }: WorkerSeen): Promise<Worker | undefined> =>
      change(id, () => ({ version, slots, reach, lastSeenAt: now.toISOString() })),
    noteScan: (id: string): Promise<Worker | undefined> => change(id, ({ scansDone }) => ({ scansDone: scansDone + 1 })),
    noteFault: (id: string, lastFault: WorkerFault): Promise<Worker | undefined> => change(id, () => ({ lastFault })),

    find,
    /** The worker in use; without one, the latest revoked one of that name. */
    findByName,
    /** By location, then name; revoked ones too. */
    list: all,
    /** Locations of workers that are not revoked, sorted; without `local`. */
    locations: (): readonly string[] => [...new Set(all().flatMap(({ location, revokedAt }) => (revokedAt === null ? [location] : [])))],
  };
}

interface WorkerNote {
  readonly action: AuditAction;
  readonly by: Actor | undefined;
  readonly details?: AuditDetails;
  readonly now: Date;
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
