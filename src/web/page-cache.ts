/** Cache of pages that are equal for all visitors in the same state: compressed bodies. */
import { gunzipSync } from "node:zlib";
import { createLruByteCache } from "../base/lru-cache.ts";
import { dayMs } from "../base/units.ts";
import { htmlOf, type PageContent, page, pageHeaders } from "./page.tsx";
import { acceptsGzip, respond } from "./response.ts";
import type { PagesSettings } from "./settings.ts";
import type { SharedVisit, Visit } from "./visit.ts";

/** Compressed bodies of all cached pages: some 350 of the largest reports. */
const cachedBytesMax = 16 * 2 ** 20;
/** Memory of an entry beside its body and its key. */
const entryBytes = 500;
/** zlib level: the next ones take twice the time for a few per mille. */
const compressionLevel = 6;
/** Pages with longer queries are not cached; links of pages are shorter. */
const queryCharsMax = 200;

type PageBody = Uint8Array<ArrayBuffer>;

export interface CachedPage {
  /** All that the content depends on beside `SharedVisit`: another key is another page. */
  readonly key: readonly (string | number | boolean)[];
  /** Query parameters that change the page. A page with others is rendered for its request only. */
  readonly params: readonly string[];
  /** The content sees the clock in whole days since this instant, ISO 8601. */
  readonly daysSince: string;
  /** Takes the visit from its argument only, so that it cannot read a person or a relative time. */
  readonly content: (visit: SharedVisit) => Omit<PageContent, "status" | "headers" | "secret">;
}

/** One cache for each settings object: a reload of the checks replaces the settings, and with them the pages. */
const caches = new WeakMap<PagesSettings, ReturnType<typeof createPageCache>>();

function createPageCache() {
  return createLruByteCache<PageBody>(cachedBytesMax, (body, key) => body.length + 2 * key.length + entryBytes);
}

export function cachedPage(visit: Visit, { key, params, daysSince, content }: CachedPage): Response {
  const { settings } = visit;
  if (!isCacheable(visit, params)) return page(visit, content(visit));
  const cache = caches.get(settings) ?? createPageCache();
  caches.set(settings, cache);
  const shared = sharedVisit(visit, daysSince);
  const { server, url, i18n, serverPreference, account, now } = shared;
  const wholeKey = JSON.stringify([server, url.pathname, url.search, i18n.locale, serverPreference, account, now.getTime(), key]);
  const cached = cache.get(wholeKey);
  const body = cached ?? Bun.gzipSync(Buffer.from(htmlOf(shared, content(shared))), { level: compressionLevel });
  if (cached === undefined) cache.set(wholeKey, body);
  const compressed = acceptsGzip(visit);
  return respond(visit, 200, compressed ? body : new Uint8Array(gunzipSync(body)), pageHeaders(visit, { compressed }));
}

function isCacheable({ url, unknownLocale }: SharedVisit, params: readonly string[]): boolean {
  // Forms send their empty fields too.
  const isKnown = ([name, value]: readonly [string, string]) => value === "" || name === "locale" || params.includes(name);
  return !unknownLocale && url.search.length <= queryCharsMax && [...url.searchParams].every(isKnown);
}

/** The visit without the person, at the last whole day since `daysSince`. */
function sharedVisit(
  { url, server, i18n, account, settings, now, unknownLocale, serverPreference }: Visit,
  daysSince: string,
): SharedVisit {
  const sinceMs = Date.parse(daysSince);
  const days = Math.floor((now.getTime() - sinceMs) / dayMs);
  return {
    url,
    server,
    i18n,
    account: account && { theme: account.theme, admin: account.admin },
    settings,
    now: new Date(sinceMs + days * dayMs),
    unknownLocale,
    serverPreference,
  };
}
