/** Parses integrity attributes, and decides which URLs have content that can be pinned. */
import { hostOf } from "./site.ts";

/** Weakest first. Browsers skip all other algorithms, including SHA-1 and MD5. */
const integrityAlgorithms = ["sha256", "sha384", "sha512"] as const;
export type IntegrityAlgorithm = (typeof integrityAlgorithms)[number];

export interface IntegrityHash {
  readonly algorithm: IntegrityAlgorithm;
  /** False if the text is not Base64 or has the wrong length: no file can match it. */
  readonly wellFormed: boolean;
}

export interface Integrity {
  readonly hashes: readonly IntegrityHash[];
  readonly skipped: readonly string[];
}

/** Base64 characters of a digest, without padding. */
const digestChars: Readonly<Record<IntegrityAlgorithm, number>> = { sha256: 43, sha384: 64, sha512: 86 };
/** Base64 in either alphabet, as the CSP grammar allows. */
const base64 = /^([a-z0-9+/_-]*)(={0,2})$/i;

/** Parses all hashes of the attribute. Options after a question mark have no meaning yet and are dropped. */
export function parseIntegrity(text: string): Integrity {
  const hashes: IntegrityHash[] = [];
  const skipped: string[] = [];
  for (const word of text.split(/[\t\n\f\r ]+/)) {
    if (word === "") continue;
    const [expression = ""] = word.split("?", 1);
    const dash = expression.indexOf("-");
    // Algorithm names are case-sensitive: browsers do not recognize SHA384.
    const algorithm = integrityAlgorithms.find((name) => name === expression.slice(0, Math.max(dash, 0)));
    if (algorithm === undefined) skipped.push(word);
    else hashes.push({ algorithm, wellFormed: isDigest(expression.slice(dash + 1), algorithm) });
  }
  return { hashes, skipped };
}

/** Hashes that a browser compares: only hashes of the strongest algorithm. One match is enough. */
export function strongestHashes({ hashes }: Integrity): readonly IntegrityHash[] {
  const strongest = integrityAlgorithms.findLast((name) => hashes.some(({ algorithm }) => algorithm === name));
  return hashes.filter(({ algorithm }) => algorithm === strongest);
}

/** True if browsers verify the file by the attribute and can find it to match. */
export function hasUsableHash(attribute: string | null): boolean {
  return strongestHashes(parseIntegrity(attribute ?? "")).some(({ wellFormed }) => wellFormed);
}

/** Ed25519 key of 32 bytes (draft "Signature-based Integrity", section 2.1). */
const signatureKey = /^ed25519-[a-z0-9+/_-]{43}=?$/i;

/** True if the attribute has a public key. Chromium refuses files without its signature from version 141 on; other browsers skip it. */
export function hasSignatureKey({ skipped }: Integrity): boolean {
  return skipped.some((word) => signatureKey.test(word.split("?", 1)[0] ?? ""));
}

function isDigest(text: string, algorithm: IntegrityAlgorithm): boolean {
  const [, chars] = base64.exec(text) ?? [];
  return chars?.length === digestChars[algorithm];
}

// URLs whose content does not change, so that an integrity hash stays valid.

/** Hosts of package archives, which also offer every file under an exact version. */
const packageHosts: readonly string[] = (
  "ajax.aspnetcdn.com ajax.googleapis.com cdn.bootcdn.net cdn.bootcss.com cdn.jsdelivr.net cdn.skypack.dev cdn.staticfile.org " +
  "cdnjs.cloudflare.com code.jquery.com esm.sh fastly.jsdelivr.net ga.jspm.io lib.baomitu.com maxcdn.bootstrapcdn.com " +
  "netdna.bootstrapcdn.com stackpath.bootstrapcdn.com unpkg.com use.fontawesome.com"
).split(" ");
/** A UUID identifies an account, not a version or content. */
const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const exactVersion = /(?<![\d.])v?\d+\.\d+/i;
/** Hash of the content in a file name, as bundlers write it: at least 8 hexadecimal digits in lower case, letters and numbers. */
const contentHash = /(?<![\dA-Za-z])(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{8,64}(?![\dA-Za-z])/;

/** True if the URL names an exact version or a hash of the content. Package archives offer every file under an exact version. */
export function isPinnableUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const named = (parsed.pathname + parsed.search).replace(uuid, "");
  return packageHosts.includes(hostOf(url) ?? "") || exactVersion.test(named) || contentHash.test(named);
}

/** The URL that a browser requests: without the part from `#` on. */
export function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? "";
}
