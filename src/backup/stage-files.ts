/** Files of a backup besides the store, copied so that they no longer change. */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { BackupError, withPlace } from "./backup-error.ts";
import { checksName, configName, filesMax, nameCharsMax, outsideName, seedName } from "./manifest.ts";

/** What a server uses. */
export interface BackupSource {
  readonly dataDir: string;
  /** Configuration file; null without one. */
  readonly configFile: string | null;
  /** Folder of plugins, which may be missing. */
  readonly checksDir: string;
}

export interface StagedFiles {
  /** In a fixed order, below the folder. */
  readonly names: readonly string[];
  readonly outside: { readonly config: string | null; readonly checks: string | null };
}

/** All plugins of a folder; they are sources, far smaller than this. */
const checksBytesMax = 64 * 1024 ** 2;

/** Copies configuration, plugins and the key for NATS into the folder. @throws BackupError; the error of the file system */
export async function stageFiles({ dataDir, configFile, checksDir }: BackupSource, folder: string): Promise<StagedFiles> {
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

/** Follows links to files, as volumes of Kubernetes have them, but not to folders. Hidden files and folders are no plugins. */
function sourcesBelow(folder: string, name: string): readonly FileCopy[] {
  const found: FileCopy[] = [];
  const pending = existsSync(folder) ? [{ folder, name }] : [];
  let bytes = 0;
  for (let at = pending.pop(); at !== undefined && found.length < filesMax; at = pending.pop()) {
    for (const entry of readdirSync(at.folder, { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      const inner = { folder: join(at.folder, entry.name), name: `${at.name}/${entry.name}` };
      if (entry.isDirectory()) pending.push(inner);
      else found.push(...fileAt(inner.folder, inner.name));
    }
  }
  for (const file of found) bytes += file.bytes;
  if (bytes > checksBytesMax)
    throw new BackupError(`${folder} has more than ${checksBytesMax / 1024 ** 2} MiB: only sources of plugins belong there`);
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isSame(one: string, other: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : join(resolve(dirname(path)), basename(path)));
  return real(one) === real(other);
}
