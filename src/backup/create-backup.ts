/** Makes a backup beside a running server: copy, examination of the copy, archive, examination of the archive, rename. */
import { createReadStream, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../base/sync-folder.ts";
import { openWorkFolder } from "../base/work-folder.ts";
import { schemaVersion } from "../store/migrations.ts";
import type { StoreReport } from "../store/store-walk.ts";
import { BackupError, withPlace } from "./backup-error.ts";
import { formatVersion, type Manifest, type ManifestFile, storeName } from "./manifest.ts";
import { readArchive } from "./read-archive.ts";
import { type BackupSource, stageFiles } from "./stage-files.ts";
import { writeArchive } from "./write-archive.ts";

/** Folder beside the result, in which a backup is made or verified. */
export const workFolderPrefix = ".assay-backup-";
const chunkBytes = 1024 ** 2;

/** Work on stores, which runs in child processes: a damaged page or a hanging disk ends them alone. */
export interface StoreTools {
  /** Copies the store of a data directory into another one, which exists and has space for it. @throws BackupError, DataDirError */
  readonly copy: (dataDir: string, into: string, stop: AbortSignal) => Promise<void>;
  /** Reads every row. @throws BackupError for a damaged store, and without one */
  readonly inspect: (dataDir: string, stop: AbortSignal) => Promise<StoreReport>;
}

export interface BackupOptions extends BackupSource {
  /** Path of the archive; its folder exists, and it does not. */
  readonly archive: string;
  /** Release that makes it. */
  readonly version: string;
  readonly createdAt: Date;
  readonly tools: StoreTools;
  readonly stop: AbortSignal;
}

export interface MadeBackup {
  readonly archive: string;
  readonly bytes: number;
  readonly manifest: Manifest;
}

/** Under its name there is a whole and verified archive, or none. @throws BackupError, DataDirError; the error of `stop` */
export async function createBackup(options: BackupOptions): Promise<MadeBackup> {
  const { archive } = options;
  const folder = dirname(archive);
  return withPlace(folder, "written", async () => {
    if (existsSync(archive)) throw new BackupError(`${archive} exists already; name another file, or remove it`);
    const work = openWorkFolder(folder, workFolderPrefix);
    try {
      return await createIn(work.path, options);
    } finally {
      work.remove();
    }
  });
}

async function createIn(work: string, options: BackupOptions): Promise<MadeBackup> {
  const { archive, dataDir, version, createdAt, tools, stop } = options;
  const staged = join(work, "files");
  mkdirSync(staged, { mode: 0o700 });
  await tools.copy(dataDir, staged, stop);
  const report = await tools.inspect(staged, stop);
  const { names, outside } = await stageFiles(options, staged);
  const files: ManifestFile[] = [];
  for (const name of [storeName, ...names]) files.push(await manifestFile(staged, name, stop));
  const schema = schemaOf(report, dataDir);
  const manifest: Manifest = {
    format: "assay-backup",
    formatVersion,
    assay: version,
    createdAt: createdAt.toISOString(),
    schema,
    // Rows of an older schema have other shapes; its migration reads them.
    tables: report.tables.map(({ lost, ...table }) => ({ ...table, lost: schema === schemaVersion ? lost : 0 })),
    files,
    outside,
  };
  const unfinished = join(work, "archive");
  await writeArchive(unfinished, { manifest, folder: staged, stop });
  await readArchive(unfinished, { stop });
  stop.throwIfAborted();
  renameSync(unfinished, archive);
  syncFolder(dirname(archive));
  return { archive, bytes: statSync(archive).size, manifest };
}

function schemaOf({ schema }: StoreReport, dataDir: string): number {
  if (schema === null) throw new BackupError(`the store of ${dataDir} has no version number: start "assay serve" once`);
  return schema;
}

async function manifestFile(folder: string, name: string, stop: AbortSignal): Promise<ManifestFile> {
  const hash = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(join(folder, name), { highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>) {
    stop.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { name, bytes, sha256: hash.digest("hex") };
}
