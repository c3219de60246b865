/** Body of POST /api/v1/scans/bulk: its lines, and the answer for each. */
import { parseScanUrl } from "../parse/scan-url.ts";
import type { StartOutcome } from "../store/start-scans.ts";
import { readJson } from "./body.ts";
import { type ApiError, invalidBody, invalidLocation, invalidUrl, invalidUrls, queueFull } from "./errors.ts";
import { statusUrlOf } from "./own-scan.ts";
import { bulkUrlsMax } from "./schemas.ts";

/** As many of the longest URLs as a request may have, in ASCII. */
export const bulkBodyBytesMax = 2_097_152;

/** A URL in its stored form, or why it is refused. */
export type BulkLine = { readonly url: string } | { readonly url: null; readonly error: ApiError };

interface BulkBody {
  readonly lines: readonly BulkLine[];
  readonly location: string | undefined;
}

/** @throws ApiError 413, and 400 for a body without a list of 1 to `bulkUrlsMax` lines. A bad line is none. */
export async function readBulkBody(request: Request): Promise<BulkBody> {
  const body = await readJson(request, { bytesMax: bulkBodyBytesMax, field: "urls" });
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw invalidBody("is not a JSON object", "urls");
  const urls: unknown = "urls" in body ? body.urls : undefined;
  if (urls === undefined) throw invalidUrls("is required");
  if (!Array.isArray(urls)) throw invalidUrls("must be a list of URLs");
  if (urls.length === 0) throw invalidUrls("must have at least one URL");
  if (urls.length > bulkUrlsMax) throw invalidUrls(`must have at most ${bulkUrlsMax} URLs`);
  const location: unknown = "location" in body ? body.location : undefined;
  if (location !== undefined && typeof location !== "string") throw invalidLocation("must be a string");
  return { lines: urls.map(lineOf), location };
}

function lineOf(given: unknown): BulkLine {
  if (typeof given !== "string") return { url: null, error: invalidUrl("must be a string") };
  const parsed = parseScanUrl(given);
  return "fault" in parsed ? { url: null, error: invalidUrl(parsed.fault) } : parsed;
}

export function urlsOf(lines: readonly BulkLine[]): readonly (string | null)[] {
  return lines.map(({ url }) => url);
}

/** The URLs to scan: equal ones share one scan. */
export function distinctUrls(urls: readonly (string | null)[]): readonly string[] {
  return [...new Set(urls.filter((url) => url !== null))];
}

/** One item for each line, in order. `scans`: those of `distinctUrls`. */
export function bulkItems(lines: readonly BulkLine[], scans: StartOutcome["scans"], retryAfterSeconds: number): readonly object[] {
  const scanOf = new Map(distinctUrls(urlsOf(lines)).map((url, at) => [url, scans[at]]));
  const full = queueFull(retryAfterSeconds);
  return lines.map((line, index) => {
    // A refused URL is never quoted: it may hold a password.
    if (line.url === null) return refusedItem(index, null, line.error);
    const scan = scanOf.get(line.url);
    if (scan === undefined || scan === "full") return refusedItem(index, line.url, full);
    const { token, id } = scan;
    return { index, url: line.url, status: "queued", token, id, statusUrl: statusUrlOf(token) };
  });
}

function refusedItem(index: number, url: string | null, { status, message }: ApiError): object {
  return { index, url, error: { status, errorMessage: message } };
}
