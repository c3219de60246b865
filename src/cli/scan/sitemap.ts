/** Pages that a sitemap names: of its own origin only, through the SSRF guard, within limits of size, number and time. */
import { gunzipSync } from "node:zlib";
import { caPems, egressSettings } from "../../app/scanning.ts";
import { systemClock, withDeadline } from "../../base/clock.ts";
import { cookieFieldFor, headersFor } from "../../egress/credentials.ts";
import { type Egress, openEgress } from "../../egress/dial.ts";
import { EgressError } from "../../egress/egress-error.ts";
import { httpGet } from "../../egress/http-client.ts";
import { isRedirectStatus } from "../../evidence/evidence.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";
import { parseSitemap, type Sitemap } from "../../parse/sitemap.ts";
import { trustAnchors } from "../../probe/tls/trust.ts";
import type { Config } from "../../settings/settings.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { note, printError, stripControls } from "../terminal.ts";
import type { CredentialsFor } from "./targets.ts";

const pagesMax = 100;
/** Files that an index may name; their own entries are pages, as the protocol demands. */
const filesMax = 20;
const redirectsMax = 3;
/** Size of one file, as received and after decompression. The protocol allows 50 MB for 50,000 addresses. */
const receivedBytesMax = 10 * 1024 ** 2;
const textBytesMax = 20 * 1024 ** 2;
/** Entries of one file that are looked at. */
const entriesMax = 50_000;
const fileMs = 10_000;
const allFilesMs = 60_000;

/** A file cannot be read; the message completes "URL cannot be read as a sitemap: ". */
class SitemapError extends Error {}

interface Reader {
  readonly egress: Egress;
  readonly origin: string;
  readonly signal: AbortSignal;
  readonly trust: ReturnType<typeof trustAnchors>["context"];
  readonly credentialsFor: CredentialsFor | null;
}

interface Found {
  readonly pages: Set<string>;
  /** Number of entries by the reason why they are left out. */
  readonly leftOut: Map<string, number>;
  /** Files of an index that could not be read, one line for each. */
  readonly unread: string[];
}

/** URL of a sitemap in its stored form. @throws CliError */
export function sitemapUrlFrom(text: string): string {
  const parsed = parseScanUrl(text);
  if ("url" in parsed) return parsed.url;
  throw usageError(`--from-sitemap "${stripControls(text.slice(0, entryCharsMax))}" cannot be read: it ${parsed.fault}`);
}

const entryCharsMax = 100;

/**
 * At most `pagesMax` pages in the order of the file; `complete` is false if a file of an index could not be read. Prints what is left out
 * and what could not be read. @throws CliError if no page can be read.
 */
export async function pagesOfSitemap(url: string, config: Config, credentialsFor: CredentialsFor | null) {
  const egress = openEgress(egressSettings(config, []));
  const found: Found = { pages: new Set(), leftOut: new Map(), unread: [] };
  try {
    await withDeadline(systemClock, allFilesMs, [], (signal) =>
      readAll(url, { egress, origin: new URL(url).origin, signal, trust: trustAnchors(caPems(config)).context, credentialsFor }, found),
    );
  } catch (error) {
    if (!(error instanceof SitemapError)) throw error;
    const refusal = egress.refusals.at(-1);
    throw new CliError(exitCodes.target, stripControls(`${url} cannot be read as a sitemap: ${refusal ?? error.message}`));
  } finally {
    egress.close();
  }
  for (const [reason, count] of found.leftOut) note(`assay: ${url}: left out ${reason}: ${count}`);
  for (const line of found.unread) printError(`assay: ${line}`);
  if (found.pages.size === 0) throw new CliError(exitCodes.target, `${url} names no page of ${new URL(url).origin}`);
  return { urls: [...found.pages], complete: found.unread.length === 0 };
}

async function readAll(url: string, reader: Reader, found: Found): Promise<void> {
  const first = await sitemapAt(url, reader);
  if (first.lists === "pages") return takePages(first.locations, reader, found);
  const files = new Set<string>();
  for (const location of first.locations) {
    const file = ownUrl(location, reader, found, "files");
    if (file !== null) files.add(file);
  }
  const wanted = [...files].slice(0, filesMax);
  if (files.size > filesMax) leaveOut(found, `files beyond the first ${filesMax}`, files.size - filesMax);
  for (const [at, file] of wanted.entries()) {
    if (found.pages.size >= pagesMax) return leaveOut(found, `files after the first ${pagesMax} pages`, wanted.length - at);
    try {
      const sitemap = await sitemapAt(file, reader);
      if (sitemap.lists === "pages") takePages(sitemap.locations, reader, found);
      else leaveOut(found, "indexes within an index", 1);
    } catch (error) {
      if (!(error instanceof SitemapError)) throw error;
      found.unread.push(stripControls(`${file} cannot be read as a sitemap: ${error.message}`));
    }
  }
}

function takePages(locations: readonly string[], reader: Reader, found: Found): void {
  for (const location of locations) {
    const page = ownUrl(location, reader, found, "pages");
    if (page === null || found.pages.has(page)) continue;
    if (found.pages.size < pagesMax) found.pages.add(page);
    else leaveOut(found, `pages beyond the first ${pagesMax}`, 1);
  }
}

/** Null if the entry is left out. */
function ownUrl(location: string, { origin }: Reader, found: Found, kind: "pages" | "files"): string | null {
  const parsed = parseScanUrl(location);
  if ("fault" in parsed) leaveOut(found, `${kind} without a valid address`, 1);
  else if (new URL(parsed.url).origin !== origin) leaveOut(found, `${kind} of other origins`, 1);
  else return parsed.url;
  return null;
}

function leaveOut({ leftOut }: Found, reason: string, count: number): void {
  leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
}

/** @throws SitemapError */
async function sitemapAt(url: string, reader: Reader): Promise<Exclude<Sitemap, { readonly fault: string }>> {
  const sitemap = parseSitemap(textOf(await bodyAt(url, reader)), entriesMax);
  if ("fault" in sitemap) throw new SitemapError(sitemap.fault);
  return sitemap;
}

/** Follows redirects within the origin. @throws SitemapError */
async function bodyAt(url: string, { egress, origin, signal, trust, credentialsFor }: Reader): Promise<Uint8Array> {
  let next = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const credentials = credentialsFor?.(next) ?? null;
    const cookies = credentials === null ? null : cookieFieldFor(credentials, next);
    const headers = credentials === null ? [] : headersFor(credentials, next).map(({ name, value }) => [name, value] as const);
    const all = cookies === null ? headers : [...headers, ["Cookie", cookies] as const];
    const reply = await httpGet(egress, next, { deadlineMs: fileMs, signal, bodyBytesMax: receivedBytesMax, headers: all, trust }).catch(
      (error: unknown) => {
        throw new SitemapError(error instanceof EgressError ? error.message : String(error));
      },
    );
    const location = isRedirectStatus(reply.status) ? reply.field("location") : null;
    if (location === null) {
      if (reply.status !== 200) throw new SitemapError(`the server answers with status ${reply.status}`);
      if (reply.truncated) throw new SitemapError(`it is larger than ${receivedBytesMax / 1024 ** 2} MiB, or ends early`);
      return reply.body;
    }
    const target = URL.parse(location, next);
    if (target?.origin !== origin) throw new SitemapError("it redirects to another origin");
    next = target.href;
  }
  throw new SitemapError(`it redirects more than ${redirectsMax} times`);
}

/** RFC 1952 section 2.3.1: two bytes identify gzip, as a file or as an encoding that was not asked for. @throws SitemapError */
function textOf(body: Uint8Array): string {
  let bytes = body;
  try {
    if (body[0] === 0x1f && body[1] === 0x8b) bytes = gunzipSync(body, { maxOutputLength: textBytesMax });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new SitemapError(isTooLarge ? `it unpacks to more than ${textBytesMax / 1024 ** 2} MiB` : "its compression is damaged");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SitemapError("it is not UTF-8 text");
  }
}
