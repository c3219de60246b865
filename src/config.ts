/** The one schema of every setting, and how flags, environment, a TOML file and defaults become one frozen Config. */
import { readFileSync } from "node:fs";
import { availableParallelism, homedir, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type StaticDecode, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { parse as parseToml, TomlError } from "smol-toml";
import { locales } from "./check/check.ts";
import { parseCidr } from "./egress/address-policy.ts";
import { parseConnectTo, parseEndpoint, parseResolver } from "./parse/address.ts";
import { nearest } from "./parse/nearest.ts";
import { defaultDeadlines } from "./scan/task.ts";

const scanConcurrencyDefaultMax = 4;
/** What one scan's browser pages and worker take at their peak, roughly. */
const bytesPerScan = 700 * 1024 ** 2;

export interface Setting<S extends TSchema = TSchema> {
  readonly schema: S;
  /** One sentence for `--help` and the documentation. */
  readonly doc: string;
  /** What a value may be, as it completes "allowed is ...". */
  readonly allowed: string;
  /** Computed when nothing else names a value. */
  readonly fallback: (env: ConfigSources["env"]) => unknown;
  /** In commander's notation; repeatable when the value is a list. */
  readonly flag?: string;
  /** A path in a file is relative to the file, elsewhere to the working directory. */
  readonly isPath?: true;
}

function setting<S extends TSchema>(schema: S, rest: Omit<Setting, "schema">): Setting<S> {
  return { schema, ...rest };
}

function oneOf<const T extends readonly string[]>(...words: T) {
  return Type.Unsafe<T[number]>(Type.Union(words.map((word) => Type.Literal(word))));
}

/** A text that means something only once it is taken apart; the parser answers null for one out of form. */
function parsed<T extends {}>(parse: (text: string) => T | null) {
  return Type.Transform(Type.String())
    .Decode((text): T => {
      const value = parse(text);
      if (value === null) throw new Error("out of form");
      return value;
    })
    .Encode(() => {
      throw new Error("settings are read, never written");
    });
}

const path = Type.String({ minLength: 1 });
const optional = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const ranges = Type.Array(parsed(parseRange));
const none = () => [];

export const settings = {
  data: setting(path, {
    doc: "Folder of everything that is stored: accounts, scans, results, the unpacked browser.",
    allowed: "a folder",
    fallback: defaultDataDir,
    flag: "--data <dir>",
    isPath: true,
  }),
  listen: setting(parsed(parseEndpoint), {
    doc: "Address and port of the API. Port 0 takes a free one.",
    allowed: "address:port, as in 127.0.0.1:8787 or [::1]:8787",
    fallback: () => "127.0.0.1:8787",
    flag: "--listen <address:port>",
  }),
  trusted_proxies: setting(ranges, {
    doc: "Reverse proxies whose X-Forwarded-For is believed.",
    allowed: "a list of addresses or ranges, as in 10.0.0.0/8",
    fallback: none,
    flag: "--trusted-proxy <cidr...>",
  }),
  profile: setting(oneOf("internet", "internal"), {
    doc: "Which targets may be scanned: public addresses only, or private and loopback ones too.",
    allowed: "internet or internal",
    fallback: () => "internet",
    flag: "--profile <internet|internal>",
  }),
  "scan.concurrency": setting(Type.Integer({ minimum: 1, maximum: 64 }), {
    doc: "Scans that run at the same time.",
    allowed: "a whole number from 1 to 64",
    fallback: defaultConcurrency,
    flag: "--concurrency <n>",
  }),
  "scan.queue_max": setting(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    doc: "Scans that may wait; above it a new one is answered with 503.",
    allowed: "a whole number from 1 to 1000000",
    fallback: () => 1_000,
  }),
  "scan.timeout": setting(Type.Integer({ minimum: 5, maximum: 600 }), {
    doc: "Seconds until a scan is given up.",
    allowed: "a whole number of seconds from 5 to 600",
    fallback: () => defaultDeadlines.scanMs / 1000,
    flag: "--timeout <seconds>",
  }),
  "scan.allow_cidrs": setting(ranges, {
    doc: "Address ranges opened on top of the profile.",
    allowed: "a list of addresses or ranges, as in 192.168.0.0/16",
    fallback: none,
    flag: "--allow-cidr <cidr...>",
  }),
  "scan.deny_cidrs": setting(ranges, {
    doc: "Address ranges shut on top of the profile; stronger than scan.allow_cidrs.",
    allowed: "a list of addresses or ranges, as in 203.0.113.0/24",
    fallback: none,
    flag: "--deny-cidr <cidr...>",
  }),
  "scan.allow_ports": setting(Type.Array(Type.Union([Type.Literal("any"), Type.Integer({ minimum: 1, maximum: 65_535 })])), {
    doc: "Ports opened besides 80 and 443; profile internal opens all of them.",
    allowed: 'a list of ports from 1 to 65535, or "any"',
    fallback: none,
    flag: "--allow-port <port...>",
  }),
  "scan.connect_to": setting(Type.Array(parsed(parseConnectTo)), {
    doc: "Names dialled at a fixed address, for sites that the resolver does not know.",
    allowed: "a list of host:port=address:port, as in site.test:443=127.0.0.1:8443",
    fallback: none,
    flag: "--connect-to <host:port=address:port...>",
  }),
  "scan.ca_files": setting(Type.Array(path), {
    doc: "Certificates (PEM) trusted besides the bundled roots.",
    allowed: "a list of files",
    fallback: none,
    flag: "--ca-file <file...>",
    isPath: true,
  }),
  "scan.system_roots": setting(Type.Boolean(), {
    doc: "Whether the roots that this machine trusts are trusted besides the bundled ones.",
    allowed: "true or false",
    fallback: () => true,
    flag: "--system-roots <true|false>",
  }),
  "dns.servers": setting(Type.Array(parsed(parseResolver)), {
    doc: "Resolvers asked instead of the system's.",
    allowed: "a list of address or address:port, as in 9.9.9.9",
    fallback: none,
    flag: "--dns <address[:port]...>",
  }),
  "checks.dir": setting(optional(path), {
    doc: "Folder of checks of your own; <data>/checks when not set.",
    allowed: "a folder",
    fallback: () => null,
    flag: "--checks-dir <dir>",
    isPath: true,
  }),
  "browser.path": setting(optional(path), {
    doc: "Chromium to use instead of the embedded one.",
    allowed: "an executable file",
    fallback: () => null,
    flag: "--browser-path <file>",
    isPath: true,
  }),
  "browser.sandbox": setting(oneOf("auto", "on", "off"), {
    doc: "Chromium's sandbox: auto uses it wherever the system allows.",
    allowed: "auto, on or off",
    fallback: () => "auto",
    flag: "--browser-sandbox <auto|on|off>",
  }),
  "browser.dir": setting(optional(path), {
    doc: "Folder the embedded browser is unpacked into; <data>/browser when not set.",
    allowed: "a folder on a file system that allows programs to run",
    fallback: () => null,
    isPath: true,
  }),
  "api.rate_per_minute": setting(Type.Integer({ minimum: 1, maximum: 100_000 }), {
    doc: "API requests a minute, for each account and calling address.",
    allowed: "a whole number from 1 to 100000",
    fallback: () => 60,
  }),
  "log.level": setting(oneOf("debug", "info", "warn", "error"), {
    doc: "The least important lines that are logged.",
    allowed: "debug, info, warn or error",
    fallback: () => "info",
    flag: "--log-level <debug|info|warn|error>",
  }),
  "log.format": setting(oneOf("auto", "text", "json"), {
    doc: "Log lines for people or for programs; auto is text on a terminal and JSON elsewhere.",
    allowed: "auto, text or json",
    fallback: () => "auto",
    flag: "--log-format <auto|text|json>",
  }),
  "locale.default": setting(oneOf(...locales), {
    doc: "Language of the command line's reports.",
    allowed: locales.join(" or "),
    fallback: () => "en-gb",
    flag: `--locale <${locales.join("|")}>`,
  }),
} as const;

export type SettingKey = keyof typeof settings;
export const settingKeys = Object.keys(settings) as readonly SettingKey[];

/** By dotted key, as in the TOML file. Times are in seconds, as the operator writes them. */
export type Config = { readonly [K in SettingKey]: StaticDecode<(typeof settings)[K]["schema"]> };

export interface ConfigSources {
  /** Values of flags as they were typed, by setting. */
  readonly flags: { readonly [K in SettingKey]?: string | readonly string[] };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File named by `--config`; it must exist. Null reads `<data>/assay.toml` if that exists. */
  readonly configFile: string | null;
}

/** A setting is unknown or out of range. The message is one sentence that names key, value, what is allowed and where it came from. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Flags win over environment, environment over file, file over default. @throws ConfigError for the first fault. */
export function loadConfig({ flags, env, configFile }: ConfigSources): Config {
  const typed: Layer[] = [flagLayer(flags), environmentLayer(env)];
  const layers = [...typed, fileLayer(configFile, settled("data", typed, env) as string)];
  return Object.freeze(Object.fromEntries(settingKeys.map((key) => [key, settled(key, layers, env)])) as unknown as Config);
}

/** `ASSAY_` and the key in capitals: `scan.timeout` is ASSAY_SCAN_TIMEOUT. */
export function environmentName(key: string): string {
  return `ASSAY_${key.toUpperCase().replaceAll(".", "_")}`;
}

/** What one source says: raw values by key, each with the words for where it came from. */
type Layer = Readonly<Record<string, { readonly raw: unknown; readonly origin: string; readonly pathBase: string }>>;

function flagLayer(flags: ConfigSources["flags"]): Layer {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined) as [SettingKey, string | readonly string[]][];
  return Object.fromEntries(
    given.map(([key, value]) => [key, { raw: untyped(key, value), origin: flagName(key), pathBase: process.cwd() }]),
  );
}

function flagName(key: SettingKey): string {
  return (settings[key] as Setting).flag?.split(" ")[0] ?? key;
}

/** Kubernetes and Docker set these for a service that is called "assay"; they are no settings. */
const serviceLink = /^ASSAY_(SERVICE_(HOST|PORT)|PORT$|PORT_\d+_)/;

function environmentLayer(env: ConfigSources["env"]): Layer {
  const names = new Map(settingKeys.map((key) => [environmentName(key), key]));
  const layer: Record<string, Layer[string]> = {};
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("ASSAY_") || serviceLink.test(name)) continue;
    const key = names.get(name);
    if (key === undefined) throw new ConfigError(`unknown setting ${name} in the environment${meant(name, [...names.keys()])}`);
    // An empty variable is how compose files say "not set".
    if (text !== undefined && text !== "") layer[key] = { raw: untyped(key, text), origin: name, pathBase: process.cwd() };
  }
  return layer;
}

function fileLayer(configFile: string | null, dataDir: string): Layer {
  const inData = configFile === null;
  const file = resolve(configFile ?? join(dataDir, "assay.toml"));
  const text = readConfigFile(file, inData);
  if (text === null) return {};
  const layer: Record<string, Layer[string]> = {};
  for (const [key, raw] of flattened(parsedToml(file, text))) {
    if (!Object.hasOwn(settings, key)) throw new ConfigError(`unknown setting ${key} in ${file}${meant(key, settingKeys)}`);
    if (inData && key === "data")
      throw new ConfigError(`data in ${file} would move the folder that the file lies in; name it by --data or ASSAY_DATA`);
    layer[key] = { raw, origin: file, pathBase: dirname(file) };
  }
  return layer;
}

function readConfigFile(file: string, mayBeAbsent: boolean): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mayBeAbsent && (code === "ENOENT" || code === "ENOTDIR")) return null;
    throw new ConfigError(`configuration file ${file} cannot be read (${code})`);
  }
}

function parsedToml(file: string, text: string): Record<string, unknown> {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.split("\n");
    throw new ConfigError(`${file}, line ${error.line}, column ${error.column}: ${reason}`);
  }
}

/** Tables become dotted keys. */
function flattened(table: Readonly<Record<string, unknown>>, prefix = ""): readonly (readonly [string, unknown])[] {
  return Object.entries(table).flatMap(([name, value]) =>
    Object.prototype.toString.call(value) === "[object Object]"
      ? flattened(value as Record<string, unknown>, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as const],
  );
}

function settled(key: SettingKey, layers: readonly Layer[], env: ConfigSources["env"]): unknown {
  const { schema, fallback, isPath, allowed } = settings[key] as Setting;
  const found = layers.map((layer) => layer[key]).find((entry) => entry !== undefined);
  const { raw, origin, pathBase } = found ?? { raw: fallback(env), origin: "the default", pathBase: process.cwd() };
  try {
    const value: unknown = Value.Decode(schema, raw);
    return isPath ? absolute(value as string | readonly string[] | null, pathBase) : value;
  } catch {
    throw new ConfigError(`${key} = ${JSON.stringify(raw)} from ${origin} is not allowed: it takes ${allowed}${meantWord(allowed, raw)}`);
  }
}

function absolute(value: string | readonly string[] | null, base: string): string | readonly string[] | null {
  if (value === null) return null;
  return typeof value === "string" ? resolve(base, value) : value.map((one) => resolve(base, one));
}

/** Flags and the environment know only text: truth, numbers and lists are read out of it by the setting's type. A path of digits stays a path. */
function untyped(key: SettingKey, text: string | readonly string[]): unknown {
  const { schema, isPath } = settings[key] as Setting;
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

function meant(name: string, candidates: readonly string[]): string {
  const word = nearest(name, candidates);
  return word === null ? "" : `; did you mean ${word}?`;
}

/** For settings that take one of a few words. */
function meantWord(allowed: string, raw: unknown): string {
  const words = allowed.match(/^[a-z-]+(?:, [a-z-]+)* or [a-z-]+$/) === null ? [] : allowed.split(/, | or /);
  return typeof raw === "string" ? meant(raw, words) : "";
}

/** As it was written, if the egress policy understands it. */
function parseRange(text: string): string | null {
  try {
    parseCidr(text);
    return text;
  } catch {
    return null;
  }
}

/** Where root keeps the state of services, or where a user keeps data (XDG Base Directory Specification). */
function defaultDataDir(env: ConfigSources["env"]): string {
  if (process.getuid?.() === 0) return "/var/lib/assay";
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), ".local/share"), "assay");
}

/** A scan spends most of its time waiting for the page to settle, so each core has room for two. */
function defaultConcurrency(): number {
  return Math.max(1, Math.min(scanConcurrencyDefaultMax, 2 * availableParallelism(), Math.floor(totalmem() / bytesPerScan)));
}
