/** Identity of a store: a random id, by which streams elsewhere show which installation they belong to. */
import type { RootDatabase } from "lmdb";
import type { Db } from "./database.ts";
import { randomBase62 } from "./secret-value.ts";

const instanceIdChars = 22;

/** Gives an id to a store that is new, of an older release, or has lost its own. For a store that is open for writing. */
export function putInstanceIfMissing(root: RootDatabase, { instance, clock }: Pick<Db, "instance" | "clock">): void {
  if (isWhole(instance.get("id"))) return;
  root.transactionSync(() => {
    // Read again: another process may have been faster.
    if (!isWhole(instance.get("id"))) instance.put("id", randomBase62(clock, instanceIdChars));
  });
}

/** Random id of the store, of letters and digits. Empty if a store that is open for reading only has lost it. */
export function instanceOf(db: Pick<Db, "instance">): string {
  return db.instance.get("id") ?? "";
}

function isWhole(id: string | undefined): boolean {
  return id !== undefined && id !== "";
}
