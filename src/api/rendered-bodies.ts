/** LRU cache of rendered bodies: a finished scan never changes, and rendering is the costly part of a read. */
import { LRUCache } from "lru-cache";
import { prepareHeaders } from "./answer.ts";
import type { HeaderFields } from "./request-context.ts";

const bodiesMax = 1_000;
/** A thousand usual bodies of 40 KB; a body with every finding has a megabyte. */
const charsMax = 40_000_000;

export interface RenderedBody {
  readonly text: string;
  /** Strong hash of the body, so that new texts of a release change it. */
  readonly etag: string;
  /** With the ETag, for clients that ask again. */
  readonly headers: Headers;
}

export class RenderedBodies {
  private readonly bodies = new LRUCache<string, RenderedBody>({
    max: bodiesMax,
    maxSize: charsMax,
    sizeCalculation: ({ text }) => text.length,
  });

  private source: object | null = null;

  /** `sourceNow` gives the texts in use, or an object that changes with them: bodies of other texts are dropped. */
  constructor(private readonly sourceNow: () => object) {}

  /** What `render` throws is not kept. */
  get(key: string, render: () => RenderedBody): RenderedBody {
    const source = this.sourceNow();
    if (source !== this.source) this.bodies.clear();
    this.source = source;
    const known = this.bodies.get(key);
    if (known !== undefined) return known;
    const rendered = render();
    this.bodies.set(key, rendered);
    return rendered;
  }
}

/** `fields`: headers beside the ETag. */
export function withEtag(text: string, fields: HeaderFields = {}): RenderedBody {
  const etag = `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  return { text, etag, headers: prepareHeaders({ etag, "cache-control": "private, no-cache", ...fields }) };
}

/** Of a file that a browser saves under `fileName`, which is ASCII without quotes. */
export function downloadHeaders(mediaType: string, fileName: string): HeaderFields {
  return {
    "content-type": mediaType,
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "private, no-cache",
  };
}

/** RFC 9110 section 13.1.2: a list of tags, compared weakly, or `*` for any. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].some((match) => match[1] === etag);
}
