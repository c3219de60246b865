/** Pages rendered once for all visitors in the same state and kept. The nonce is filled in for each answer. */
import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { createGzipTemplate, fillTemplate, type GzipTemplate, type TemplatePart } from "../base/gzip-template.ts";
import { createLruByteCache } from "../base/lru-cache.ts";
import { dayMs } from "../base/units.ts";
import { htmlOf, type PageContent, page, pageHeaders } from "./page.tsx";
import { acceptsGzip, respond } from "./response.ts";
import type { PagesSettings } from "./settings.ts";
import { nonceChars, type Visit } from "./visit.ts";

/** Packed bodies of all kept pages: some 350 of the largest reports. */
const keptBytesMax = 16 * 2 ** 20;
/** Memory of an entry beside its body and its key. */
const entryBytes = 2_000;
/** zlib level: the next ones take twice the time for a few per mille. */
const compressionLevel = 6;
/** Pages with longer queries are not kept; links of pages are shorter. */
const queryCharsMax = 200;
const markBytes = 16;

export interface KeptPage {
  /** All that the content depends on, beside query, clock and visitor: another key is another page. */
  readonly key: readonly (string | number | boolean)[];
  /** Query parameters that change the page. A page with others is rendered for its request only. */
  readonly params: readonly string[];
  /** The content sees the clock in whole days since this instant, ISO 8601. */
  readonly daysSince: string;
  /** Takes the visitor from its argument: what it reads of a person makes the page one for this request only. */
  readonly content: (visit: Visit) => Omit<PageContent, "status" | "headers" | "secret">;
}

type Hole = { readonly kind: "nonce" };

interface RenderedPage {
  readonly template: GzipTemplate;
  readonly holes: readonly Hole[];
}

const holeBytes: Readonly<Record<Hole["kind"], number>> = {
  nonce: nonceChars,
};

interface PageCache {
  /** A reload replaces the catalog, and with it the pages. */
  readonly catalog: PagesSettings["catalog"];
  readonly pages: ReturnType<typeof createLruByteCache<RenderedPage>>;
}

const caches = new WeakMap<PagesSettings, PageCache>();

export function keptPage(visit: Visit, kept: KeptPage): Response {
  const rendered = renderedPage(visit, kept);
  return rendered === null ? page(visit, kept.content(visit)) : answerOf(visit, rendered);
}

function answerOf(visit: Visit, { template, holes }: RenderedPage): Response {
  const contents = holes.map((hole) => Buffer.from(contentOf(hole, visit)));
  const packed = fillTemplate(template, contents);
  const compressed = acceptsGzip(visit);
  return respond(visit, 200, compressed ? packed : new Uint8Array(gunzipSync(packed)), pageHeaders(visit, { compressed }));
}

/** Null for a page that cannot be kept. */
function renderedPage(visit: Visit, page: KeptPage): RenderedPage | null {
  const key = keyOf(visit, page);
  if (key === null) return null;
  const { pages } = cacheOf(visit.settings);
  const kept = pages.get(key);
  if (kept !== undefined) return kept;
  const rendered = render(visit, page);
  if (rendered !== null) pages.set(key, rendered);
  return rendered;
}

/** Pages of both settings count to one limit. `derived` has the same catalog. */
export function shareKeptPages(derived: PagesSettings, settings: PagesSettings): void {
  caches.set(derived, cacheOf(settings));
}

function cacheOf(settings: PagesSettings): PageCache {
  const known = caches.get(settings);
  if (known?.catalog === settings.catalog) return known;
  const bytesOf = ({ template }: RenderedPage, key: string) => template.bytes.length + 2 * key.length + entryBytes;
  const created = { catalog: settings.catalog, pages: createLruByteCache(keptBytesMax, bytesOf) };
  caches.set(settings, created);
  return created;
}

/** Null for a page that is not kept. Holds all that `sharedVisit` lets the content read. */
function keyOf(
  { url, server, i18n, account, serverPreference, unknownLocale, now }: Visit,
  { key, params, daysSince }: KeptPage,
): string | null {
  if (unknownLocale || url.search.length > queryCharsMax) return null;
  // Forms send their empty fields too.
  if ([...url.searchParams].some(([name, value]) => value !== "" && name !== "locale" && !params.includes(name))) return null;
  const visitor = account === null ? null : [account.theme, account.admin];
  return JSON.stringify([server, url.pathname, url.search, i18n.locale, serverPreference, visitor, daysBetween(daysSince, now), key]);
}

function daysBetween(since: string, now: Date): number {
  return Math.floor((now.getTime() - Date.parse(since)) / dayMs);
}

/** Null if the content is personal. */
function render(visit: Visit, { daysSince, content }: KeptPage): RenderedPage | null {
  const holes: Hole[] = [];
  // Unknown to everyone, so that no text of a site can contain it.
  const word = randomBytes(markBytes).toString("hex");
  const mark = (hole: Hole) => `${word}-${holes.push(hole) - 1}.`;
  const shared = sharedVisit(visit, mark, daysSince);
  const html = htmlOf(shared.visit, content(shared.visit));
  if (shared.isPersonal()) return null;
  const pieces = html.split(new RegExp(`${word}-(\\d+)\\.`));
  const inOrder = pieces.flatMap((piece, at) => (at % 2 === 1 ? (holes[Number(piece)] ?? []) : []));
  const parts = pieces.map((piece, at): TemplatePart => {
    const hole = at % 2 === 1 ? holes[Number(piece)] : undefined;
    return hole === undefined ? piece : { holeBytes: holeBytes[hole.kind] };
  });
  return { template: createGzipTemplate(parts, compressionLevel), holes: inOrder };
}

/** Visit with marks for holes and only what the key holds; anything else that is read from it makes the page personal. */
function sharedVisit(visit: Visit, mark: (hole: Hole) => string, daysSince: string) {
  let personal = false;
  const only = <T extends object>(whole: T, names: readonly (keyof T)[]): T =>
    new Proxy(whole, {
      get: (target, name) => {
        if (!names.includes(name as keyof T)) personal = true;
        return target[name as keyof T];
      },
    });
  const whole: Visit = {
    ...visit,
    account: visit.account === null ? null : only(visit.account, ["theme", "admin"]),
    now: new Date(Date.parse(daysSince) + daysBetween(daysSince, visit.now) * dayMs),
    nonce: mark({ kind: "nonce" }),
  };
  const names: readonly (keyof Visit)[] = [
    "url",
    "server",
    "i18n",
    "account",
    "settings",
    "now",
    "nonce",
    "serverPreference",
    "unknownLocale",
  ];
  return { visit: only(whole, names), isPersonal: () => personal };
}

function contentOf(hole: Hole, visit: Visit): string {
  switch (hole.kind) {
    case "nonce":
      return visit.nonce;
  }
}
