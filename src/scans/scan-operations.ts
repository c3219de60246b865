/** Use cases of scans, for pages and API: starting them, and cancelling those that wait. */
import { type Outcome, refuse } from "../base/outcome.ts";
import type { QueueSignals } from "../evidence/scan.ts";
import type { RecordOwner } from "../store/accounts.ts";
import type { ScanStatus } from "../store/scan-record.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { NewScan, StartOutcome, StartRequest } from "../store/start-scans.ts";
import type { UseCase } from "../store/store.ts";

interface ScanContext extends UseCase<"scans"> {
  readonly scanning: QueueSignals;
}

/** The dispatcher logs start and end of the scan, with the id of the request. `account`: null for guests. */
export async function startScan(
  { store, scanning, now }: ScanContext,
  account: RecordOwner | null,
  wanted: Pick<NewScan, "url" | "location" | "requestId">,
): Promise<Outcome<ScanRecord, "full">> {
  const scan = await store.scans.queue({ ...wanted, accountId: account?.id ?? null, now: now() });
  if (scan === "full") return refuse(scan);
  scanning.wake();
  return { done: scan };
}

/** `key-reused`: the idempotency key belongs to another request. */
export async function startScans(
  { store, scanning, now }: ScanContext,
  account: RecordOwner,
  wanted: Omit<StartRequest, "accountId" | "now">,
): Promise<Outcome<StartOutcome, "key-reused">> {
  const started = await store.scans.queueAll({ ...wanted, accountId: account.id, now: now() });
  if (started === "key-reused") return refuse(started);
  scanning.wake();
  return { done: started };
}

/** Removes a waiting scan as if it had never been started. Another status than `queued` refuses. */
export async function cancelOwnScan(
  { store, scanning, log }: ScanContext,
  account: RecordOwner,
  token: string,
): Promise<Outcome<null, "unknown" | Exclude<ScanStatus, "queued">>> {
  const outcome = await store.scans.cancel(account.id, token);
  if (outcome !== "cancelled") return refuse(outcome ?? "unknown");
  log.debug("waiting scan removed", { token, account: account.id });
  scanning.cancelled(token);
  return { done: null };
}
