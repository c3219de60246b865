/** Header and cookie files of `assay scan`, for pages behind a sign-in. Messages never quote them. */
import type { TargetCredentials } from "../egress/credentials.ts";
import {
  type GivenCookie,
  type GivenHeader,
  isCookieOfHost,
  type LineFault,
  parseCookieFile,
  parseHeaderFile,
} from "../parse/credential-files.ts";
import { hostOf } from "../parse/site.ts";
import { CliError, exitCodes } from "./exit.ts";
import { secretText } from "./secret-file.ts";
import { note } from "./terminal.ts";

export interface CredentialFiles {
  readonly headerFile?: string;
  readonly cookieFile?: string;
}

/** Servers refuse longer fields. */
const cookieCharsMax = 16_000;

export type CredentialsFor = (url: string) => TargetCredentials | null;

/** Null without such a file. Warns if no cookie is of a target. @throws CliError for a file or a target that must not be used. */
export function credentialsFrom({ headerFile, cookieFile }: CredentialFiles, urls: readonly string[]): CredentialsFor | null {
  if (headerFile === undefined && cookieFile === undefined) return null;
  const headers = headerFile === undefined ? [] : parsed(headerFile, parseHeaderFile).headers;
  const cookies = cookieFile === undefined ? [] : parsed(cookieFile, parseCookieFile).cookies;
  const origins = new Set(urls.map((url) => new URL(url).origin));
  const [plain] = [...origins].filter((origin) => !origin.startsWith("https:"));
  if (plain !== undefined)
    throw new CliError(exitCodes.usage, `${headerFile ?? cookieFile} is sent over https alone, and ${plain} is plain http`);
  if (headerFile !== undefined && origins.size > 1)
    throw new CliError(exitCodes.usage, `${headerFile} may be sent to one origin, and the URLs have ${origins.size}: scan each by itself`);
  const byOrigin = new Map([...origins].map((origin) => [origin, credentialsOf(origin, headers, cookies)]));
  const most = Math.max(...byOrigin.values().map((credentials) => cookieChars(credentials.cookies)));
  if (most > cookieCharsMax)
    throw new CliError(exitCodes.usage, `${cookieFile} has more than ${cookieCharsMax} characters of cookies for one host`);
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
  throw new CliError(exitCodes.usage, `${file}, line ${result.line}: ${result.reason}`);
}
