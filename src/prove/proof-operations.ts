/** Use cases of proofs, for pages and API: starting, reading and cancelling them. */
import { type Outcome, type Refused, refuse } from "../base/outcome.ts";
import type { Cancellation, CancelProof, QueueSignals } from "../evidence/scan.ts";
import type { Starter, StartLimits } from "../scans/start-limits.ts";
import type { RecordOwner } from "../store/accounts.ts";
import type { NewProof, ProofRecord, ProofRequest } from "../store/proofs.ts";
import type { Store, UseCase } from "../store/store.ts";

interface ProofContext extends UseCase<"proofs"> {
  readonly scanning: QueueSignals & { readonly limits: StartLimits };
}

interface StartedProof extends Pick<ProofRecord, "token" | "id"> {
  /** Whether an earlier request with this idempotency key is repeated. */
  readonly replayed: boolean;
}

/** The starter has too many scans and proofs in this hour. */
interface Limited extends Refused<"limit"> {
  /** Until some are free. */
  readonly resetSeconds: number;
}

/** `key-reused`: the idempotency key belongs to another request. A repeated request counts once. */
export async function startProof(
  { store, scanning, now }: ProofContext,
  starter: Starter,
  { idempotency, ...proof }: Omit<NewProof, "accountId" | "now"> & Pick<ProofRequest, "idempotency">,
): Promise<Outcome<StartedProof, "full" | "key-reused"> | Limited> {
  const { account } = starter;
  const isRepeated = account !== null && idempotency !== null && store.proofs.isKeyUsed(account.id, idempotency.key, now());
  const counted = isRepeated ? null : scanning.limits.countProof(starter, proof.urls);
  if (counted?.exceeded === true) return { refused: "limit", resetSeconds: counted.resetSeconds };
  const started =
    account === null
      ? { scans: [await store.proofs.queue({ ...proof, accountId: null, now: now() })], replayed: false }
      : await store.proofs.queueOnce({ ...proof, idempotency, accountId: account.id, now: now() });
  if (started === "key-reused") return refuse(started);
  const [first = "full"] = started.scans;
  if (first === "full") {
    if (counted !== null) scanning.limits.uncountProof(starter, proof.urls);
    return refuse(first);
  }
  scanning.wake();
  return { done: { token: first.token, id: first.id, replayed: started.replayed } };
}

/**
 * A proof of an account for itself and its members, one of a guest for all who know the token. Undefined for others, as for an unknown
 * token. `account`: null for guests.
 */
export function readableProof(
  { proofs, members }: Pick<Store, "proofs" | "members">,
  account: RecordOwner | null,
  token: string,
): ProofRecord | undefined {
  const proof = proofs.find(token);
  if (proof === undefined || proof.accountId === null || proof.accountId === account?.id) return proof;
  return account !== null && members.find(proof.accountId, account.id) !== undefined ? proof : undefined;
}

/** Removes a waiting proof as if it had never been started, and ends a running one with the code `cancelled`. */
export async function cancelOwnProof(
  { store, scanning, log }: UseCase<"proofs"> & { readonly scanning: Pick<QueueSignals, "cancelled"> },
  cancelProof: CancelProof,
  account: RecordOwner,
  token: string,
): Promise<Outcome<null, Exclude<Cancellation, "cancelled">>> {
  const removed = await store.proofs.removeWaiting(account.id, token);
  if (removed === undefined) return refuse("unknown");
  const outcome = removed ? "cancelled" : await cancelProof(token);
  if (outcome !== "cancelled") return refuse(outcome);
  log.debug(removed ? "waiting proof removed" : "running proof cancelled", { token, account: account.id });
  scanning.cancelled(token);
  return { done: null };
}
