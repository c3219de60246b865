/** fsync of folders. */
import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes new and removed names of a folder durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
