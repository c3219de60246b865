/** Number and depth of the values in a JSON text (RFC 8259), found without parsing it: a short text can hold millions of empty lists. */

export interface JsonSize {
  /** Of valid JSON: at least the number of its values, without names. */
  readonly values: number;
  /** Of lists and objects inside each other; 0 for a single value. */
  readonly depth: number;
}

const [quote, backslash, comma, listStart, listEnd, objectStart, objectEnd] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Of anything else than JSON, the numbers mean nothing. */
export function jsonSize(json: Uint8Array): JsonSize {
  let values = 1;
  let depth = 0;
  let open = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) {
      const end = stringEnd(json, at);
      if (end < 0) break;
      at = end;
    } else if (byte === listStart || byte === objectStart) {
      values++;
      depth = Math.max(depth, ++open);
    } else if (byte === comma) values++;
    else if (byte === listEnd || byte === objectEnd) open--;
  }
  return { values, depth };
}

/** Position of the quote that ends the string; -1 without one. */
function stringEnd(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (json[before] === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
