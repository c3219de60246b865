/**
 * The file of deletions beside the store, in no backup: a store that was restored from an older backup loses the same data again. It names
 * subjects by keyed hashes only.
 */
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "../base/disk.ts";
import { inDataDir } from "./data-dir.ts";
import { defineTable, keyed, stored } from "./define-table.ts";

/** Deletions that this store has carried out, by their id. */
export const deletionsTable = defineTable({ row: stored.row({ at: stored.time }), key: keyed<string>(), ofAccount: [] });

export const deletionsName = "deletions";

export interface Deletion {
  /** Random; the store notes it once the deletion is done. */
  readonly id: string;
  /** ISO 8601, UTC. Later scans of a host, and later accounts, are not concerned. */
  readonly at: string;
  readonly kind: "account" | "host";
  /** Keyed hash of the subject: see `referenceOf`. */
  readonly reference: string;
  /** Null for a host. */
  readonly accountId: number | null;
  /** For a host. */
  readonly withSubdomains: boolean;
}

/** Passes over lines that cannot be read, as the last one after a loss of power. @throws DataDirError */
export function readDeletions(dataDir: string): readonly Deletion[] {
  const path = join(dataDir, deletionsName);
  const text = inDataDir(dataDir, () => (existsSync(path) ? readFileSync(path, "utf8") : ""));
  return text.split("\n").flatMap((line) => parseDeletion(line) ?? []);
}

/** On disk when it returns. @throws DataDirError */
export function addDeletion(dataDir: string, deletion: Deletion): void {
  const path = join(dataDir, deletionsName);
  inDataDir(dataDir, () => {
    // Ends a line that a loss of power has cut.
    writeFileSync(path, `\n${JSON.stringify(deletion)}\n`, { flag: "a", mode: 0o600, flush: true });
    const { uid, gid } = statSync(dataDir);
    // Root may run the command, and another user the server.
    if (process.geteuid?.() === 0) chownSync(path, uid, gid);
    syncPath(dataDir);
  });
}

function parseDeletion(line: string): Deletion | null {
  try {
    const { id, at, kind, reference, accountId = null, withSubdomains = false } = JSON.parse(line);
    const isWhole = typeof id === "string" && typeof reference === "string" && !Number.isNaN(Date.parse(at));
    return isWhole && (kind === "host" || (kind === "account" && Number.isSafeInteger(accountId)))
      ? { id, at, kind, reference, accountId, withSubdomains: withSubdomains === true }
      : null;
  } catch {
    return null;
  }
}
