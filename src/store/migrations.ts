/** Brings a store that an older assay wrote into today's shapes, one step per schema version. */
import type { Database } from "lmdb";
import type { Account } from "./accounts.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { Tables } from "./database.ts";
import { listPublicly } from "./public-list.ts";
import type { ScanRecord } from "./scans.ts";
import { summaryOf } from "./summary.ts";

export interface Migrating extends Tables {
  /** Opens a table of a former schema; only before the transaction begins. */
  formerTable<V, K extends string | number>(name: string): Database<V, K>;
}

/** Makes the tables ready, and gives back what the transaction has to do. */
type Step = (db: Migrating) => () => void;

/** The first leads from schema 1 to 2. A step is never changed once a store may have taken it. */
const steps: readonly Step[] = [withSummaries, withSignIn];

/** Rises with every change of the stored shapes that an older assay would misread. */
export const schemaVersion = steps.length + 1;

/** Everything that is to be done for a store of schema `from`, to be called within one transaction. */
export function migration(db: Migrating, from: number): () => void {
  const actions = steps.slice(from - 1).map((step) => step(db));
  return () => {
    for (const act of actions) act();
  };
}

/** 2: a finished scan carries its summary, and the public list is found by host and band; before, it was scan id to token in `finished`. */
function withSummaries(db: Migrating): () => void {
  const finished = db.formerTable<string, number>("finished");
  return () => {
    // Listed first: a cursor over a table that is being rewritten may meet a row twice.
    for (const token of [...db.scans.getKeys()]) {
      const former = db.scans.get(token) as Omit<ScanRecord, "summary">;
      const result = db.results.get(token);
      const scan: ScanRecord = { ...former, summary: result === undefined ? null : summaryOf(result) };
      db.scans.put(token, scan);
      if (scan.status === "finished") listPublicly(db, scan);
    }
    for (const id of [...finished.getKeys()]) finished.remove(id);
  };
}

/** 3: accounts can be disabled and have a language and colours, tokens can expire. */
function withSignIn(db: Migrating): () => void {
  return () => {
    for (const id of [...db.accounts.getKeys()]) {
      const former = db.accounts.get(id) as Omit<Account, "disabled" | "locale" | "theme">;
      db.accounts.put(id, { disabled: false, locale: null, theme: "system", ...former });
    }
    for (const hash of [...db.apiTokens.getKeys()]) {
      const former = db.apiTokens.get(hash) as Omit<ApiToken, "expiresAt">;
      db.apiTokens.put(hash, { expiresAt: null, ...former });
    }
  };
}
