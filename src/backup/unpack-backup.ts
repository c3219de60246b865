/** Unpacks an archive into an empty folder, and compares the store with what was counted when the backup was made. */
import { mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../base/sync-folder.ts";
import { schemaVersion } from "../store/migrations.ts";
import type { StoreReport } from "../store/store-walk.ts";
import { BackupError, withPlace } from "./backup-error.ts";
import type { StoreTools } from "./create-backup.ts";
import { assertSpace } from "./disk-space.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import { type FileSink, readArchive } from "./read-archive.ts";

const fileMode = 0o600;
const folderMode = 0o700;

export interface UnpackOptions {
  readonly archive: string;
  readonly tools: Pick<StoreTools, "inspect">;
  readonly stop: AbortSignal;
}

/** The files are on disk when the promise resolves. @throws BackupError; the error of `stop` */
export async function unpackBackup(into: string, { archive, tools, stop }: UnpackOptions): Promise<Manifest> {
  const manifest = await readArchive(archive, {
    stop,
    onManifest: ({ schema, files }) => {
      if (schema > schemaVersion)
        throw new BackupError(`${archive} was made by a newer assay (schema ${schema}, this one knows ${schemaVersion}); use that version`);
      assertSpace(
        into,
        files.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    },
    openFile: (file) => openFile(into, file),
  });
  for (const folder of new Set(manifest.files.map(({ name }) => dirname(join(into, name))))) syncFolder(folder);
  assertEqual(archive, manifest, await tools.inspect(into, stop));
  return manifest;
}

async function openFile(into: string, { name }: ManifestFile): Promise<FileSink> {
  const path = join(into, name);
  const write = <T>(action: () => Promise<T> | T) => withPlace(path, "written", action);
  const file = await write(() => {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode });
    return open(path, "wx", fileMode);
  });
  return {
    write: (chunk) => write(() => file.writeFile(chunk)),
    close: () =>
      write(async () => {
        try {
          await file.sync();
        } finally {
          await file.close();
        }
      }),
  };
}

/** The sums of the files prove the archive; this proves the store in it. */
function assertEqual(archive: string, { schema, tables }: Manifest, report: StoreReport): void {
  const found = new Map(report.tables.map((table) => [table.table, table]));
  const wrong = tables.find(({ table, rows, sha256 }) => {
    const inStore = found.get(table);
    // An empty table of another release may be unknown to this one.
    return inStore === undefined ? rows > 0 : inStore.rows !== rows || inStore.sha256 !== sha256;
  });
  if (wrong !== undefined)
    throw new BackupError(`${archive} is damaged: the rows of its table ${wrong.table} are not those of its manifest`);
  if (report.schema !== schema) throw new BackupError(`${archive} is damaged: its store has not the schema of its manifest`);
}
