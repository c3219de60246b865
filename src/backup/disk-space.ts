/** Free space on the disk of a backup. A part is left to the server, whose store may be on the same disk. */
import { statfsSync } from "node:fs";
import { BackupError } from "./backup-error.ts";

/** Left free: 128 MiB, on a small disk a twentieth of it. */
const keptBytesMax = 128 * 1024 ** 2;
const keptShare = 1 / 20;
const bytesPerMegabyte = 1_000_000;

/** @throws BackupError unless the disk of this folder can take so many bytes. */
export function assertSpace(folder: string, bytes: number): void {
  const { free, kept } = spaceOf(folder);
  if (free - kept >= bytes) return;
  const [has, needs] = [free, bytes + kept].map((amount) => (Math.max(0, amount) / bytesPerMegabyte).toFixed(1));
  throw new BackupError(`the disk of ${folder} has no room: ${has} MB are free, and ${needs} MB are needed`);
}

function spaceOf(folder: string): { readonly free: number; readonly kept: number } {
  // Blocks reserved for root are not available to the server.
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, kept: Math.min(keptBytesMax, Math.floor(blocks * bsize * keptShare)) };
}
