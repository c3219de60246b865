/** Completes a typed host or URL without scheme. */

/** Already has a scheme, so it is left unchanged. */
const withScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i;
/** Bare IPv6 address, which a URL parser would read as host and port. */
const bareIpv6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** `example.com` becomes `https://example.com`, `::1` becomes `https://[::1]`. Does not validate. */
export function completeUrl(typed: string): string {
  const text = typed.trim();
  if (withScheme.test(text)) return text;
  return `https://${isBareIpv6(text) ? `[${text}]` : text}`;
}

export function isBareIpv6(text: string): boolean {
  return bareIpv6.test(text);
}
