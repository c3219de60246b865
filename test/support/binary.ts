/** The compiled program that tests are asked to try, alone in an empty folder. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Named from outside, so that a stale binary is never tested by accident. */
export const compiledBinary: string | null = process.env.TEST_BINARY === undefined ? null : resolve(process.env.TEST_BINARY);

/** Stands in the name of a suite, where a reader of the test's output looks for the reason. */
export const whySkipped = compiledBinary === null ? " (skipped: TEST_BINARY names no compiled program)" : "";

export interface Installed {
  readonly folder: string;
  readonly binary: string;
  remove(): void;
}

/** Copies the binary, and nothing else, to a folder of its own. */
export function install(): Installed {
  if (compiledBinary === null) throw new Error("TEST_BINARY is not set");
  const folder = mkdtempSync(join(tmpdir(), "assay-installed-"));
  const binary = join(folder, "assay");
  copyFileSync(compiledBinary, binary);
  return { folder, binary, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
