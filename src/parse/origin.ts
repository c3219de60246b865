/** Reads an origin of the web as people write it: scheme, host and perhaps a port, and nothing behind them. */

/** Longer than any host (RFC 1035 section 2.3.4: 255) with scheme and port. */
const originCharsMax = 300;

/** `https://assay.example.org`, `http://192.168.1.5:8787/`, in the form of the WHATWG URL standard, section 4.7: no slash at its end, no usual port. */
export function parseOrigin(text: string): string | null {
  if (text.length > originCharsMax || !/^https?:\/\/[^/?#\\@\s]+\/?$/i.test(text)) return null;
  return URL.parse(text)?.origin ?? null;
}
