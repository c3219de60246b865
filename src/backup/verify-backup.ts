/** Proves that an archive could be restored, by unpacking it. */
import { openWorkFolder } from "../base/work-folder.ts";
import { withPlace } from "./backup-error.ts";
import { workFolderPrefix } from "./create-backup.ts";
import type { Manifest } from "./manifest.ts";
import { type UnpackOptions, unpackBackup } from "./unpack-backup.ts";

/** `folder`: where the store is unpacked meanwhile. @throws BackupError; the error of `stop` */
export async function verifyBackup(folder: string, options: UnpackOptions): Promise<Manifest> {
  return withPlace(folder, "written", async () => {
    const work = openWorkFolder(folder, workFolderPrefix);
    try {
      return await unpackBackup(work.path, options);
    } finally {
      work.remove();
    }
  });
}
