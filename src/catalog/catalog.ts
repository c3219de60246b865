/** The catalog: all checks of this process, built-in and plugins, as plain data. */
import { createHash } from "node:crypto";
import { builtInChecks } from "../../checks/index.ts";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts, Locale } from "../check/check.ts";
import type { AnyCheck, CheckDefinition } from "../check/registry.ts";
import type { ResultBasis } from "../judge/result.ts";
import type { TextPosition } from "../parse/text.ts";
import { CatalogError, faultOfFile, type PluginFault } from "./fault.ts";
import { faultsOfCheck } from "./validate.ts";

const versionChars = 16;

/** The file of a plugin check. */
export interface PluginFile {
  /** Absolute. */
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal digits, as sha256sum prints it. */
  readonly sha256: string;
  /** SHA-256 over the file and all files that it imports: decides whether a reload changed the check. */
  readonly digest: string;
}

/** Source texts of the plugins, as they were read and validated. Threads judge with them even if the files change. */
export interface PluginSnapshot {
  /** Paths of the check files, in name order. */
  readonly entries: readonly string[];
  /** Source text of each file by path, shared files included. */
  readonly modules: Readonly<Record<string, string>>;
  /** Hash of the code of each check, by key. */
  readonly digests: Readonly<Record<string, string>>;
}

export interface Catalog {
  /** Sorted by key. */
  readonly checks: readonly CheckDefinition[];
  /** Hash of (key, weight, findings) of all checks, without references such as `cwe`. Scores are comparable only with equal versions. */
  readonly version: string;
  readonly texts: { readonly [L in Locale]: Readonly<Record<string, CheckTexts>> };
  /** Plugin files by check key. */
  readonly pluginFiles: Readonly<Record<string, PluginFile>>;
  /** Unknown keys of plugins. They have no effect. */
  readonly warnings: readonly PluginFault[];
  /** Snapshot of the plugins; null without plugins. */
  readonly snapshot: PluginSnapshot | null;
}

/** Data that a judging thread needs. */
export interface JudgingCatalog {
  readonly checks: readonly AnyCheck[];
  readonly version: string;
  /** As in the basis of results. */
  readonly plugins?: ResultBasis["plugins"];
}

interface BuiltInCatalog extends Catalog, JudgingCatalog {
  readonly checks: readonly AnyCheck[];
}

/** A plugin check as its thread returns it: plain data. */
export interface LoadedPlugin {
  readonly file: PluginFile;
  readonly definition: CheckDefinition & { readonly texts: Readonly<Record<Locale, CheckTexts>> };
  /** Positions of the codes in the file; null where not found. */
  readonly codePlaces: Readonly<Record<string, TextPosition | null>>;
  readonly unknownKeys: readonly PluginFault[];
}

const builtInTexts: Record<Locale, Record<string, CheckTexts>> = { "en-gb": enGb.checks, "de-de": deDe.checks };

let builtIn: BuiltInCatalog | null = null;

/** The catalog without plugins. @throws CatalogError if a built-in check breaks the contract. */
export function builtInCatalog(): BuiltInCatalog {
  builtIn ??= loadBuiltIn();
  return builtIn;
}

function loadBuiltIn(): BuiltInCatalog {
  const faults = builtInChecks.flatMap((check) => {
    const texts = { "en-gb": builtInTexts["en-gb"][check.key], "de-de": builtInTexts["de-de"][check.key] };
    return faultsOfCheck(check, texts).map(({ reason }) => faultOfFile(`"${check.key}"`, reason));
  });
  if (faults.length > 0) throw new CatalogError(faults);
  return Object.freeze({
    checks: builtInChecks,
    version: versionOf(builtInChecks),
    texts: builtInTexts,
    pluginFiles: {},
    warnings: [],
    snapshot: null,
  });
}

/** The built-in checks and the plugins, whose keys differ. */
export function catalogWith(plugins: readonly LoadedPlugin[], snapshot: PluginSnapshot): Catalog {
  const { checks: own, texts } = builtInCatalog();
  const checks = inKeyOrder([...own, ...plugins.map(({ definition }) => definition)]);
  const textsIn = (locale: Locale) => {
    return { ...texts[locale], ...Object.fromEntries(plugins.map(({ definition: { key, texts } }) => [key, texts[locale]])) };
  };
  return Object.freeze({
    checks,
    version: versionOf(checks),
    texts: { "en-gb": textsIn("en-gb"), "de-de": textsIn("de-de") },
    pluginFiles: Object.fromEntries(plugins.map(({ definition: { key }, file }) => [key, file])),
    warnings: plugins.flatMap(({ unknownKeys }) => unknownKeys),
    snapshot,
  });
}

function inKeyOrder<C extends Pick<CheckDefinition, "key">>(checks: readonly C[]): readonly C[] {
  return checks.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

function versionOf(checks: readonly CheckDefinition[]): string {
  const rules = checks.map(({ key, weight, findings }) => [key, weight, findings]);
  const ofRules = JSON.stringify(rules, (name, value) => (name === "cwe" ? undefined : value));
  return createHash("sha256").update(ofRules).digest("hex").slice(0, versionChars);
}
