/** The compiled program under test, alone in an empty folder, and the browser that it unpacks. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// reads: node_modules/
/** From the environment only, so that no test uses a stale binary by accident. */
export const compiledBinary: string | null = process.env.TEST_BINARY === undefined ? null : resolve(process.env.TEST_BINARY);

/** Folder of the unpacked browser, shared by all tests: unpacking takes four seconds of processor time. */
export const browserDir = resolve(import.meta.dirname, "../../node_modules/.cache/assay-browser");

/** Part of the suite's name, which shows the reason in the test output. */
export const skippedNote = compiledBinary === null ? " (skipped: TEST_BINARY names no compiled program)" : "";

export interface Installed {
  readonly folder: string;
  readonly binary: string;
  remove(): void;
}

/** Copies only the binary to a new folder. */
export function install(): Installed {
  if (compiledBinary === null) throw new Error("TEST_BINARY is not set");
  const folder = mkdtempSync(join(tmpdir(), "assay-installed-"));
  const binary = join(folder, "assay");
  copyFileSync(compiledBinary, binary);
  return { folder, binary, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
