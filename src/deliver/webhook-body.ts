/** Body of a webhook: one event as JSON, with a bounded size. */
import type { EventFinding, EventSite, StoredEvent } from "../store/site-events.ts";

/** Limit of a body in bytes of UTF-8, because receivers bound what they read. */
export const webhookBodyBytesMax = 20_000;
/** Addresses that a finding lists; `urlCount` counts them all. */
export const findingUrlsMax = 5;
/** Bytes that the lists of findings may take: what is fixed has a limit of its own, and needs less than the rest. */
const findingsBytesMax = 8_000;
/** Characters of a text that an account wrote, and of an address. The limits of the forms are at most these. */
const textCharsMax = 200;
const urlCharsMax = 2_048;
const tagsMax = 20;
const tagCharsMax = 40;

/** Type of the body that the test button sends. */
export const webhookTestType = "channel.test";

export interface WebhookLinks {
  /** Without a slash at its end; null: links are relative paths. */
  readonly publicUrl: string | null;
}

/** The same text for the same event, so that attempts differ in time and signature only. */
export function webhookBody(event: StoredEvent, { publicUrl }: WebhookLinks): string {
  const { type, at, site, token } = event;
  const data = { site: site === null ? null : siteOf(site), scan: token === null ? null : scanOf(token, publicUrl), ...ownData(event) };
  return JSON.stringify({ type, timestamp: at, data });
}

export function webhookTestBody(now: Date): string {
  return JSON.stringify({ type: webhookTestType, timestamp: now.toISOString(), data: {} });
}

function siteOf({ id, name, url, client, tags }: EventSite) {
  return {
    id,
    name: cut(name, textCharsMax),
    url: cut(url, urlCharsMax),
    client: client === null ? null : cut(client, textCharsMax),
    tags: tags.slice(0, tagsMax).map((tag) => cut(tag, tagCharsMax)),
  };
}

function scanOf(token: string, publicUrl: string | null) {
  const base = publicUrl ?? "";
  return { token, statusUrl: `${base}/api/v1/scans/${token}`, reportUrl: `${base}/scans/${token}` };
}

function ownData(event: StoredEvent): object {
  if (event.type === "scan.finished") {
    // The token is in `scan`.
    const { token: _token, url, ...scan } = event.data;
    return { ...scan, url: cut(url, urlCharsMax) };
  }
  return "findings" in event.data ? boundedFindings(event.data.findings) : event.data;
}

/** As many findings as have space, in their order. A finding without space for its addresses comes without them. */
function boundedFindings(all: readonly EventFinding[]) {
  const findings: object[] = [];
  let [bytesLeft, truncated] = [findingsBytesMax, false];
  for (const { urls, ...finding } of all) {
    const fits = [urls.slice(0, findingUrlsMax), []].map((some) => ({ ...finding, urls: some, urlCount: urls.length })).find(hasSpace);
    if (fits === undefined) break;
    bytesLeft -= bytesOf(fits);
    truncated ||= fits.urls.length < urls.length;
    findings.push(fits);
  }
  return { findings, findingCount: all.length, truncated: truncated || findings.length < all.length };

  function hasSpace(finding: object): boolean {
    return bytesOf(finding) <= bytesLeft;
  }
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** Never within a surrogate pair. */
function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "");
}
