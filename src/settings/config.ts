/** Configuration from flags, environment, a TOML file and defaults, with the origin of each value. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { nearest } from "../parse/text.ts";
import { isTomlTable, parseTomlDocument, type TomlDocument, type TomlTable } from "../parse/toml.ts";
import { mailSettingsFault } from "./services.ts";
import type { Environment, Setting } from "./setting.ts";
import { type Config, type SettingKey, settingKeys, settings } from "./settings.ts";

export interface ConfigSources {
  readonly flags: { readonly [K in SettingKey]?: string | readonly string[] };
  readonly env: Environment;
  /** File named by `--config`; it must exist. Null reads `<data>/assay.toml` if that exists. */
  readonly configFile: string | null;
}

/** A setting is unknown or invalid. The message is one sentence with key, value, allowed values and origin. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Origin of a value. `name` is the flag, the environment variable or the path of the file. */
export type Origin =
  | { readonly kind: "flag" | "variable" | "file"; readonly name: string }
  | { readonly kind: "default"; readonly name: null };

export interface LoadedConfig {
  readonly config: Config;
  /** Path of the file that was read; null without one. */
  readonly configFile: string | null;
  readonly origins: { readonly [K in SettingKey]: Origin };
}

/** Precedence: flags, environment, file, default. @throws ConfigError for the first fault. */
export function loadConfig(sources: ConfigSources): Config {
  return loadConfigWithOrigins(sources).config;
}

/** As `loadConfig`, with the origin of each value. @throws ConfigError */
export function loadConfigWithOrigins({ flags, env, configFile }: ConfigSources): LoadedConfig {
  const typed: Layer[] = [flagLayer(flags), environmentLayer(env)];
  const inData = configFile === null;
  const file = resolve(configFile ?? join(settled("data", typed, env, {}) as string, "assay.toml"));
  const text = readConfigFile(file, inData);
  const layers = text === null ? typed : [...typed, fileLayer(file, text, inData)];
  const config: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const key of settingKeys) {
    config[key] = settled(key, layers, env, config);
    origins[key] = entryOf(key, layers)?.origin ?? noOrigin;
  }
  const complete = Object.freeze(config) as unknown as Config;
  const fault = mailSettingsFault(complete);
  if (fault !== null) throw new ConfigError(fault);
  return Object.freeze({
    config: complete,
    configFile: text === null ? null : file,
    origins: Object.freeze(origins) as LoadedConfig["origins"],
  });
}

/** Environment variable of a setting: `scan.timeout` is ASSAY_SCAN_TIMEOUT. */
export function environmentName(key: string): string {
  return `ASSAY_${key.toUpperCase().replaceAll(".", "_")}`;
}

/** A value as it was given, before its schema is applied. */
export interface ConfigEntry {
  readonly raw: unknown;
  readonly origin: Origin;
  readonly pathBase: string;
}

type Layer = Readonly<Record<string, ConfigEntry>>;

const noOrigin: Origin = { kind: "default", name: null };

function flagLayer(flags: ConfigSources["flags"]): Layer {
  const present = Object.entries(flags).filter(([, value]) => value !== undefined) as [SettingKey, string | readonly string[]][];
  return Object.fromEntries(present.map(([key, value]) => [key, flagEntry(key, settings[key], value, process.cwd())]));
}

/** `typed`: true for a flag without value. */
export function flagEntry(key: string, setting: Setting, typed: string | readonly string[] | true, pathBase: string): ConfigEntry {
  const raw = typed === true ? typed : fromText(setting, typed);
  return { raw, origin: { kind: "flag", name: setting.flag?.split(" ")[0] ?? key }, pathBase };
}

export function defaultEntry({ fallback }: Setting, env: Environment, earlier: Partial<Config>): ConfigEntry {
  return { raw: fallback(env, earlier), origin: noOrigin, pathBase: process.cwd() };
}

/** Variables that Kubernetes and Docker set for a service named "assay"; they are not settings. */
const serviceLink = /^ASSAY_(SERVICE_(HOST|PORT)|PORT$|PORT_\d+_)/;
/** API token of `assay scan --server`: no setting, since a file of settings must not hold it. */
export const tokenVariable = "ASSAY_TOKEN";

function environmentLayer(env: Environment): Layer {
  const names = new Map(settingKeys.map((key) => [environmentName(key), key]));
  const layer: Record<string, ConfigEntry> = {};
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("ASSAY_") || name === tokenVariable || serviceLink.test(name)) continue;
    const key = names.get(name);
    if (key === undefined) throw new ConfigError(`unknown setting ${name} in the environment${meant(name, [...names.keys()])}`);
    // Compose files write an unset variable as an empty one.
    if (text !== undefined && text !== "")
      layer[key] = { raw: fromText(settings[key], text), origin: { kind: "variable", name }, pathBase: process.cwd() };
  }
  return layer;
}

function fileLayer(file: string, text: string, inData: boolean): Layer {
  const layer: Record<string, ConfigEntry> = {};
  for (const [key, raw] of flattened(withoutPolicy(tomlDocument(file, text).table))) {
    if (!Object.hasOwn(settings, key)) throw new ConfigError(`unknown setting ${key} in ${file}${meant(key, settingKeys)}`);
    if (inData && key === "data")
      throw new ConfigError(`data in ${file} would change the folder of the file itself; set it by --data or ASSAY_DATA`);
    layer[key] = { raw, origin: { kind: "file", name: file }, pathBase: dirname(file) };
  }
  return layer;
}

/** Null if an optional file is absent. @throws ConfigError */
export function readConfigFile(file: string, mayBeAbsent: boolean): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayBeAbsent && (code === "ENOENT" || code === "ENOTDIR")) return null;
    throw new ConfigError(`configuration file ${file} cannot be read (${code})`);
  }
}

/** @throws ConfigError with line and column. */
export function tomlDocument(file: string, text: string): TomlDocument {
  const document = parseTomlDocument(text);
  if (!("fault" in document)) return document;
  throw placedError(file, document.fault, document.fault.reason);
}

export function placedError(file: string, { line, column }: ReturnType<TomlDocument["positionOf"]>, reason: string): ConfigError {
  return new ConfigError(`${file}, line ${line}, column ${column}: ${reason}`);
}

/** Removes the table `[policy]`, which only `assay scan` reads. */
function withoutPolicy({ policy, ...settingsOfFile }: TomlTable): TomlTable {
  return policy === undefined || isTomlTable(policy) ? settingsOfFile : { policy, ...settingsOfFile };
}

function flattened(table: Readonly<Record<string, unknown>>, prefix = ""): readonly (readonly [string, unknown])[] {
  return Object.entries(table).flatMap(([name, value]) =>
    isTomlTable(value) ? flattened(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value] as const],
  );
}

function entryOf(key: SettingKey, layers: readonly Layer[]): ConfigEntry | undefined {
  return layers.map((layer) => layer[key]).find((entry) => entry !== undefined);
}

/** `earlier` holds the settings above this one, from which some defaults are computed. */
function settled(key: SettingKey, layers: readonly Layer[], env: Environment, earlier: Partial<Config>): unknown {
  const setting = settings[key] as Setting;
  return decodedValue(key, setting, entryOf(key, layers) ?? defaultEntry(setting, env, earlier));
}

/** Value of a setting by its schema, with absolute paths. @throws ConfigError */
export function decodedValue(key: string, { schema, isPath, allowed, hidesPassword }: Setting, entry: ConfigEntry): unknown {
  const { raw, origin, pathBase } = entry;
  try {
    const value: unknown = Value.Decode(schema, raw);
    return isPath ? absolute(value as string | readonly string[] | null, pathBase) : value;
  } catch {
    const from = origin.name ?? "the default";
    // In a file, a list must be written as one; flags and environment were split before.
    const hint = schema.type === "array" && typeof raw === "string" ? `; in TOML: [${JSON.stringify(raw)}]` : meantWord(allowed, raw);
    // What is wrong may be the place of the password.
    const shown = hidesPassword ? "***" : raw;
    throw new ConfigError(`${key} = ${JSON.stringify(shown)} from ${from} is not allowed: it takes ${allowed}${hint}`);
  }
}

function absolute(value: string | readonly string[] | null, base: string): string | readonly string[] | null {
  if (value === null) return null;
  return typeof value === "string" ? resolve(base, value) : value.map((path) => resolve(base, path));
}

/** Parses text from flags and environment by the type of the setting. A path of digits stays a path. */
function fromText({ schema, isPath }: Setting, text: string | readonly string[]): unknown {
  if (schema.type === "boolean") return text === "true" || (text === "false" ? false : text);
  const read = isPath ? (part: string) => part : number;
  if (schema.type !== "array") return read(String(text));
  return [text]
    .flat()
    .flatMap((part) => part.split(","))
    .map((part) => read(part.trim()))
    .filter((part) => part !== "");
}

function number(text: string): string | number {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** The end of a sentence about an unknown name. */
export function meant(name: string, candidates: readonly string[]): string {
  const word = nearest(name, candidates);
  return word === null ? "" : `; did you mean ${word}?`;
}

function meantWord(allowed: string, raw: unknown): string {
  const words = allowed.match(/^[a-z-]+(?:, [a-z-]+)* or [a-z-]+$/) === null ? [] : allowed.split(/, | or /);
  return typeof raw === "string" ? meant(raw, words) : "";
}
