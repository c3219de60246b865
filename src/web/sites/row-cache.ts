/**
 * Pages with a long table: its rows are rendered once for each state of a site, and compressed in blocks that are cached.
 * The rest of such a page is never compressed: it repeats parts of the address, which other sites choose. The length of the body must not
 * show how much of that resembles names of sites (BREACH).
 */
import { randomBytes } from "node:crypto";
import { type GzipPart, joinGzip, packPart, storedPart } from "../../base/gzip-parts.ts";
import { createLruByteCache } from "../../base/lru-cache.ts";
import { htmlOf, type PageContent, pageHeaders } from "../page.tsx";
import { acceptsGzip, respond } from "../response.ts";
import type { Visit } from "../visit.ts";

/** Some 3,000 rows. */
const rowsBytesMax = 16 * 2 ** 20;
/** Some 3,000 rows, as many as the other cache has. */
const blocksBytesMax = 8 * 2 ** 20;
/** Memory of an entry beside its texts. */
const entryBytes = 200;
/** zlib level: a whole list must be compressed within a few milliseconds. */
const compressionLevel = 4;
/** Rows that are compressed together: some 120 KB, a multiple of the window of the compression. */
const blockRows = 50;
/** More rows are rendered step by step. */
const renderedAtOnceMax = 40;
const placeholderBytes = 16;

interface CachedRow {
  /** Another one for each HTML. */
  readonly version: number;
  /** Begins with `<tr`. */
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

/** Row that is rendered when it is needed, unless it is cached. */
export interface RowSource {
  readonly isCached: boolean;
  row(): CachedRow;
}

/** Row by `key`, rendered again if `state` differs. `state` holds all that the row shows. */
export function rowSource(key: string, state: string, render: () => string): RowSource {
  const known = rows.get(key);
  if (known?.state === state) return { isCached: true, row: () => known };
  return {
    isCached: false,
    row: () => {
      const row: StoredRow = { state, html: render(), version: versions++ };
      rows.set(key, row);
      return row;
    },
  };
}

export interface PlacedRow {
  readonly source: RowSource;
  readonly hidden: boolean;
}

/** Answers the page whose content holds `rowsPlaceholder`, with the rows in its place. */
export function pageWithRows(visit: Visit, content: PageContent, placed: readonly PlacedRow[]): Response {
  const [head = "", tail = ""] = htmlOf(visit, content).split(rowsPlaceholder);
  const isStreamed = placed.filter(({ source }) => !source.isCached).length > renderedAtOnceMax;
  const compressed = !isStreamed && acceptsGzip(visit);
  const headers = pageHeaders(visit, { secret: true, compressed });
  return respond(visit, content.status ?? 200, body(), headers);

  function body() {
    if (isStreamed) return streamedPage(head, placed, tail);
    const rendered = placed.map(({ source, hidden }) => ({ row: source.row(), hidden }));
    return compressed ? packedPage(head, rendered, tail) : `${head}${rendered.map(htmlOfRow).join("")}${tail}`;
  }
}

/** Sends what there is while the rest is rendered, and lets other requests run meanwhile: as after a start, when no row is cached. */
function streamedPage(head: string, placed: readonly PlacedRow[], tail: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let sent = -1;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent === -1) controller.enqueue(encoder.encode(head));
      else await new Promise((resolve) => setImmediate(resolve));
      const next = sent === -1 ? [] : placed.slice(sent, sent + renderedAtOnceMax);
      sent = sent === -1 ? 0 : sent + next.length;
      if (next.length > 0)
        controller.enqueue(encoder.encode(next.map(({ source, hidden }) => htmlOfRow({ row: source.row(), hidden })).join("")));
      if (sent < placed.length) return;
      controller.enqueue(encoder.encode(tail));
      controller.close();
    },
  });
}

interface RenderedRow {
  readonly row: CachedRow;
  readonly hidden: boolean;
}

function htmlOfRow({ row: { html }, hidden }: RenderedRow): string {
  return hidden ? html.replace("<tr", "<tr hidden") : html;
}

/** Rows of a block are compressed together, and again only when one of them has changed. */
function packedPage(head: string, placed: readonly RenderedRow[], tail: string): Uint8Array<ArrayBuffer> {
  const blocks = Array.from({ length: Math.ceil(placed.length / blockRows) }, (_none, at) =>
    packedBlock(placed.slice(at * blockRows, (at + 1) * blockRows)),
  );
  return joinGzip([storedPart(head), ...blocks, storedPart(tail)]);
}

function packedBlock(placed: readonly RenderedRow[]): GzipPart {
  const key = placed.map(({ row: { version }, hidden }) => (hidden ? -version - 1 : version)).join(" ");
  const known = blocks.get(key);
  if (known !== undefined) return known;
  const packed = packPart(placed.map(htmlOfRow).join(""), compressionLevel);
  blocks.set(key, packed);
  return packed;
}
