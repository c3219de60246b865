/** Address of a mail server with credentials, as operators write it in settings. */

export interface SmtpUrl {
  /** `smtps` begins with TLS (RFC 8314); `smtp` begins in clear, for STARTTLS. */
  readonly scheme: "smtp" | "smtps";
  /** DNS name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Null without one. */
  readonly user: string | null;
  readonly password: string | null;
}

/** Ports of message submission: RFC 8314 section 7.3 and RFC 6409 section 3.1. */
const portDefaults = { smtps: 465, smtp: 587 } as const;
const smtpUrlCharsMax = 1_000;

/** `smtp://[user[:password]@]host[:port]` or `smtps://...`, with percent-encoded user and password; null for anything else. */
export function parseSmtpUrl(text: string): SmtpUrl | null {
  if (text.length > smtpUrlCharsMax) return null;
  const [, scheme, authority] = /^(smtps?):\/\/([^/?#\\\s]+)\/?$/i.exec(text) ?? [];
  // A special scheme makes the URL parser check and normalise the host.
  const url = authority === undefined ? null : URL.parse(`http://${authority}`);
  if (url === null || scheme === undefined || url.hostname === "" || url.port === "0") return null;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null || (user === "" && password !== "")) return null;
  const protocol = scheme.toLowerCase() === "smtps" ? "smtps" : "smtp";
  return {
    scheme: protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: portOf(authority ?? "", url) ?? portDefaults[protocol],
    user: user === "" ? null : user,
    password: password === "" ? null : password,
  };
}

/** As in the setting, with `***` for the password. */
export function smtpUrlText({ scheme, host, port, user, password }: SmtpUrl): string {
  const secret = password === null ? "" : ":***";
  const credentials = user === null ? "" : `${encodeURIComponent(user)}${secret}@`;
  return `${scheme}://${credentials}${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The URL parser drops port 80, the default of the scheme that stands in. */
function portOf(authority: string, url: URL): number | null {
  if (url.port !== "") return Number(url.port);
  return /:0*80$/.test(authority) ? 80 : null;
}

/** Null for text that is not percent-encoded UTF-8, and for control characters, which would end a command. */
function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? null : plain;
  } catch {
    return null;
  }
}
