/** The store's door: every verb that reads or changes what the appliance remembers. */
import { type AccountVerbs, accountVerbs } from "./accounts.ts";
import { type ApiTokenVerbs, apiTokenVerbs } from "./api-tokens.ts";
import { openDatabase } from "./database.ts";
import { type EvidenceVerbs, evidenceVerbs } from "./evidence.ts";
import { type ResultVerbs, resultVerbs } from "./results.ts";
import { type ScanVerbs, scanVerbs } from "./scans.ts";

/** Scans that may wait; a queue longer than this is refused, because nobody would see its end. */
const defaultQueueMax = 1_000;

/** Reading verbs answer at once; changing verbs resolve when the change is on disk. */
export interface Store extends ScanVerbs, ResultVerbs, EvidenceVerbs, AccountVerbs, ApiTokenVerbs {
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Opens without the means to change anything; the store must exist. */
  readonly readOnly?: boolean;
  readonly queueMax?: number;
}

/**
 * Opens the store in `<dataDir>/store`, making it when it is missing. Several processes may have it open at once.
 * @throws DataDirError when the directory cannot be written, has no room, is damaged, or belongs to a newer assay.
 */
export function openStore(dataDir: string, { readOnly = false, queueMax = defaultQueueMax }: StoreOptions = {}): Store {
  const db = openDatabase(dataDir, { readOnly });
  return {
    ...scanVerbs(db, { queueMax }),
    ...resultVerbs(db),
    ...evidenceVerbs(db),
    ...accountVerbs(db),
    ...apiTokenVerbs(db),
    close: () => db.close(),
  };
}
