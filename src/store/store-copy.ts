/** Copy of a store for a backup: one consistent state, compact, also while a server writes. */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openEnvironment } from "./environment.ts";
import { prepareStoreFile, storeFileOf } from "./store-file.ts";

/** The store has pages that are neither used nor free: no damage, but LMDB makes no compact copy of it. The error has no code. */
const pageLeak = "MDB_INCOMPATIBLE";

/**
 * Writes the current state of the store of one data directory into another one, which must not have a store. Free pages are left out. The
 * copy is not flushed to disk. @throws DataDirError for a store that cannot be opened; the error of LMDB or of the file system.
 */
export async function copyStore(dataDir: string, into: string): Promise<void> {
  prepareStoreFile(dataDir, { readOnly: true, noSync: false });
  mkdirSync(join(into, "store"), { mode: 0o700 });
  const { root, close } = openEnvironment(join(dataDir, "store"), { readOnly: true }, (environment) => environment);
  try {
    await root.backup(join(into, "store"), true).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith(pageLeak))) throw error;
      rmSync(storeFileOf(into), { force: true });
      return root.backup(join(into, "store"), false);
    });
    chmodSync(storeFileOf(into), 0o600);
  } finally {
    await close();
  }
}
