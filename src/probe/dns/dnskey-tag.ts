/** Tells which key of a zone a DS record means: RFC 4034 appendix B. */

/** What a DNSKEY record holds, besides the protocol, which is always 3. */
interface Dnskey {
  readonly flags: number;
  readonly algorithm: number;
  readonly key: Uint8Array;
}

const protocol = 3;

/** The sum of the record's 16-bit words, the carry added once. Algorithm 1 has a rule of its own, and is not in use. */
export function dnskeyTag({ flags, algorithm, key }: Dnskey): number {
  const bytes = Uint8Array.from([flags >> 8, flags & 0xff, protocol, algorithm, ...key]);
  const sum = bytes.reduce((total, byte, at) => total + (at % 2 === 0 ? byte << 8 : byte), 0);
  return (sum + ((sum >> 16) & 0xffff)) & 0xffff;
}
