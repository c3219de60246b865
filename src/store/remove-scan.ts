/** Removal of a scan with everything that belongs to it. */
import type { Db } from "./database.ts";
import { removeFromPublicList } from "./public-list.ts";
import { removeFromLane } from "./queue.ts";
import { findScan } from "./scan-token.ts";

/** Also of a scan that runs: its outcome is dropped then. Only within a transaction. */
export function removeScan(db: Db, token: string): void {
  const scan = findScan(db, token);
  db.results.remove(token);
  db.evidence.remove(token);
  if (scan === undefined) return;
  const { id, accountId, status, queueKey } = scan;
  if (status === "queued" && queueKey !== undefined) removeFromLane(db, queueKey);
  if (status === "running") db.running.remove(id);
  db.screenshots.remove(id);
  removeFromPublicList(db, scan);
  if (accountId !== null) {
    db.scansByAccount.remove([accountId, id]);
    db.ownScans.remove([accountId, token]);
  }
  db.scans.remove(token);
}
