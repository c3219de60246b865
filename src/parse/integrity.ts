/** Reads the integrity attribute of a script or style sheet as browsers do (Subresource Integrity, "parse metadata"). */

/** In rising strength. Any other algorithm, SHA-1 and MD5 with it, is skipped by browsers. */
const integrityAlgorithms = ["sha256", "sha384", "sha512"] as const;
export type IntegrityAlgorithm = (typeof integrityAlgorithms)[number];

export interface IntegrityHash {
  readonly algorithm: IntegrityAlgorithm;
  /** False when the text is not Base64, or not of the algorithm's length: no file can ever match it. */
  readonly wellFormed: boolean;
}

export interface Integrity {
  /** Hashes of a known algorithm, in order. */
  readonly hashes: readonly IntegrityHash[];
  /** Words of which a browser makes nothing. */
  readonly skipped: readonly string[];
}

/** Base64 characters that a digest takes without padding. */
const digestChars: Readonly<Record<IntegrityAlgorithm, number>> = { sha256: 43, sha384: 64, sha512: 86 };
/** Base64 with either alphabet, as the grammar of CSP allows. */
const base64 = /^([a-z0-9+/_-]*)(={0,2})$/i;

/** All hashes of the attribute. Options after a question mark have no meaning yet and are left aside. */
export function parseIntegrity(text: string): Integrity {
  const hashes: IntegrityHash[] = [];
  const skipped: string[] = [];
  for (const word of text.split(/[\t\n\f\r ]+/)) {
    if (word === "") continue;
    const [expression = ""] = word.split("?", 1);
    const dash = expression.indexOf("-");
    // The names are compared letter by letter: SHA384 is unknown to a browser.
    const algorithm = integrityAlgorithms.find((name) => name === expression.slice(0, Math.max(dash, 0)));
    if (algorithm === undefined) skipped.push(word);
    else hashes.push({ algorithm, wellFormed: isDigest(expression.slice(dash + 1), algorithm) });
  }
  return { hashes, skipped };
}

/** The hashes that a browser compares: those of the strongest algorithm alone; any one of them may match. */
export function strongestHashes({ hashes }: Integrity): readonly IntegrityHash[] {
  const strongest = integrityAlgorithms.findLast((name) => hashes.some(({ algorithm }) => algorithm === name));
  return hashes.filter(({ algorithm }) => algorithm === strongest);
}

function isDigest(text: string, algorithm: IntegrityAlgorithm): boolean {
  const [, chars] = base64.exec(text) ?? [];
  return chars?.length === digestChars[algorithm];
}
