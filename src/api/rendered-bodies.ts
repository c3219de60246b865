/** LRU cache of rendered bodies of finished scans: they never change while the process runs, and rendering is costly. */

const bodiesMax = 1_000;
/** A thousand usual bodies of 40 KB; a body with every finding has a megabyte. */
const charsMax = 40_000_000;

export interface RenderedBody {
  readonly json: string;
  /** Strong hash of the body, so that new texts of a release change it. */
  readonly etag: string;
}

export class RenderedBodies {
  private readonly bodies = new Map<string, RenderedBody>();
  private chars = 0;

  /** Returns the cached body or renders and caches it; evicts the least recently used bodies. */
  get(key: string, render: () => string): RenderedBody {
    const kept = this.bodies.get(key);
    if (kept !== undefined) {
      // Marks the entry as most recently used.
      this.bodies.delete(key);
      this.bodies.set(key, kept);
      return kept;
    }
    const rendered = withEtag(render());
    this.bodies.set(key, rendered);
    this.chars += rendered.json.length;
    for (const [oldest, { json }] of this.bodies) {
      if (this.bodies.size <= bodiesMax && this.chars <= charsMax) break;
      this.bodies.delete(oldest);
      this.chars -= json.length;
    }
    return rendered;
  }
}

export function withEtag(json: string): RenderedBody {
  return { json, etag: `"${new Bun.CryptoHasher("sha256").update(json).digest("base64url").slice(0, 22)}"` };
}

/** RFC 9110 section 13.1.2: a list of tags, compared weakly, or `*` for any. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].some((match) => match[1] === etag);
}
