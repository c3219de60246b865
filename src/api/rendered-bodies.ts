/** Keeps bodies of finished scans as they were last rendered: they never change while this process runs, and rendering is the dear part of a read. */

/** About 40 KB each, so some 40 MB when full. */
const bodiesMax = 1_000;

export interface RenderedBody {
  readonly json: string;
  /** Strong, made from the body itself, so that a new release with new texts gives a new one. */
  readonly etag: string;
}

export class RenderedBodies {
  private readonly bodies = new Map<string, RenderedBody>();

  /** The kept body, or what `render` gives, kept from now on. The body that was asked for longest ago makes room. */
  get(key: string, render: () => string): RenderedBody {
    const kept = this.bodies.get(key);
    if (kept !== undefined) {
      // Moved to the young end.
      this.bodies.delete(key);
      this.bodies.set(key, kept);
      return kept;
    }
    const rendered = withEtag(render());
    const oldest = this.bodies.size >= bodiesMax ? this.bodies.keys().next().value : undefined;
    if (oldest !== undefined) this.bodies.delete(oldest);
    this.bodies.set(key, rendered);
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
