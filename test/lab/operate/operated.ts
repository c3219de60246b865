/** An installation of the compiled binary that an operator works on: its folders, its commands, and data of some megabytes. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../../src/backup/archive.ts";
import { openStore } from "../../../src/store/store.ts";
import { type StoreReport, walkStore } from "../../../src/store/store-walk.ts";
import { install } from "../../support/binary.ts";
import { storeSite } from "../../support/finished-scans.ts";
import { run } from "../../support/program.ts";

/** Size of the largest screenshot that is stored. */
const screenshotBytes = 400_000;

export interface Installation {
  readonly folder: string;
  readonly command: readonly string[];
  /** Path of a new folder. */
  newFolder(name: string): string;
  /** Runs one command with settings from the environment. */
  assay(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof run>;
  remove(): void;
}

export function installed(): Installation {
  const { folder, binary, remove } = install();
  const command = [binary];
  return {
    folder,
    command,
    newFolder: (name) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    },
    assay: (args, env = {}) => run(args, { command, cwd: folder, env }),
    remove,
  };
}

/** Stores an account and finished scans with screenshots that cannot be compressed. */
export async function fillStore(dataDir: string, scans: number): Promise<void> {
  const store = openStore(dataDir);
  if (!store.accounts.hasAny()) await store.accounts.create({ email: "first@assay.test", plan: "agency", admin: true, now: new Date() });
  for (let count = 0; count < scans; count++) {
    const screenshot = new Uint8Array(screenshotBytes);
    for (let at = 0; at < screenshotBytes; at += 2 ** 16) crypto.getRandomValues(screenshot.subarray(at, at + 2 ** 16));
    await storeSite(store, count % 2 === 0 ? "shop" : "bare", { at: new Date(), accountId: 1, screenshot });
  }
  await store.close();
}

/** Rows and sum of each table. @throws Error for a store with damage */
export async function tablesOf(dataDir: string): Promise<StoreReport["tables"]> {
  const report = await walkStore(dataDir, () => {});
  if (report === null || report.damagedTables.length > 0) throw new Error(`the store of ${dataDir} is damaged: ${JSON.stringify(report)}`);
  return report.tables;
}

export interface PrintedBackup {
  readonly archive: string;
  readonly bytes: number;
  readonly manifest: Manifest;
}

/** Names of unfinished work in a folder. */
export function unfinishedIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith(".assay-"));
}
