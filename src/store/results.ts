/** Judged results, as written by `finishScan`. */
import type { StoredResult } from "../judge/result.ts";
import type { Db } from "./database.ts";

export interface ResultRepository {
  /** Undefined unless the scan finished. The token is one of a stored scan. */
  find(token: string): StoredResult | undefined;
}

export function resultRepository(db: Db): ResultRepository {
  return { find: (token) => db.results.get(token) };
}
