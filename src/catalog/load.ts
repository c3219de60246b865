/** Collects all checks of this process, built-in and dropped-in, validates them and freezes them. */
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import "../../checks/index.ts";
import type { CheckTexts, Locale } from "../check/check.ts";
import { type AnyCheck, closeRegistry, registeredKeys } from "../check/registry.ts";
import { installPluginApi } from "./plugin-api.ts";
import { faultsBetweenChecks, faultsOfCheck } from "./validate.ts";

/** More files than anybody writes by hand: a folder with more is the wrong folder. */
const droppedInFilesMax = 500;
/** Hex characters kept of the catalog's hash. */
const versionChars = 16;

export interface Catalog {
  /** Sorted by key. */
  readonly checks: readonly AnyCheck[];
  /** Hash of (key, weight, findings) of all checks; two scores compare only when it is equal. */
  readonly version: string;
  readonly texts: { readonly [L in Locale]: Readonly<Record<string, CheckTexts>> };
  /** Files that came from beside the binary, by check key. */
  readonly droppedIn: Readonly<Record<string, string>>;
}

/** A check file cannot be used. The message is one sentence that names the file and the reason. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}

const builtInTexts: Record<Locale, Record<string, CheckTexts>> = { "en-gb": enGb.checks, "de-de": deDe.checks };

/**
 * Built-in checks, then each check file of `checksDir` in name order. A folder that does not exist is an empty one.
 * Once per thread: no check can register afterwards.
 * @throws CatalogError when any check breaks the contract.
 */
export async function loadCatalog({ checksDir }: { readonly checksDir: string | null }): Promise<Catalog> {
  const droppedIn = checksDir === null ? {} : await importDroppedIn(resolve(checksDir));
  const checks = closeRegistry();
  const texts = { "en-gb": { ...builtInTexts["en-gb"] }, "de-de": { ...builtInTexts["de-de"] } };
  for (const check of checks) {
    const file = droppedIn[check.key];
    const own = file === undefined ? textsOfBuiltIn(check.key) : { "en-gb": check.texts?.["en-gb"], "de-de": check.texts?.["de-de"] };
    const [fault] = faultsOfCheck(check, own);
    if (fault !== undefined) throw new CatalogError(`check ${file ?? `"${check.key}"`}: ${fault}`);
    for (const locale of ["en-gb", "de-de"] as const) texts[locale][check.key] = own[locale] as CheckTexts;
  }
  const [clash] = faultsBetweenChecks(checks);
  if (clash !== undefined) throw new CatalogError(`checks do not fit together: ${clash}`);
  return Object.freeze({ checks, version: versionOf(checks), texts, droppedIn });
}

function textsOfBuiltIn(key: string) {
  return { "en-gb": builtInTexts["en-gb"][key], "de-de": builtInTexts["de-de"][key] };
}

async function importDroppedIn(dir: string): Promise<Record<string, string>> {
  const files = checkFilesOf(dir);
  if (files.length === 0) return {};
  refuseIfOpenToAll(dir, `checks folder ${dir}`);
  installPluginApi();
  const droppedIn: Record<string, string> = {};
  for (const name of files) {
    const file = join(dir, name);
    const before = registeredKeys().length;
    refuseIfOpenToAll(file, `check ${file}`);
    try {
      await import(file);
    } catch (error) {
      throw new CatalogError(`check ${file}: ${reasonOf(error)}`);
    }
    const keys = registeredKeys().slice(before);
    const key = name.replace(/\.[tj]s$/, "");
    if (keys.length !== 1) throw new CatalogError(`check ${file}: it must register exactly one check, and registered ${keys.length}`);
    if (keys[0] !== key) throw new CatalogError(`check ${file}: its key is "${keys[0]}", but a check's key is its file name, "${key}"`);
    droppedIn[key] = file;
  }
  return droppedIn;
}

/** A file that cannot be parsed brings its errors, each with its place, in a list. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { message, position } = first as Partial<BuildMessage>;
  if (message === undefined) return String(first);
  return position ? `line ${position.line}, column ${position.column}: ${message}` : message;
}

/** @throws CatalogError for a file that everybody may change, and for a folder to which everybody may add one. */
function refuseIfOpenToAll(path: string, words: string): void {
  if ((statSync(path).mode & 0o002) !== 0)
    throw new CatalogError(`${words}: everybody may write to it, and what it holds runs with this process's rights; chmod o-w`);
}

/** Names that begin with `_` are left to the author's shared code, `.d.ts` to editors. */
function checkFilesOf(dir: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CatalogError(`checks folder ${dir} cannot be read: ${(error as Error).message}`);
  }
  const files = names.filter((name) => /\.[tj]s$/.test(name) && !name.endsWith(".d.ts") && !name.startsWith("_")).sort();
  if (files.length > droppedInFilesMax)
    throw new CatalogError(`checks folder ${dir} holds ${files.length} files; at most ${droppedInFilesMax} are loaded`);
  return files;
}

function versionOf(checks: readonly AnyCheck[]): string {
  const rules = checks.map(({ key, weight, findings }) => [key, weight, findings]);
  return createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, versionChars);
}
