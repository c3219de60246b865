/** Tokens of scans, and the lookup by one. */
import type { Db } from "./database.ts";
import type { ScanRecord } from "./scans.ts";
import { randomBase62 } from "./secret-value.ts";

/** 131 bits: a scan's token cannot be guessed. */
const scanTokenChars = 22;
const scanTokenPattern = /^[0-9A-Za-z]{22}$/;
/** Replaces a malformed token, so that its lookup costs the same. */
const noToken = "0".repeat(scanTokenChars);

export function newScanToken({ clock }: Pick<Db, "clock">): string {
  return randomBase62(clock, scanTokenChars);
}

/** The token, or one of the same length that no scan has. */
export function wellFormedToken(token: string): string {
  return scanTokenPattern.test(token) ? token : noToken;
}

/** Undefined for an unknown or malformed token. */
export function findScan(db: Pick<Db, "scans">, token: string): ScanRecord | undefined {
  return scanTokenPattern.test(token) ? db.scans.get(token) : undefined;
}

/** Unknown and malformed tokens, and those of other accounts, cost the same lookup: timing does not distinguish them. */
export function findOwnScan(db: Pick<Db, "ownScans" | "scans">, accountId: number, token: string): ScanRecord | undefined {
  const wellFormed = wellFormedToken(token);
  return db.ownScans.doesExist([accountId, wellFormed]) ? findScan(db, wellFormed) : undefined;
}
