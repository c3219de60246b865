/** Judged results, as written by `finishScan`. */
import type { StoredResult } from "../judge/result.ts";
import type { Db } from "./database.ts";

export interface ResultVerbs {
  /** Undefined unless the scan finished. The token is one of a stored scan. */
  resultOf(token: string): StoredResult | undefined;
}

export function resultVerbs(db: Db): ResultVerbs {
  return { resultOf: (token) => db.results.get(token) };
}
