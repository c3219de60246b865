/**
 * Pages with a long table: its rows are rendered once for each state of a site, and compressed together in blocks that are cached.
 * The rest of such a page is never compressed: it repeats parts of the address, which other sites choose. The length of the body must not
 * show how much of that resembles names of sites (BREACH).
 */
import { randomBytes } from "node:crypto";
import { type GzipPart, joinGzip, packPart, storedPart } from "../../base/gzip-parts.ts";
import { createLruByteCache } from "../../base/lru-cache.ts";
import { htmlOf, type PageContent, pageHeaders } from "../page.tsx";
import { acceptsGzip, respond } from "../response.ts";
import type { Visit } from "../visit.ts";

/** Rows of one list that are rendered ahead: less than the cache holds. */
export const rowsMax = 2_000;
/** Some 3,000 rows. */
const rowsBytesMax = 16 * 2 ** 20;
/** Some 3,000 rows, as many as the other cache has. */
const blocksBytesMax = 8 * 2 ** 20;
/** Memory of an entry beside its texts. */
const entryBytes = 200;
/** zlib level: a whole list must be compressed within a few milliseconds. */
const compressionLevel = 4;
const placeholderBytes = 16;

export interface CachedRow {
  /** Another one for each HTML. */
  readonly version: number;
  readonly html: string;
}

interface StoredRow extends CachedRow {
  readonly state: string;
}

const rows = createLruByteCache<StoredRow>(
  rowsBytesMax,
  ({ state, html }, key) => 2 * (state.length + html.length + key.length) + entryBytes,
);
const blocks = createLruByteCache<GzipPart>(
  blocksBytesMax,
  ({ bytes, plain }, key) => bytes.length + plain.length + key.length + entryBytes,
);
let versions = 0;

/** Content of the `tbody` that gets the rows. Unknown to visitors, so that no text contains it. */
export const rowsPlaceholder = randomBytes(placeholderBytes).toString("hex");

/** Row by `key`, rendered again if `state` differs. `state` holds all that the row shows. */
export function cachedRow(key: string, state: string, render: () => string): CachedRow {
  const known = rows.get(key);
  if (known?.state === state) return known;
  const row: StoredRow = { state, html: render(), version: versions++ };
  rows.set(key, row);
  return row;
}

/** Answers the page whose content holds `rowsPlaceholder`, with the rows in its place. */
export function pageWithRows(visit: Visit, content: PageContent, shown: readonly CachedRow[]): Response {
  const [head = "", tail = ""] = htmlOf(visit, content).split(rowsPlaceholder);
  const compressed = acceptsGzip(visit);
  const body = compressed ? joinGzip([storedPart(head), packedRows(shown), storedPart(tail)]) : `${head}${htmlOfRows(shown)}${tail}`;
  return respond(visit, content.status ?? 200, body, pageHeaders(visit, { secret: true, compressed }));
}

function htmlOfRows(shown: readonly CachedRow[]): string {
  return shown.map(({ html }) => html).join("");
}

/** Compressed again only when one of them has changed, or in another order. */
function packedRows(shown: readonly CachedRow[]): GzipPart {
  const key = shown.map(({ version }) => version).join(" ");
  const known = blocks.get(key);
  if (known !== undefined) return known;
  const packed = packPart(htmlOfRows(shown), compressionLevel);
  blocks.set(key, packed);
  return packed;
}
