/** Parses the sender of mails and the address of the mail server, as operators write them in settings. */
import { endpointText, parseServerUrl } from "../address.ts";
import { percentDecoded } from "../text.ts";
import { isEmail } from "./address.ts";

export interface Mailbox {
  /** Null if absent. */
  readonly name: string | null;
  readonly email: string;
}

const nameCharsMax = 100;

/** `reports@example.org`, `Reports <reports@example.org>` or `"Reports, daily" <reports@example.org>`; null for anything else. */
export function parseMailbox(text: string): Mailbox | null {
  // Control and format characters would reach mail headers and log lines.
  if (/[\p{Cc}\p{Cf}]/u.test(text)) return null;
  const [, given = "", bracketed, bare = ""] = /^(?:([^<>]*)<([^<>]*)>|([^<>]*))$/.exec(text.trim()) ?? [];
  const email = (bracketed ?? bare).trim();
  const name = given.trim().replace(/^"([^"\\]*)"$/, "$1");
  if (!isEmail(email) || /["(),:;<>[\]\\]/.test(email)) return null;
  if (name.length > nameCharsMax || name.includes('"')) return null;
  return { name: name === "" ? null : name, email };
}

/** As in the setting. */
export function mailboxText({ name, email }: Mailbox): string {
  return name === null ? email : `${name} <${email}>`;
}

export interface SmtpUrl {
  /** `smtps` begins with TLS (RFC 8314); `smtp` begins in clear, for STARTTLS. */
  readonly scheme: "smtp" | "smtps";
  /** DNS name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Null if absent. */
  readonly user: string | null;
  readonly password: string | null;
}

/** Ports of message submission: RFC 8314 section 7.3 and RFC 6409 section 3.1. */
const portDefaults = { smtps: 465, smtp: 587 } as const;
const smtpUrlCharsMax = 1_000;

/** `smtp://[user[:password]@]host[:port]` or `smtps://...`, with percent-encoded user and password; null for anything else. */
export function parseSmtpUrl(text: string): SmtpUrl | null {
  const server = text.length > smtpUrlCharsMax ? null : parseServerUrl(text, /^(smtps?):\/\/([^/?#\\\s]+)\/?$/i);
  if (server === null) return null;
  const [user, password] = [decoded(server.user), decoded(server.password)];
  if (user === null || password === null || (user === "" && password !== "")) return null;
  const scheme = server.scheme === "smtps" ? "smtps" : "smtp";
  const port = server.port ?? portDefaults[scheme];
  return { scheme, host: server.host, port, user: user || null, password: password || null };
}

/** As in the setting, with `***` for the password. */
export function smtpUrlText({ scheme, host, port, user, password }: SmtpUrl): string {
  const secret = password === null ? "" : ":***";
  const credentials = user === null ? "" : `${encodeURIComponent(user)}${secret}@`;
  return `${scheme}://${credentials}${endpointText(host, port)}`;
}

/** Decoded text; null if it is not percent-encoded UTF-8 or has control characters, which would end a command. */
function decoded(text: string): string | null {
  const plain = percentDecoded(text);
  return plain === null || /\p{Cc}/u.test(plain) ? null : plain;
}
