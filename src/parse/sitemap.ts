/**
 * Reads the addresses of a sitemap (sitemaps.org protocol 0.9). A special reader is enough for one element. A general XML parser would
 * bring document types and entities, which can expand without end.
 */

export type Sitemap =
  | {
      /** `pages`: a urlset. `sitemaps`: an index of further files. */
      readonly lists: "pages" | "sitemaps";
      /** As written, without white space around them; not validated. */
      readonly locations: readonly string[];
    }
  | { readonly fault: string };

/** Deeper elements belong to extensions, such as `image:loc`. */
const locationDepth = 3;
const depthMax = 32;
const predefined: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** A quoted attribute value may hold `>`. */
const tag = /^<(?<close>\/?)(?<name>[A-Za-z_][\w.:-]{0,99})(?<attributes>(?:[\s/](?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)>/;
const tagCharsMax = 4_096;
const cdataStart = "<![CDATA[";
/** Markup without an address, by its beginning and end. */
const skipped = [
  ["<!--", "-->"],
  ["<?", "?>"],
] as const;

/** `locationsMax`: later addresses are ignored. */
export function parseSitemap(text: string, locationsMax: number): Sitemap {
  const reading = new SitemapReading();
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length && reading.locations.length < locationsMax) {
    const next = reading.read(text, at);
    if (typeof next === "string") return { fault: next };
    at = next;
  }
  const { root, locations, isOpen } = reading;
  if (root === null) return { fault: "it is no XML" };
  if (isOpen && locations.length < locationsMax) return { fault: "it ends early" };
  return { lists: localName(root) === "urlset" ? "pages" : "sitemaps", locations };
}

const malformed = "it is not well-formed XML";

class SitemapReading {
  readonly locations: string[] = [];
  root: string | null = null;
  readonly #path: string[] = [];
  #content = "";

  get isOpen(): boolean {
    return this.#path.length > 0;
  }

  /** Reads one piece, and returns the offset of the next one or the fault. */
  read(text: string, at: number): number | string {
    if (text[at] !== "<") {
      const next = text.indexOf("<", at);
      const end = next < 0 ? text.length : next;
      const characters = text.slice(at, end);
      if (this.#path.length === 0 && characters.trim() !== "") return "it is no XML";
      if (isLocation(this.#path, this.root)) this.#content += unescaped(characters);
      return end;
    }
    for (const [start, end] of skipped) if (text.startsWith(start, at)) return endOf(text, end, at + start.length) ?? malformed;
    if (text.startsWith(cdataStart, at)) {
      const end = endOf(text, "]]>", at + cdataStart.length);
      if (end !== null && isLocation(this.#path, this.root)) this.#content += text.slice(at + cdataStart.length, end - "]]>".length);
      return end ?? malformed;
    }
    if (text.startsWith("<!", at)) return "it has a document type, which sitemaps do not need and which is not read";
    const match = tag.exec(text.slice(at, at + tagCharsMax));
    if (match === null) return malformed;
    const { close = "", name = "", attributes = "" } = match.groups ?? {};
    const fault = close === "/" ? this.#close(name) : this.#open(name, attributes.endsWith("/"));
    return fault ?? at + match[0].length;
  }

  #open(name: string, isEmpty: boolean): string | null {
    if (this.#path.length === 0) {
      if (this.root !== null) return malformed;
      if (!/^(?:[\w.-]+:)?(?:urlset|sitemapindex)$/.test(name))
        return "it is no sitemap: its first element is neither urlset nor sitemapindex";
      this.root = name;
    }
    this.#content = "";
    if (!isEmpty) this.#path.push(name);
    return this.#path.length > depthMax ? "its elements are nested too deeply" : null;
  }

  #close(name: string): string | null {
    if (this.#path.at(-1) !== name) return malformed;
    if (isLocation(this.#path, this.root)) this.locations.push(this.#content.trim());
    this.#path.pop();
    return null;
  }
}

/** Offset after the text; null if it does not occur. */
function endOf(text: string, end: string, from: number): number | null {
  const at = text.indexOf(end, from);
  return at < 0 ? null : at + end.length;
}

/** `loc` in `url` or `sitemap`, with the prefix of the root. */
function isLocation(path: readonly string[], root: string | null): boolean {
  if (root === null || path.length !== locationDepth) return false;
  const prefix = root.slice(0, root.length - localName(root).length);
  return path[1] === prefix + (localName(root) === "urlset" ? "url" : "sitemap") && path[2] === `${prefix}loc`;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Only the references that XML itself defines (section 4.6), and numbers. Others stay as they are. */
function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return predefined[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
