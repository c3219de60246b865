/** Proofs: they wait in the queue of scans and run in its slots, but are no scans, and no list of scans has them. */

import { dayMs } from "../base/units.ts";
import type { ProofBody, ProofPicture, ProofPlan, ProofStep } from "../evidence/proof.ts";
import { localLocation } from "../parse/location.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, type Static, stored, textIndex } from "./define-table.ts";
import { reads, stepwiseRemoval, transactions } from "./methods.ts";
import { newestPage, type Page, type PageRequest } from "./page.ts";
import { laneFiller, laneOf, removeFromLane } from "./queue.ts";
import { storedLocation } from "./scan-location.ts";
import { jobMembers, newScanToken, queueIndexes, wellFormedToken } from "./scan-record.ts";
import { type IdempotentRequest, isKeyUsed, startOnce } from "./start-scans.ts";
import { accountRange } from "./table.ts";

/** Proofs that an account keeps: a new one takes the place of the oldest. */
const proofsOfAccountMax = 100;

const proofRow = stored.row({
  ...jobMembers,
  /** Pages of one origin; the first is `url`. */
  urls: stored.listOf<string>(),
  plan: stored.objectOf<ProofPlan>(),
  /** Null unless running. */
  step: stored.orNull(stored.textAs<ProofStep>()),
  /** Ids of its pictures in the table of screenshots; absent before its end. */
  pictures: stored.optional(stored.as<Readonly<Record<ProofPicture, number | null>> | undefined>(stored.objectOf())),
});
export type ProofRecord = Static<typeof proofRow>;

/** Keyed by token. */
export const proofsTable = defineTable({
  row: proofRow,
  key: keyed<string>(),
  keyedBy: "token",
  indexes: {
    proofsByAccount: textIndex(
      ({ accountId, id, token }: ProofRecord): IndexRows<[accountId: number, proofId: number], string> =>
        accountId === null ? [] : [[[accountId, id], token]],
      { keyIds: ["nextAccountId", "nextScanId"] },
    ),
    ...queueIndexes,
  },
  // Removed in steps, with result and place in the queue: see `removeProof`.
  ofAccount: [],
});

/** Keyed by the token of the proof. */
export const proofResultsTable = defineTable({ row: stored.objectOf<ProofBody>(), key: keyed<string>(), ofAccount: [] });

export interface NewProof extends Pick<ProofRecord, "accountId" | "urls" | "plan" | "requestId"> {
  /** The server itself by default. */
  readonly location?: string;
  readonly now: Date;
}

export interface ProofRequest extends NewProof, IdempotentRequest {
  readonly accountId: number;
}

export function proofRepository(db: Db, queueMax: number) {
  return {
    ...reads(db, { find: findProof, isKeyUsed }),
    /** Undefined unless the proof is finished. */
    result: (token: string): ProofBody | undefined => db.proofResults.get(wellFormedToken(token)),
    /** Undefined if it was not taken, or is removed by now. */
    picture: (token: string, name: ProofPicture): Uint8Array | undefined => {
      const id = findProof(db, token)?.pictures?.[name] ?? null;
      return id === null ? undefined : db.screenshots.get(id);
    },
    /** Newest first. */
    listOfAccount: (accountId: number, request: PageRequest): Page<ProofRecord> =>
      newestPage(db.proofsByAccount, [accountId], request, ({ value }) => findProof(db, value)),
    /** On disk when this resolves. `full`: the share of the lane in the queue is taken, or the account has too many unfinished ones. */
    queue: (proof: NewProof): Promise<ProofRecord | "full"> => db.write(() => queueProof(db, queueMax, proof)),
    /** As `queue`. A repeated idempotency key gives the proof of its first request. `key-reused`: the key belongs to another request. */
    queueOnce: (request: ProofRequest) => db.write(() => startOnce(db, request, [() => queueProof(db, queueMax, request)])),
    ...transactions(db, { setStep, removeWaiting }),
    /** Removes proofs that ended before so many days, in bounded steps; false after the last one. */
    removeOlder: stepwiseRemoval(db, db.proofs, isOlder, (token) => removeProof(db, token)),
  };
}

function isOlder({ value: { endedAt } }: { readonly value: ProofRecord }, days: number, now: Date): boolean {
  return endedAt !== null && Date.parse(endedAt) < now.getTime() - days * dayMs;
}

/** Undefined for an unknown or malformed token. */
export function findProof(db: Pick<Db, "proofs">, token: string): ProofRecord | undefined {
  return db.proofs.get(wellFormedToken(token));
}

/** Only within a transaction. */
function queueProof(
  db: Db,
  queueMax: number,
  { accountId, urls, plan, now, requestId, location = localLocation }: NewProof,
): ProofRecord | "full" {
  if (accountId !== null && !makeRoom(db, accountId)) return "full";
  const [url = ""] = urls;
  const token = newScanToken(db);
  const queueKey = laneFiller(db, [location, laneOf(db, accountId)], queueMax)();
  if (queueKey === null) return "full";
  const proof: ProofRecord = {
    ...{ token, id: db.next("nextScanId"), accountId, url, urls, plan, status: "queued", createdAt: now.toISOString() },
    ...{ startedAt: null, endedAt: null, step: null, attempts: 0, errorCode: null, queueKey },
    ...(requestId === undefined ? {} : { requestId }),
    ...storedLocation(location),
  };
  db.proofs.put(token, proof);
  return proof;
}

/** Removes the oldest ended proof of an account that has all it may have. False if none has ended. */
function makeRoom(db: Db, accountId: number): boolean {
  const tokens = db.proofsByAccount.values(accountRange(accountId));
  if (tokens.length < proofsOfAccountMax) return true;
  const oldest = tokens.find((token) => findProof(db, token)?.endedAt !== null);
  if (oldest !== undefined) removeProof(db, oldest);
  return oldest !== undefined;
}

/** False for a proof that does not wait any more; undefined for an unknown one and one of another account. */
function removeWaiting(db: Db, accountId: number, token: string): boolean | undefined {
  const proof = findProof(db, token);
  if (proof?.accountId !== accountId) return undefined;
  if (proof.status !== "queued") return false;
  removeProof(db, token);
  return true;
}

/** Ignored unless the proof is running. */
function setStep(db: Db, token: string, step: ProofStep): void {
  if (findProof(db, token)?.status === "running") db.proofs.update(token, () => ({ step }));
}

/** Removes a proof with its result; the outcome of a running one is dropped. Only within a transaction. */
export function removeProof(db: Db, token: string): void {
  const proof = findProof(db, token);
  db.proofResults.remove(token);
  for (const id of Object.values(proof?.pictures ?? {})) if (id !== null) db.screenshots.remove(id);
  if (proof?.status === "queued" && proof.queueKey !== undefined) removeFromLane(db, proof.queueKey);
  db.proofs.remove(token);
}
