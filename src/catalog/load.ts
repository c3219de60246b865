/** Loads, validates and freezes all checks of this process, built-in and plugin. */
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { plugin } from "bun";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import "../../checks/index.ts";
import type { CheckTexts, Locale } from "../check/check.ts";
import * as checkApi from "../check/index.ts";
import * as parserApi from "../check/parsers.ts";
import { type AnyCheck, closeRegistry, registeredKeys } from "../check/registry.ts";
import { unknownKeysOf } from "./unknown-keys.ts";
import { faultsBetweenChecks, faultsOfCheck } from "./validate.ts";

/** More files than anyone writes by hand; more indicate the wrong folder. */
const pluginFilesMax = 500;
const versionChars = 16;

export interface Catalog {
  readonly checks: readonly AnyCheck[];
  /** Hash of (key, weight, findings) of all checks, without references such as `cwe`. Scores are comparable only with equal versions. */
  readonly version: string;
  readonly texts: { readonly [L in Locale]: Readonly<Record<string, CheckTexts>> };
  readonly pluginFiles: Readonly<Record<string, string>>;
  /** Unknown keys of plugins, one sentence each with the file. They have no effect. */
  readonly warnings: readonly string[];
}

/** Check file that cannot be used. The message is one sentence with file and reason. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}

const builtInTexts: Record<Locale, Record<string, CheckTexts>> = { "en-gb": enGb.checks, "de-de": deDe.checks };

/**
 * Loads the built-in checks, then the check files of `checksDir` in name order; a missing folder counts as empty. Call once per thread: the
 * registry is closed afterwards.
 * @throws CatalogError if a check breaks the contract.
 */
export async function loadCatalog({ checksDir }: { readonly checksDir: string | null }): Promise<Catalog> {
  const pluginFiles = checksDir === null ? {} : await importPlugins(resolve(checksDir));
  const checks = closeRegistry();
  const texts = { "en-gb": { ...builtInTexts["en-gb"] }, "de-de": { ...builtInTexts["de-de"] } };
  const warnings: string[] = [];
  for (const check of checks) {
    const file = pluginFiles[check.key];
    const unknownKeys = file === undefined ? [] : unknownKeysOf(check);
    const own = file === undefined ? textsOfBuiltIn(check.key) : { "en-gb": check.texts?.["en-gb"], "de-de": check.texts?.["de-de"] };
    const [fault] = faultsOfCheck(check, own);
    // A misspelt key is often the cause of a missing one.
    if (fault !== undefined) throw new CatalogError(`check ${file ?? `"${check.key}"`}: ${[fault, ...unknownKeys].join("; ")}`);
    warnings.push(...unknownKeys.map((unknown) => `check ${file}: ${unknown}`));
    for (const locale of ["en-gb", "de-de"] as const) texts[locale][check.key] = own[locale] as CheckTexts;
  }
  const [conflict] = faultsBetweenChecks(checks);
  if (conflict !== undefined) throw new CatalogError(`checks conflict: ${conflict}`);
  return Object.freeze({ checks, version: versionOf(checks), texts, pluginFiles, warnings });
}

function textsOfBuiltIn(key: string) {
  return { "en-gb": builtInTexts["en-gb"][key], "de-de": builtInTexts["de-de"][key] };
}

async function importPlugins(dir: string): Promise<Record<string, string>> {
  const files = checkFilesOf(dir);
  if (files.length === 0) return {};
  assertNotWorldWritable(dir, `checks folder ${dir}`);
  installPluginApi();
  const pluginFiles: Record<string, string> = {};
  for (const name of files) {
    const file = join(dir, name);
    const before = registeredKeys().length;
    assertNotWorldWritable(file, `check ${file}`);
    try {
      await import(file);
    } catch (error) {
      throw new CatalogError(`check ${file}: ${reasonOf(error)}`);
    }
    const keys = registeredKeys().slice(before);
    const key = name.replace(/\.[tj]s$/, "");
    if (keys.length !== 1) throw new CatalogError(`check ${file}: must register exactly one check, but registered ${keys.length}`);
    if (keys[0] !== key) throw new CatalogError(`check ${file}: its key is "${keys[0]}", but must equal the file name, "${key}"`);
    pluginFiles[key] = file;
  }
  return pluginFiles;
}

const pluginModules: Readonly<Record<string, object>> = { "assay/check": checkApi, "assay/check/parsers": parserApi };
let isPluginApiInstalled = false;

/** Resolves these imports to modules of this process, so that plugins use its registry. Works in every thread and in the compiled binary. */
function installPluginApi(): void {
  if (isPluginApiInstalled) return;
  isPluginApiInstalled = true;
  plugin({
    name: "assay/check",
    setup(build) {
      for (const [name, exports] of Object.entries(pluginModules))
        build.module(name, () => ({ exports: { ...exports }, loader: "object" }));
    },
  });
}

/** Syntax errors come as a list, each with its position. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { message, position } = first as Partial<BuildMessage>;
  if (message === undefined) return String(first);
  return position ? `line ${position.line}, column ${position.column}: ${message}` : message;
}

/** @throws CatalogError for a world-writable file or folder. */
function assertNotWorldWritable(path: string, label: string): void {
  if ((statSync(path).mode & 0o002) !== 0)
    throw new CatalogError(`${label}: any user may write to it, but its code runs with this process's rights; run chmod o-w`);
}

/** Excludes names with a leading `_` (shared code of authors) and `.d.ts` files. */
function checkFilesOf(dir: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CatalogError(`checks folder ${dir} cannot be read: ${(error as Error).message}`);
  }
  const files = names.filter((name) => /\.[tj]s$/.test(name) && !name.endsWith(".d.ts") && !name.startsWith("_")).sort();
  if (files.length > pluginFilesMax)
    throw new CatalogError(`checks folder ${dir} has ${files.length} files; at most ${pluginFilesMax} are loaded`);
  return files;
}

function versionOf(checks: readonly AnyCheck[]): string {
  const rules = checks.map(({ key, weight, findings }) => [key, weight, findings]);
  const ofRules = JSON.stringify(rules, (name, value) => (name === "cwe" ? undefined : value));
  return createHash("sha256").update(ofRules).digest("hex").slice(0, versionChars);
}
