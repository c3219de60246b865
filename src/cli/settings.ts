/** Settings as flags of a command, and the configuration that results from a command line. */
import type { Command } from "commander";
import { type ConfigSources, environmentName, type LoadedConfig, loadConfigWithOrigins } from "../settings/config.ts";
import type { Setting } from "../settings/setting.ts";
import { type Config, type SettingKey, settingKeys, settings } from "../settings/settings.ts";
import { type Parameters, repeated, settingOf } from "./command.ts";
import { currentTerminal } from "./terminal.ts";

export const scanSettings = [
  "profile",
  "scan.concurrency",
  "scan.timeout",
  "scan.header_chars_max",
  "scan.allow_cidrs",
  "scan.deny_cidrs",
  "scan.allow_ports",
  "scan.connect_to",
  "scan.ca_files",
  "scan.system_roots",
  "dns.servers",
  "hsts.preload_file",
  "public_suffixes.file",
  "scripts.advisories_file",
  "checks.dir",
  "browser.path",
  "browser.sandbox",
] as const satisfies readonly SettingKey[];

export const natsSettings = ["nats.url", "nats.credentials_file", "nats.ca_file"] as const satisfies readonly SettingKey[];

/** Options that give these settings; each help line names the environment variable too. */
export function settingOptions(keys: readonly SettingKey[]): Parameters {
  return Object.fromEntries(keys.map(settingOption));
}

function settingOption(key: SettingKey) {
  const { flag, doc } = settings[key] as Setting;
  if (flag === undefined) throw new Error(`setting ${key} has no flag`);
  // A list is given by repeating the flag. A variadic flag would also take the URL that follows.
  const repeatable = flag.includes("...");
  const text = `${doc} [${environmentName(key)}]${repeatable ? " (repeatable)" : ""}`;
  return [flag.replace("...", ""), { text, setting: key, ...(repeatable ? { parse: repeated } : {}) }] as const;
}

type TypedFlags = ConfigSources["flags"];

/** Settings that were typed as flags of a command or of those above it, as text. */
export function typedSettings(command: Command): TypedFlags {
  const typed = command.optsWithGlobals() as Readonly<Record<string, string | readonly string[] | undefined>>;
  const above = command.parent === null ? {} : typedSettings(command.parent);
  const own = command.options.flatMap((option) => {
    const [key, value] = [settingOf.get(option), typed[option.attributeName()]];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return { ...above, ...(Object.fromEntries(own) as TypedFlags) };
}

export function settingsWithoutFlag(): string {
  const keys = settingKeys.filter((key) => !("flag" in settings[key]));
  const width = Math.max(...keys.map((key) => environmentName(key).length));
  const lines = keys.map((key) => `  ${environmentName(key).padEnd(width)}  ${settings[key].doc}`);
  return ["", "Settings without a flag, by their variables; docs/operate.md describes all:", ...lines].join("\n");
}

/** @throws ConfigError */
export function configOf(command: Command): Config {
  return loadedConfigOf(command).config;
}

/** Configuration with the origin of each value. @throws ConfigError */
export function loadedConfigOf(command: Command): LoadedConfig {
  const { config } = command.optsWithGlobals<{ readonly config?: string }>();
  return loadConfigWithOrigins({ flags: typedSettings(command), env: currentTerminal().env, configFile: config ?? null });
}
