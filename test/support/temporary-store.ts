/** Real store in a temporary folder, which does not wait for the disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store, type StoreOptions } from "../../src/store/store.ts";

export interface TemporaryStore {
  readonly store: Store;
  readonly dataDir: string;
  stop(): Promise<void>;
}

/** `dataDir` may hold a store already; `stop` deletes it in any case. */
export function temporaryStore(options: StoreOptions = {}, dataDir = mkdtempSync(join(tmpdir(), "assay-store-"))): TemporaryStore {
  const store = openStore(dataDir, { noSync: true, ...options });
  return {
    store,
    dataDir,
    stop: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
