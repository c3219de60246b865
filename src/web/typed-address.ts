/** What a visitor means who types a host, or an address without its beginning, into a field. */

/** What is left as it is, for whoever judges it: everything else lacks its scheme. */
const withScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i;
/** An IPv6 address without brackets, which a URL would take for a host and a port. */
const bareIpv6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** `example.com` is `https://example.com`, and `::1` is `https://[::1]`. Whether that is an address at all is not asked here. */
export function addressMeant(typed: string): string {
  const text = typed.trim();
  if (withScheme.test(text)) return text;
  return `https://${isBareIpv6(text) ? `[${text}]` : text}`;
}

export function isBareIpv6(text: string): boolean {
  return bareIpv6.test(text);
}
