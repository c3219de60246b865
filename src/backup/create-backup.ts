/** Makes a backup beside a running server: copy, examination of the copy, archive, examination of the archive, rename. */
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { syncPath } from "../base/disk.ts";
import { withWorkFolder } from "../base/work-folder.ts";
import { schemaVersion } from "../store/migrations.ts";
import type { StoreReport } from "../store/store-walk.ts";
import {
  BackupError,
  checksName,
  chunkBytes,
  configName,
  filesMax,
  formatVersion,
  type Manifest,
  type ManifestFile,
  nameCharsMax,
  outsideName,
  readArchive,
  seedName,
  storeName,
  withPlace,
  writeArchive,
} from "./archive.ts";

/** What a server uses. */
interface BackupSource {
  readonly dataDir: string;
  /** Configuration file; null without one. */
  readonly configFile: string | null;
  /** Folder of plugins, which may be missing. */
  readonly checksDir: string;
}

/** `names`: below the folder, in a fixed order. */
type StagedFiles = Pick<Manifest, "outside"> & { readonly names: readonly string[] };

/** All plugins of a folder; they are sources, far smaller than this. */
const checksBytesMax = 64 * 1024 ** 2;

/** Copies configuration, plugins and the key for NATS into the folder. @throws BackupError; the error of the file system */
async function stageFiles({ dataDir, configFile, checksDir }: BackupSource, folder: string): Promise<StagedFiles> {
  const [ownConfig, ownChecks] = [join(dataDir, configName), join(dataDir, checksName)];
  const config = configFile !== null && !isSame(configFile, ownConfig) ? resolve(configFile) : null;
  const checks = existsSync(checksDir) && !isSame(checksDir, ownChecks) ? resolve(checksDir) : null;
  const copies = [
    ...fileAt(ownConfig, configName),
    ...fileAt(join(dataDir, seedName), seedName),
    ...sourcesBelow(ownChecks, checksName),
    ...(config === null ? [] : fileAt(config, `${outsideName}/${configName}`)),
    ...(checks === null ? [] : sourcesBelow(checks, `${outsideName}/${checksName}`)),
  ];
  if (copies.length >= filesMax)
    throw new BackupError(`the folder of plugins has more than ${filesMax} files: only sources of plugins belong there`);
  const long = copies.find(({ name }) => name.length > nameCharsMax);
  if (long !== undefined) throw new BackupError(`${long.path} has a path that is too long for a backup`);
  for (const { path, name } of copies) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    const content = await withPlace(path, "read", () => readFileSync(path));
    writeFileSync(join(folder, name), content, { flag: "wx", mode: 0o600 });
  }
  return { names: copies.map(({ name }) => name), outside: { config, checks } };
}

interface FileCopy {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

function fileAt(path: string, name: string): readonly FileCopy[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? [{ path, name, bytes: stats.size }] : [];
}

/** Follows links to files, as volumes of Kubernetes have them, but not to folders. Hidden files and folders are not plugins. */
function sourcesBelow(folder: string, name: string): readonly FileCopy[] {
  const found: FileCopy[] = [];
  const pending = existsSync(folder) ? [{ folder, name }] : [];
  for (let at = pending.pop(); at !== undefined && found.length < filesMax; at = pending.pop()) {
    for (const entry of readdirSync(at.folder, { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      const inner = { folder: join(at.folder, entry.name), name: `${at.name}/${entry.name}` };
      if (entry.isDirectory()) pending.push(inner);
      else found.push(...fileAt(inner.folder, inner.name));
    }
  }
  if (found.reduce((sum, { bytes }) => sum + bytes, 0) > checksBytesMax)
    throw new BackupError(`${folder} has more than ${checksBytesMax / 1024 ** 2} MiB: only sources of plugins belong there`);
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isSame(one: string, other: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : join(resolve(dirname(path)), basename(path)));
  return real(one) === real(other);
}

/** Folder beside the result, in which a backup is made or verified. */
export const workFolderPrefix = ".assay-backup-";

/** Work on stores, which runs in child processes: a damaged page or a hanging disk ends them alone. */
export interface StoreTools {
  /** Copies the store of a data directory into another one, which exists and has space for it. @throws BackupError, DataDirError */
  readonly copy: (dataDir: string, into: string, stop: AbortSignal) => Promise<void>;
  /** Reads every row. @throws BackupError for a damaged store, and without one */
  readonly inspect: (dataDir: string, stop: AbortSignal) => Promise<StoreReport>;
}

interface BackupOptions extends BackupSource {
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
    return withWorkFolder(folder, workFolderPrefix, (work) => createIn(work, options));
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
  const { schema } = report;
  if (schema === null) throw new BackupError(`the store of ${dataDir} has no version number: start "assay serve" once`);
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
  syncPath(dirname(archive));
  return { archive, bytes: statSync(archive).size, manifest };
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
