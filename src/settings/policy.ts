/** Policy of a pipeline: flags of `assay scan`, and the same keys in the table `[policy]` of a file. */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type StaticDecode, Type } from "@sinclair/typebox";
import { severities } from "../check/check.ts";
import { parseRepositoryPath } from "../parse/address.ts";
import { isTomlTable, type TomlDocument } from "../parse/toml.ts";
import {
  type ConfigEntry,
  ConfigError,
  decodedValue,
  defaultEntry,
  flagEntry,
  meant,
  placedError,
  readConfigFile,
  tomlDocument,
} from "./config.ts";
import { choice, file, oneOf, optional, parsed, type Setting, setting, yesNo } from "./setting.ts";

export const policySettings = {
  fail_on: setting(optional(oneOf(...severities)), {
    doc: "Exit 1 if a finding is at least so severe; notes and accepted findings do not count.",
    allowed: "critical, high, medium, low or info",
    flag: "--fail-on <severity>",
  }),
  fail_under: setting(optional(Type.Integer({ minimum: 0, maximum: 100 })), {
    doc: "Exit 1 if a score is lower, or could not be measured.",
    allowed: "a whole number from 0 to 100",
    flag: "--fail-under <score>",
  }),
  baseline: file({
    doc: "File of --write-baseline: exit 1 only for findings that are not in it, of any severity unless --fail-on names one.",
    flag: "--baseline <file>",
  }),
  accept: file({ doc: "TOML file with accepted findings, which do not fail the build.", flag: "--accept <file>" }),
  strict: yesNo({
    doc: "Count checks without a verdict as errors in JUnit files, and a page that was not measured as not scannable.",
    fallback: false,
    flag: "--strict",
  }),
  csv: choice(["findings", "checks"], {
    doc: "Lines of CSV files: one for each finding, or for each check.",
    fallback: "findings",
    flag: "--csv",
  }),
  sarif_anchor: setting(optional(parsed(parseRepositoryPath)), {
    doc: "File of the repository on which code scanning shows all findings of SARIF files.",
    allowed: "a path inside the repository without .., as in deploy/nginx.conf",
    flag: "--sarif-anchor <file>",
  }),
} as const;

export type PolicyKey = keyof typeof policySettings;
export type PolicySettings = { readonly [K in PolicyKey]: StaticDecode<(typeof policySettings)[K]["schema"]> };
export const policyKeys = Object.keys(policySettings) as readonly PolicyKey[];

export interface PolicySources {
  /** Values as typed; true for a flag without value. */
  readonly flags: { readonly [K in PolicyKey]?: string | true };
  /** File named by `--config`; null reads `assay.toml` of the current folder, or else of the data folder. */
  readonly configFile: string | null;
  readonly currentFolder: string;
  readonly dataDir: string;
}

interface LoadedPolicy {
  readonly settings: PolicySettings;
  /** File whose table `[policy]` was read; null for none. */
  readonly file: string | null;
}

const fileName = "assay.toml";
const tableName = "policy";
/** Size of an `assay.toml` in the current folder, in bytes; its seven keys need far less. */
const fileBytesMax = 64 * 1024;

/** Flags precede the file. @throws ConfigError for the first fault. */
export function loadPolicy(sources: PolicySources): LoadedPolicy {
  const found = policyFile(sources);
  const table = found?.document.table[tableName];
  const given = isTomlTable(table) ? table : {};
  const settings = policyKeys.map((key) => {
    const declared: Setting = policySettings[key];
    const typed = sources.flags[key];
    const ofFlag = typed === undefined ? null : flagEntry(key, declared, typed, sources.currentFolder);
    const ofFile = found !== null && given[key] !== undefined ? fileEntry(found, key, given[key]) : null;
    // A value that a flag overrides must be valid all the same, or its fault would appear later.
    if (ofFile !== null) decodedValue(key, declared, ofFile);
    return [key, decodedValue(key, declared, ofFlag ?? ofFile ?? defaultEntry(declared, {}, {}))] as const;
  });
  return { settings: Object.fromEntries(settings) as PolicySettings, file: table === undefined ? null : (found?.file ?? null) };
}

interface PolicyFile {
  readonly file: string;
  readonly document: TomlDocument;
}

function fileEntry({ file, document }: PolicyFile, key: string, raw: unknown): ConfigEntry {
  const { line, column } = document.positionOf([tableName, key]);
  return { raw, origin: { kind: "file", name: `${file}, line ${line}, column ${column},` }, pathBase: dirname(file) };
}

function policyFile({ configFile, currentFolder, dataDir }: PolicySources): PolicyFile | null {
  const ofOperator = resolve(configFile ?? join(dataDir, fileName));
  const local = configFile === null ? localFile(currentFolder, ofOperator) : null;
  const file = local ?? ofOperator;
  const text = readConfigFile(file, configFile === null);
  if (text === null) return null;
  const document = tomlDocument(file, text);
  const table = document.table[tableName];
  const errorAt = (at: readonly string[], reason: string) => placedError(file, document.positionOf(at), reason);
  const strayTable = local === null ? undefined : Object.keys(document.table).find((name) => name !== tableName);
  if (strayTable !== undefined) {
    const remedy = "only [policy] is read here; --config names a file with settings";
    throw errorAt([strayTable], `"${strayTable}" is not allowed: ${remedy}`);
  }
  if (table === undefined) return { file, document };
  if (!isTomlTable(table)) throw errorAt([tableName], '"policy" must be a table: [policy]');
  const strayKey = Object.keys(table).find((key) => !Object.hasOwn(policySettings, key));
  if (strayKey !== undefined) throw errorAt([tableName, strayKey], `unknown key "${strayKey}" in [policy]${meant(strayKey, policyKeys)}`);
  return { file, document };
}

/** `assay.toml` of the current folder. Every change of the repository can alter it. Null without one, or if it is the operator's. */
function localFile(folder: string, ofOperator: string): string | null {
  const file = join(folder, fileName);
  const entry = entryAt(file);
  const target = realPath(file);
  if (entry === undefined || (target !== null && target === realPath(ofOperator))) return null;
  if (!entry.isFile()) throw new ConfigError(`${file} is not a regular file; --config names a file elsewhere`);
  if (entry.size > fileBytesMax) throw new ConfigError(`${file} is larger than ${fileBytesMax / 1024} KiB`);
  return file;
}

/** Undefined for no file. Does not follow links. */
function entryAt(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function realPath(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}
