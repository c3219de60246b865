/** Targets of one call: URLs from arguments, files and stdin, and the credentials for pages behind a sign-in. */

import type { TargetCredentials } from "../../egress/credentials.ts";
import {
  type GivenCookie,
  type GivenHeader,
  isCookieOfHost,
  type LineFault,
  parseCookieFile,
  parseHeaderFile,
} from "../../parse/credential-files.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";
import { hostOf } from "../../parse/site.ts";
import type { Config } from "../../settings/settings.ts";
import { usageError } from "../exit.ts";
import { inputBytes, secretText } from "../input.ts";
import { currentTerminal, note, quotedText } from "../terminal.ts";
import type { ScanOptions } from "./options.ts";
import { pagesOfSitemap, sitemapUrlFrom } from "./sitemap.ts";

/** URLs of one call; the server's queue is for longer lists. */
const urlsMax = 1_000;
const listBytesMax = 4 * 1024 ** 2;

export interface ScanTargets {
  readonly urls: readonly string[];
  /** Null without header and cookie file. */
  readonly credentialsFor: CredentialsFor | null;
  /** False if a part of the sitemap could not be read, so that pages are missing. */
  readonly complete: boolean;
}

type CredentialOption = "headerFile" | "cookieFile";

/**
 * Each URL once, in order. `assertNamed` is called with all that are given, before the sitemap is read.
 * @throws CliError for the first fault of an argument, a file or the sitemap.
 */
export async function targetsFrom(
  given: readonly string[],
  options: Pick<ScanOptions, CredentialOption | "urls" | "fromSitemap">,
  config: Config,
  assertNamed: (urls: readonly string[]) => void = () => {},
): Promise<ScanTargets> {
  const { urls: file, fromSitemap } = options;
  const named = await urlsFrom(given, file);
  const sitemapUrl = fromSitemap === undefined ? null : sitemapUrlFrom(fromSitemap);
  if (named.length === 0 && sitemapUrl === null) throw usageError("no page is named: give a URL, --urls FILE or --from-sitemap URL");
  const asked = sitemapUrl === null ? named : [...named, sitemapUrl];
  assertNamed(asked);
  const credentialsFor = credentialsFrom(options, asked);
  const sitemap = sitemapUrl === null ? { urls: [], complete: true } : await pagesOfSitemap(sitemapUrl, config, credentialsFor);
  const all = [...named, ...sitemap.urls];
  const urls = [...new Set(all)];
  if (urls.length < all.length) note(`assay: ${all.length - urls.length} of ${all.length} URLs are repeated, and scanned once`);
  if (urls.length > urlsMax) throw usageError(`${urls.length} URLs are too many for one call; it takes ${urlsMax}`);
  return { urls, credentialsFor, complete: sitemap.complete };
}

/** `-` is stdin; `file` adds the URLs of a file. @throws CliError for the first URL that cannot be scanned. */
export async function urlsFrom(given: readonly string[], file?: string): Promise<readonly string[]> {
  const urls: string[] = [];
  for (const text of given) {
    if (text === "-") urls.push(...listed("stdin", await currentTerminal().stdin.text()));
    else if (text.trim() === "") throw usageError("the URL is empty");
    else urls.push(urlFrom(text.trim(), ""));
  }
  if (file === undefined) return urls;
  // A URL that is not UTF-8 text is refused with its line.
  return [...urls, ...listed(file, new TextDecoder().decode(inputBytes(file, listBytesMax)))];
}

/** One URL a line; skips blank lines and comments. `source` names the list in messages. */
function listed(source: string, text: string): readonly string[] {
  const urls = text.split("\n").flatMap((line, at) => {
    const entry = line.trim();
    return entry === "" || entry.startsWith("#") ? [] : [urlFrom(entry, `${source}, line ${at + 1}: `)];
  });
  if (urls.length === 0) throw usageError(`${source} names no URL`);
  return urls;
}

function urlFrom(text: string, place: string): string {
  const parsed = parseScanUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`);
  if ("fault" in parsed) throw usageError(`${place}"${quotedText(text)}" cannot be scanned: it ${parsed.fault}`);
  return parsed.url;
}

/** Servers refuse longer fields. */
const cookieCharsMax = 16_000;

export type CredentialsFor = (url: string) => TargetCredentials | null;

/** Null without such a file. Warns if no cookie is of a target. @throws CliError for a file or a target that must not be used. */
function credentialsFrom({ headerFile, cookieFile }: Pick<ScanOptions, CredentialOption>, urls: readonly string[]): CredentialsFor | null {
  if (headerFile === undefined && cookieFile === undefined) return null;
  const headers = headerFile === undefined ? [] : parsed(headerFile, parseHeaderFile).headers;
  const cookies = cookieFile === undefined ? [] : parsed(cookieFile, parseCookieFile).cookies;
  const origins = new Set(urls.map((url) => new URL(url).origin));
  const [plain] = [...origins].filter((origin) => !origin.startsWith("https:"));
  if (plain !== undefined) throw usageError(`${headerFile ?? cookieFile} is sent over https alone, and ${plain} is plain http`);
  if (headerFile !== undefined && origins.size > 1)
    throw usageError(`${headerFile} may be sent to one origin, and the URLs have ${origins.size}: scan each by itself`);
  const byOrigin = new Map([...origins].map((origin) => [origin, credentialsOf(origin, headers, cookies)]));
  const most = Math.max(...byOrigin.values().map((credentials) => cookieChars(credentials.cookies)));
  if (most > cookieCharsMax) throw usageError(`${cookieFile} has more than ${cookieCharsMax} characters of cookies for one host`);
  for (const [origin, { cookies: ofOrigin }] of byOrigin)
    if (cookieFile !== undefined && ofOrigin.length === 0)
      note(`assay: ${cookieFile} has no cookie for ${origin}: all are of other hosts, or have expired`);
  return (url) => byOrigin.get(new URL(url).origin) ?? null;
}

function credentialsOf(origin: string, headers: readonly GivenHeader[], cookies: readonly GivenCookie[]): TargetCredentials {
  const host = hostOf(origin) ?? "";
  const nowSeconds = Date.now() / 1_000;
  return { origin, headers, cookies: cookies.filter((cookie) => isCookieOfHost(cookie, host, nowSeconds)) };
}

function cookieChars(cookies: readonly GivenCookie[]): number {
  return cookies.reduce((sum, { name, value }) => sum + name.length + value.length + "=; ".length, 0);
}

function parsed<T extends object>(file: string, parse: (text: string) => T | LineFault): T {
  const result = parse(secretText(file));
  if (!("reason" in result)) return result;
  throw usageError(`${file}, line ${result.line}: ${result.reason}`);
}
