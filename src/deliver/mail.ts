/** Sends mails over SMTP by the server that the operator configured. The only user of nodemailer. */
import { createTransport, type SendMailOptions, type SMTPTransportOptions } from "nodemailer";
import { type Clock, withDeadline } from "../base/clock.ts";
import { configuredServiceGuard } from "../egress/configured-fetch.ts";
import { type Egress, openEgress } from "../egress/dial.ts";
import { verifyingContext } from "../egress/http-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { parseIpText } from "../parse/address.ts";
import { alternativeNames, namesCoverHost } from "../parse/certificate.ts";
import { type Mailbox, parseMailbox, type SmtpUrl } from "../parse/mail/smtp-settings.ts";
import { type FailedMail, mailFailureOf, otherNamesCode, unusableAddress } from "./mail-failure.ts";
import { logoContentId } from "./mail-layout.ts";

export interface MailerSettings extends Pick<EgressSettings, "dnsServers" | "connectTo"> {
  /** With its password, from whatever source. A user without one cannot sign in. */
  readonly server: SmtpUrl;
  readonly from: Mailbox;
  /** `required`: no mail without TLS, by STARTTLS for `smtp`. `off`: in clear, for `smtp` alone. */
  readonly tls: "required" | "off";
  /** Certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  /** Host by which this appliance introduces itself (RFC 5321 section 4.1.1.1). */
  readonly clientHost: string;
  readonly clock: Clock;
  /** Shorter in tests. */
  readonly limits?: MailLimits;
}

export interface MailLimits {
  /** For name, connection, TLS and sign-in. */
  readonly connectMs: number;
  /** From the connection to the greeting. */
  readonly greetingMs: number;
  /** From the start until the mail is sent whole. */
  readonly sendMs: number;
  /** For the reply to its end. */
  readonly acceptMs: number;
  /** For all of it while a request waits for the outcome; shorter than the idle timeout of the HTTP server. */
  readonly requestMs: number;
}

export interface OutgoingMail {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** PNG within the HTML; null without one. */
  readonly logo: Uint8Array<ArrayBuffer> | null;
  /** As in `<delivery-12@assay.example.org>`. The same for every attempt, so that a receiver recognises a copy. */
  readonly messageId: string;
  readonly date: Date;
  /** https, http or mailto; null for a mail that cannot be ended. With https, a POST to it must unsubscribe (RFC 8058). */
  readonly unsubscribe: string | null;
}

export type MailOutcome =
  | { readonly result: "sent"; readonly response: string; readonly ms: number }
  | ({ readonly result: "failed"; readonly ms: number } & FailedMail);

export interface Mailer {
  /** Never rejects for a failure of network or server. */
  send(mail: OutgoingMail, options?: MailOptions): Promise<MailOutcome>;
}

export interface MailOptions {
  /** Ends the attempt as `timeout`. */
  readonly signal?: AbortSignal;
  /** A request waits for the outcome. */
  readonly isAwaited?: boolean;
}

const limitsDefault: MailLimits = {
  connectMs: 15_000,
  greetingMs: 15_000,
  sendMs: 60_000,
  // RFC 5321 section 4.5.3.2.6: a client that gives up earlier, while a filter still reads the mail, sends a copy with each attempt.
  acceptMs: 600_000,
  requestMs: 20_000,
};
/** RFC 5321 section 4.5.3.1.5 allows 512 for a line; a reply may have several. */
const responseCharsMax = 500;
const serverResponseBytesMax = 65_536;

/** Holds no connection open: each mail has its own. */
export function openMailer(settings: MailerSettings): Mailer {
  const { clock, limits = limitsDefault } = settings;
  const trust = verifyingContext(settings.caPems);
  return {
    async send(mail, { signal, isAwaited = false } = {}) {
      const startedMs = clock.monotonicMs();
      const elapsedMs = () => Math.round(clock.monotonicMs() - startedMs);
      const message = messageOptions(settings.from, mail);
      // Nodemailer would send to the first address that it finds in the text.
      if (parseMailbox(mail.to)?.email !== mail.to) return { result: "failed", ...unusableAddress, ms: 0 };
      const egress = openEgress(configuredServiceGuard(settings));
      const late = new AbortController();
      const onSent = clock.after(limits.sendMs, () => late.abort());
      const limitMs = isAwaited ? limits.requestMs : limits.sendMs + limits.acceptMs;
      try {
        const transport = createTransport(transportOptions(settings, limits, { trust, egress, onSent }));
        const { response } = await withDeadline(clock, limitMs, [signal, late.signal], (deadline) =>
          transport.sendMail({ ...message, signal: deadline }),
        );
        return { result: "sent", response: printable(response).slice(0, responseCharsMax), ms: elapsedMs() };
      } catch (thrown) {
        return { result: "failed", ...mailFailureOf(thrown), ms: elapsedMs() };
      } finally {
        onSent();
        egress.close();
      }
    },
  };
}

interface Connecting {
  readonly trust: ReturnType<typeof verifyingContext>;
  readonly egress: Egress;
  /** The mail was sent whole; the server has not yet answered. */
  readonly onSent: () => void;
}

function transportOptions(
  { server, tls, clientHost }: MailerSettings,
  { connectMs, greetingMs, acceptMs }: MailLimits,
  { trust, egress, onSent }: Connecting,
): SMTPTransportOptions {
  const { host, port, user, password } = server;
  return {
    host,
    port,
    secure: server.scheme === "smtps",
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    tls: {
      secureContext: trust,
      rejectUnauthorized: true,
      // RFC 9525: the common name does not count. For rare key types the runtime has no certificate, which proves nothing.
      checkServerIdentity: (_host, { raw }) =>
        raw !== undefined && namesCoverHost(alternativeNames(raw), host)
          ? undefined
          : Object.assign(new Error("the certificate has other names"), { code: otherNamesCode }),
    },
    ...(user === null ? {} : { auth: { user, pass: password ?? "" }, forceAuth: true }),
    // Egress resolves the name as for every other connection, and ends the socket with the attempt.
    getSocket: (_options, callback) => {
      egress.dial(host, port, { deadlineMs: connectMs }).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error, false),
      );
    },
    name: literalOf(clientHost),
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    // Until the mail is sent, `sendMs` ends the attempt earlier.
    socketTimeout: acceptMs,
    maxResponseSize: serverResponseBytesMax,
    // The client notes the end of the mail, and has no event for it. Nothing is logged.
    logger: { info: (entry?: { readonly tnx?: string }) => (entry?.tnx === "message" ? onSent() : undefined) },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** RFC 5321 section 4.1.3. */
function literalOf(host: string): string {
  const address = parseIpText(host);
  if (address === null) return host;
  return address.includes(":") ? `[IPv6:${address}]` : `[${address}]`;
}

/** @throws Error for a message ID or link that would not be one: a mistake of the caller. */
function messageOptions(from: Mailbox, { to, subject, text, html, logo, messageId, date, unsubscribe }: OutgoingMail): SendMailOptions {
  if (!/^<[\w.+-]+@[\w.-]+>$/.test(messageId)) throw new Error(`${JSON.stringify(messageId)} is not a message ID`);
  const link = unsubscribe === null ? null : linkOf(unsubscribe);
  return {
    from: { name: oneLine(from.name ?? ""), address: from.email },
    to: { name: "", address: to },
    envelope: { from: from.email, to: [to] },
    subject: oneLine(subject),
    text,
    html,
    ...(logo === null ? {} : { attachments: [logoPart(logo)] }),
    messageId,
    date,
    xMailer: false,
    headers: {
      // RFC 3834 section 5: no vacation notice answers.
      "Auto-Submitted": "auto-generated",
      // RFC 8058 section 3.1: one-click needs https.
      ...(link?.startsWith("https:") ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {}),
    },
    ...(link === null ? {} : { list: { unsubscribe: link } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function logoPart(png: Uint8Array<ArrayBuffer>) {
  return {
    cid: logoContentId,
    filename: "logo.png",
    content: Buffer.from(png),
    contentType: "image/png",
    contentDisposition: "inline",
  } as const;
}

/** The URL parser encodes what would end the header. */
function linkOf(unsubscribe: string): string {
  const url = URL.parse(unsubscribe);
  if (url === null || !["https:", "http:", "mailto:"].includes(url.protocol) || /[<>\s,]/.test(url.href))
    throw new Error("the link to unsubscribe is neither http nor mailto");
  return url.href;
}

/** Nodemailer encodes what a header cannot hold; this also keeps names from other sources in one line, in reading order. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .trim();
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
