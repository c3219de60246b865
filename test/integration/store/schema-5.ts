/** Writes scans and queue of a store of schema 4 or 5 exactly as those releases did, for tests of their migration. */
import { join } from "node:path";
import { open } from "lmdb";
import { scanSummaryOf } from "../../../src/store/scan-record.ts";
import { emptyResult } from "../../support/stored.ts";

export interface ScanOfSchema5 {
  readonly token: string;
  /** `queued` without a key is a damaged store. */
  readonly status: "queued" | "running" | "finished";
  readonly url?: string;
  readonly queueKey?: readonly [lane: "agency" | "free", place: number];
  /** Names of the public list. */
  readonly listedAs?: readonly string[];
}

interface StoreOfSchema5 {
  readonly scans: readonly ScanOfSchema5[];
  /** Schema 4 had no gaps. */
  readonly gaps?: readonly (readonly [lane: "agency" | "free", place: number])[];
  readonly turn?: number;
}

/** All are scans of guests. Ids follow the order, from 1. Resolves when all is on disk. */
export async function writeSchema5(dataDir: string, version: 4 | 5, { scans, gaps = [], turn = 0 }: StoreOfSchema5): Promise<void> {
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  const meta = root.openDB<number, string>({ name: "meta" });
  const table = (name: string) => root.openDB<unknown, string | number | (string | number)[]>({ name, encoding: "json" });
  const [scanTable, queue, running, publicScans] = ["scans", "queueByLane", "running", "publicScans"].map(table);
  const at = "2026-11-01T12:00:00.000Z";
  root.transactionSync(() => {
    meta.put("schemaVersion", version);
    meta.put("nextScanId", scans.length);
    meta.put("queueTurn", turn);
    for (const [index, { token, status, queueKey, url = "https://site.example/", listedAs = [] }] of scans.entries()) {
      const id = index + 1;
      const isFinished = status === "finished";
      scanTable?.put(token, {
        token,
        id,
        accountId: null,
        url,
        status,
        createdAt: at,
        startedAt: status === "queued" ? null : at,
        endedAt: isFinished ? at : null,
        progressStage: null,
        progressPercent: isFinished ? 100 : 0,
        attempts: status === "queued" ? 0 : 1,
        errorCode: null,
        summary: isFinished ? scanSummaryOf(emptyResult) : null,
        queueKey,
      });
      if (status === "queued" && queueKey !== undefined) queue?.put([...queueKey], token);
      if (status === "running") running?.put(id, token);
      for (const name of listedAs) for (const band of ["", emptyResult.band]) publicScans?.put([name, band, id], token);
    }
    if (version === 5) for (const gap of gaps) table("queueGaps").put([...gap], 1);
  });
  await root.close();
}
