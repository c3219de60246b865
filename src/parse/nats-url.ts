/** Address of a nats-server, as operators write it in settings. */
import { parseIpText } from "./address.ts";

export interface NatsUrl {
  /** DNS name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

const portDefault = 4222;
/** Longer than any host (RFC 1035 section 2.3.4: 255) with scheme and port. */
const natsUrlCharsMax = 300;

/** `tls://host[:port]`, or `nats://` with a loopback address; null for anything else. Credentials in a URL would reach logs. */
export function parseNatsUrl(text: string): NatsUrl | null {
  if (text.length > natsUrlCharsMax) return null;
  const [, scheme, authority] = /^(tls|nats):\/\/([^/?#\\@\s]+)\/?$/i.exec(text) ?? [];
  // A special scheme makes the URL parser check and normalise the host.
  const url = authority === undefined ? null : URL.parse(`http://${authority}`);
  if (url === null || scheme === undefined || url.hostname === "" || url.port === "0") return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const tls = scheme.toLowerCase() === "tls";
  if (!tls && !isLoopback(host)) return null;
  return { host, port: portOf(authority ?? "", url), tls };
}

/** The URL parser drops port 80, the default of the scheme that stands in. */
function portOf(authority: string, url: URL): number {
  if (url.port !== "") return Number(url.port);
  return /:0*80$/.test(authority) ? 80 : portDefault;
}

function isLoopback(host: string): boolean {
  const address = parseIpText(host);
  if (address === null) return host === "localhost";
  return address.startsWith("127.") || address === "::1";
}
