/** Reads where somebody can be reached: a mail address or a page. */

/** More than any mail address (RFC 5321 section 4.5.3.1.3: 254), and enough for a page. */
const contactCharsMax = 500;

/** A URI that can be linked to and that RFC 9116 section 2.5.3 takes: `mailto:` also for a bare mail address, else `https:`. */
export function parseContact(text: string): string | null {
  if (text.length > contactCharsMax || !/^[\x21-\x7e]+$/.test(text)) return null;
  if (/^https:\/\//i.test(text)) return URL.parse(text)?.href ?? null;
  const [, address] = /^(?:mailto:)?([^@?:/<>"%]+@[^@?:/<>"%]+)$/i.exec(text) ?? [];
  return address === undefined ? null : `mailto:${address}`;
}
