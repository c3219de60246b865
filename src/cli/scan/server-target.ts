/** The server of `assay scan --server`: its address, the token, and the flags that mean nothing to it. */
import type { Command } from "commander";
import { caPems } from "../../app/scanning.ts";
import { parseLocation } from "../../parse/location.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";
import { isInsecureUrl } from "../../parse/site.ts";
import { tokenVariable } from "../../settings/config.ts";
import type { Setting } from "../../settings/setting.ts";
import { type Config, type SettingKey, settings } from "../../settings/settings.ts";
import { CliError, exitCodes } from "../exit.ts";
import { secretText } from "../input.ts";
import { typedSettings } from "../settings.ts";
import { currentTerminal, stripControls } from "../terminal.ts";
import type { ScanOptions } from "./options.ts";
import type { ServerTarget } from "./server.ts";

/** Settings of scanning, which the server has itself. */
const settingsOfServer = [
  "scan.concurrency",
  "scan.timeout",
  "scan.header_chars_max",
  "hsts.preload_file",
  "public_suffixes.file",
  "scripts.advisories_file",
  "checks.dir",
  "browser.path",
  "browser.sandbox",
] as const satisfies readonly SettingKey[];

/** Settings of the reach of this machine, which a sitemap is read by. `--ca-file` and others serve for the server too. */
const settingsOfSitemap = ["profile", "scan.allow_cidrs", "scan.deny_cidrs", "scan.allow_ports"] as const satisfies readonly SettingKey[];

const quotedCharsMax = 100;
/** A token has 49 characters. */
const tokenPattern = /^[\x21-\x7e]{1,512}$/;

/** Null without `--server`. @throws CliError for the first flag that does not fit, and ConfigError for a file of certificates. */
export function serverTargetOf(command: Command, config: Config): ServerTarget | null {
  const options: ScanOptions = command.optsWithGlobals();
  const { server, location, tokenFile } = options;
  if (server === undefined) {
    if (location !== undefined)
      throw new CliError(
        exitCodes.usage,
        "--location needs --server URL: this machine scans from where it is, and only a server has workers at other locations",
      );
    if (tokenFile !== undefined) throw new CliError(exitCodes.usage, "--token-file needs --server URL");
    return null;
  }
  assertNoLocalFlags(command, options);
  if (location !== undefined && parseLocation(location) === null)
    throw new CliError(exitCodes.usage, `--location "${quoted(location)}" is no location: small letters, digits and hyphens, as in berlin`);
  return {
    origin: originFrom(server),
    token: tokenFrom(tokenFile),
    caPems: caPems(config),
    dnsServers: config["dns.servers"],
    connectTo: config["scan.connect_to"],
    location: location ?? null,
  };
}

function assertNoLocalFlags(command: Command, { headerFile, cookieFile, fromSitemap }: ScanOptions): void {
  if (headerFile !== undefined || cookieFile !== undefined)
    throw new CliError(
      exitCodes.usage,
      `${headerFile === undefined ? "--cookie-file" : "--header-file"} does not go with --server: secrets of a page are not sent to a server`,
    );
  const typed = typedSettings(command);
  const without = [...settingsOfServer, ...(fromSitemap === undefined ? settingsOfSitemap : [])];
  const key = without.find((one) => typed[one] !== undefined);
  if (key === undefined) return;
  const flag = (settings[key] as Setting).flag?.split(" ")[0] ?? key;
  throw new CliError(exitCodes.usage, `${flag} does not go with --server: the server scans with its own ${key}`);
}

/** @throws CliError */
function originFrom(text: string): string {
  const parsed = parseScanUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if ("fault" in parsed) throw new CliError(exitCodes.usage, `--server "${quoted(text)}" cannot be used: it ${parsed.fault}`);
  const { origin, pathname, search } = new URL(parsed.url);
  if (pathname !== "/" || search !== "") throw new CliError(exitCodes.usage, `--server takes an address without a path, as in ${origin}`);
  if (isInsecureUrl(origin))
    throw new CliError(
      exitCodes.usage,
      `--server ${origin} would send the API token in clear text; use https://, or http:// with a loopback address`,
    );
  return origin;
}

/** @throws CliError. No message quotes the token. */
function tokenFrom(file: string | undefined): string {
  const token = (file === undefined ? (currentTerminal().env[tokenVariable] ?? "") : secretText(file)).trim();
  const source = file ?? tokenVariable;
  if (token === "")
    throw new CliError(
      exitCodes.usage,
      file === undefined ? `--server needs an API token, in ${tokenVariable} or in the file of --token-file` : `${file} holds no API token`,
    );
  if (!tokenPattern.test(token))
    throw new CliError(exitCodes.usage, `${source} must hold one API token: visible ASCII characters on one line`);
  return token;
}

function quoted(text: string): string {
  return stripControls(text.slice(0, quotedCharsMax));
}
