/** Writes the queue of a store of schema 3 exactly as that release did, for tests of its migration. */
import { join } from "node:path";
import { open } from "lmdb";

export interface WaitingScanOfSchema3 {
  readonly token: string;
  /** 1 has the plan Agency, 2 the plan Free; null is a guest. */
  readonly accountId: 1 | 2 | null;
  readonly status: "queued" | "running";
}

/** Ids follow the order, from 1. Resolves when all is on disk. */
export async function writeSchema3(dataDir: string, scans: readonly WaitingScanOfSchema3[]): Promise<void> {
  const root = open({ path: join(dataDir, "store"), maxDbs: 64 });
  const meta = root.openDB<number, string>({ name: "meta" });
  const table = (name: string) => root.openDB<unknown, string | number | (string | number)[]>({ name, encoding: "json" });
  const accounts = table("accounts");
  const accountIdsByEmail = table("accountIdsByEmail");
  const scanTable = table("scans");
  const queue = table("queue");
  const running = table("running");
  const scansByAccount = table("scansByAccount");
  const ownScans = table("ownScans");
  const at = "2026-11-01T12:00:00.000Z";

  root.transactionSync(() => {
    meta.put("schemaVersion", 3);
    meta.put("nextScanId", scans.length);
    meta.put("nextAccountId", 2);
    for (const [id, plan] of ["agency", "free"].map((plan, index) => [index + 1, plan] as const)) {
      const email = `${plan}@site.example`;
      accounts.put(id, { id, email, admin: id === 1, plan, disabled: false, locale: null, theme: "system", createdAt: at });
      accountIdsByEmail.put(email, id);
    }
    for (const [index, { token, accountId, status }] of scans.entries()) {
      const id = index + 1;
      const isRunning = status === "running";
      scanTable.put(token, {
        token,
        id,
        accountId,
        url: "https://site.example/",
        status,
        createdAt: at,
        startedAt: isRunning ? at : null,
        endedAt: null,
        progressStage: null,
        progressPercent: 0,
        attempts: isRunning ? 1 : 0,
        errorCode: null,
        summary: null,
      });
      (isRunning ? running : queue).put(id, token);
      if (accountId === null) continue;
      scansByAccount.put([accountId, id], token);
      ownScans.put([accountId, token], id);
    }
  });
  await root.close();
}
