/** Finds the checks of an author and their tests. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { tryOr } from "../base/try-or.ts";
import { isCheckFileName } from "../catalog/load.ts";

/** A check and its test, as absolute paths. */
export interface AuthoredCheck {
  readonly key: string;
  readonly checkFile: string;
  /** Null without such a file. */
  readonly testFile: string | null;
}

const testEnding = /\.test(\.[tj]s)$/;

/** Checks of a folder; if it has none, those that `assay checks new` wrote into it, as `KEY/KEY.ts`; the check of a file, or of its test. */
export function authoredChecksAt(path: string): readonly AuthoredCheck[] {
  const place = resolve(path);
  if (!existsSync(place)) return [];
  if (!statSync(place).isDirectory()) {
    const [checkFile] = [place.replace(testEnding, "$1"), place.replace(testEnding, ".ts"), place.replace(testEnding, ".js")].filter(
      existsSync,
    );
    return checkFile === undefined || !isCheckFileName(basename(checkFile)) ? [] : [authoredCheck(checkFile)];
  }
  const own = checksIn(place);
  if (own.length > 0) return own;
  // Other folders hold other programs, whose code was not meant to run.
  return foldersIn(place).flatMap((folder) => checksIn(folder).filter(({ key }) => key === basename(folder)));
}

function foldersIn(place: string): readonly string[] {
  const entries = tryOr(() => readdirSync(place, { withFileTypes: true }), []);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  return folders.map(({ name }) => join(place, name)).sort();
}

/** Empty for a folder that cannot be read. */
function checksIn(folder: string): readonly AuthoredCheck[] {
  const names = tryOr(() => readdirSync(folder), []).filter(isCheckFileName);
  return names.sort().map((name) => authoredCheck(join(folder, name)));
}

function authoredCheck(checkFile: string): AuthoredCheck {
  const key = basename(checkFile).replace(/\.[tj]s$/, "");
  const [testFile = null] = ["ts", "js"].map((ending) => join(dirname(checkFile), `${key}.test.${ending}`)).filter(existsSync);
  return { key, checkFile, testFile };
}
