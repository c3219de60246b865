/** Writes a store of schema 1 exactly as that release did, for tests of its migration. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { open } from "lmdb";
import type { Evidence } from "../../../src/evidence/evidence.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import type { ScanStatus } from "../../../src/store/scan-record.ts";

export interface ScanOfSchema1 {
  readonly token: string;
  readonly url: string;
  readonly status: ScanStatus;
  /** For a finished scan. */
  readonly result?: StoredResult;
  readonly evidence?: Evidence;
}

/** Account 1 owns all scans and the API token. Ids follow the order, from 1. Resolves when all is on disk. */
export async function writeSchema1(dataDir: string, scans: readonly ScanOfSchema1[], apiTokenValue: string): Promise<void> {
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  const meta = root.openDB<number, string>({ name: "meta" });
  const table = (name: string) => root.openDB<unknown, string | number | (string | number)[]>({ name, encoding: "json" });
  const ofScans = ["scans", "queue", "running", "finished", "scansByAccount", "ownScans", "results", "evidence"];
  const names = [...ofScans, "accounts", "accountIdsByEmail", "apiTokens", "apiTokenHashes"];
  const tables = Object.fromEntries(names.map((name) => [name, table(name)]));
  const put = (name: string, key: string | number | (string | number)[], value: unknown) => tables[name]?.put(key, value);
  const at = "2026-11-01T12:00:00.000Z";

  root.transactionSync(() => {
    meta.put("schemaVersion", 1);
    meta.put("nextScanId", scans.length);
    meta.put("nextAccountId", 1);
    put("accounts", 1, { id: 1, email: "Me@site.example", admin: true, plan: "agency", createdAt: at });
    put("accountIdsByEmail", "me@site.example", 1);
    const hash = createHash("sha256").update(apiTokenValue).digest("hex");
    put("apiTokens", hash, { id: 1, accountId: 1, name: "ci", shown: "assay_ABCD", createdAt: at, revokedAt: null, lastUsedAt: null });
    put("apiTokenHashes", [1, 1], hash);
    meta.put("nextApiTokenId", 1);
    scans.forEach(({ token, url, status, result, evidence }, index) => {
      const id = index + 1;
      const over = status === "finished" || status === "failed";
      put("scans", token, {
        token,
        id,
        accountId: 1,
        url,
        status,
        createdAt: at,
        startedAt: status === "queued" ? null : at,
        endedAt: over ? at : null,
        progressStage: null,
        progressPercent: status === "finished" ? 100 : 0,
        attempts: status === "queued" ? 0 : 1,
        errorCode: status === "failed" ? "timeout" : null,
      });
      put("scansByAccount", [1, id], token);
      put("ownScans", [1, token], id);
      if (status === "queued") put("queue", id, token);
      if (status === "running") put("running", id, token);
      if (status === "finished") put("finished", id, token);
      if (result !== undefined) put("results", token, result);
      if (evidence !== undefined) put("evidence", token, { evidence, timings: { total: 12 } });
    });
  });
  await root.close();
}
