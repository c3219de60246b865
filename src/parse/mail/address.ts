/** Mail addresses, as accounts, channels and settings may have them. */

/** Characters of a mail address: RFC 5321 section 4.5.3.1.3, less the angle brackets. */
export const emailCharsMax = 254;

/** Labels of a host name (RFC 1123 section 2.1), also of an international one, or an address in brackets (RFC 5321 section 4.1.3). */
const mailHost = /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.(?!$)|$))+$|^\[[\d.:a-f]+\]$|^\[ipv6:[\d.:a-f]+\]$/iu;

/** Syntax check without blanks: text, `@`, and a host that a mail can be sent to. Only a delivered mail proves an address. */
export function isEmail(address: string): boolean {
  // Control characters would reach log lines, terminals and mail headers.
  const [, host] = /^[^\s@\p{Cc}\p{Cf}]+@([^\s@\p{Cc}\p{Cf}]+)$/u.exec(address) ?? [];
  return address.length <= emailCharsMax && host !== undefined && mailHost.test(host);
}
