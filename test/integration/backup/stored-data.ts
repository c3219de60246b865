/** A data directory with scans, configuration and plugins, its backup, and tools that work within this process. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackup, type MadeBackup, type StoreTools } from "../../../src/backup/create-backup.ts";
import { copyStore } from "../../../src/store/compact-store.ts";
import { openStore } from "../../../src/store/store.ts";
import { type StoreReport, walkStore } from "../../../src/store/store-walk.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { storeProof } from "../../support/proof.ts";

export const noStop = new AbortController().signal;

/** The program runs both in child processes. */
export const toolsHere: StoreTools = { copy: (dataDir, into) => copyStore(dataDir, into), inspect: wholeStore };

export async function wholeStore(dataDir: string): Promise<StoreReport> {
  const report = await walkStore(dataDir, () => {});
  if (report === null || report.damagedTables.length > 0)
    throw new Error(`the store of ${dataDir} is not whole: ${JSON.stringify(report)}`);
  return report;
}

export interface StoredData {
  readonly folder: string;
  readonly dataDir: string;
  readonly backup: MadeBackup;
  remove(): void;
}

export async function storeData(): Promise<StoredData> {
  const folder = mkdtempSync(join(tmpdir(), "assay-backup-test-"));
  const dataDir = join(folder, "data");
  const store = openStore(dataDir);
  await store.accounts.create({ email: "me@assay.test", now: new Date() });
  for (const site of ["sound", "bare", "shop"] as const) await storeSite(store, site, { at: new Date(), screenshot: pixelJpeg });
  await storeProof(store, { accountId: 1 });
  await store.scans.queue({ accountId: 1, url: "https://queued.test/", now: new Date() });
  await store.close();
  mkdirSync(join(dataDir, "checks/lib"), { recursive: true });
  mkdirSync(join(dataDir, "checks/..data"));
  const files = {
    "assay.toml": 'profile = "internal"\n',
    "nats-head.nk": "SU\n",
    "checks/acme.ts": "a",
    "checks/lib/b.ts": "b",
    "checks/..data/l.ts": "l",
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dataDir, name), content);
  symlinkSync("..data/l.ts", join(dataDir, "checks/linked.ts"));
  const backup = await makeBackup(dataDir, join(folder, "backup.tar.zst"));
  return { folder, dataDir, backup, remove: () => rmSync(folder, { recursive: true }) };
}

export function makeBackup(dataDir: string, archive: string, change: Partial<Parameters<typeof createBackup>[0]> = {}) {
  const source = { dataDir, configFile: join(dataDir, "assay.toml"), checksDir: join(dataDir, "checks") };
  return createBackup({ ...source, archive, version: "0.1.0", createdAt: new Date(), tools: toolsHere, stop: noStop, ...change });
}

/** All paths below the folder. */
export function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}
