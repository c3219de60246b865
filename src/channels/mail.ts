/** Sends mail by SMTP, and classifies its failures. */
import { createTransport, type SendMailOptions, type SMTPTransportOptions } from "nodemailer";
import { type Clock, withDeadline } from "../base/clock.ts";
import { configuredServiceGuard } from "../egress/configured-fetch.ts";
import { type Egress, openEgress } from "../egress/dial.ts";
import { EgressError } from "../egress/egress-error.ts";
import { verifyingContext } from "../egress/http-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { parseIpText } from "../parse/address.ts";
import { alternativeNames, namesCoverHost } from "../parse/certificate.ts";
import { type Mailbox, parseMailbox, type SmtpUrl } from "../parse/mail/smtp-settings.ts";
import type { MailImage, RenderedMail } from "./mail-frame.ts";

export interface MailerSettings extends Pick<EgressSettings, "dnsServers" | "connectTo"> {
  /** Address with user and password. A user without a password cannot sign in. */
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
  /** Limit for name, connection, TLS and sign-in. */
  readonly connectMs: number;
  /** Limit from the connection to the greeting. */
  readonly greetingMs: number;
  /** Limit from the start until the mail is sent whole. */
  readonly sendMs: number;
  /** Limit for the reply to the end of the mail. */
  readonly acceptMs: number;
  /** Limit for everything while a request waits for the outcome; shorter than the idle timeout of the HTTP server. */
  readonly requestMs: number;
}

/** Name of the sender: without one, the name in `from`. */
export interface OutgoingMail extends Omit<RenderedMail, "sender">, Partial<Pick<RenderedMail, "sender">> {
  /** One address, without a name. */
  readonly to: string;
  /** Message id, such as `<delivery-12@assay.example.org>`. Equal in every attempt, so that a receiver recognises a copy. */
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
function messageOptions(
  from: Mailbox,
  { sender, to, subject, text, html, images, messageId, date, unsubscribe }: OutgoingMail,
): SendMailOptions {
  if (!/^<[\w.+-]+@[\w.-]+>$/.test(messageId)) throw new Error(`${JSON.stringify(messageId)} is not a message ID`);
  const link = unsubscribe === null ? null : linkOf(unsubscribe);
  return {
    from: { name: oneLine(sender ?? from.name ?? ""), address: from.email },
    to: { name: "", address: to },
    envelope: { from: from.email, to: [to] },
    subject: oneLine(subject),
    text,
    html,
    attachments: images.map(imagePart),
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

function imagePart({ contentId, fileName, png }: MailImage) {
  return {
    cid: contentId,
    filename: fileName,
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

/**
 * `recipient`: there is no such mailbox, or it takes no mail. `refused`: the server does not take the mail or the connection.
 * `greylisted`: it takes the mail later.
 */
export type MailFailure = "unreachable" | "timeout" | "tls" | "certificate" | "sign-in" | "recipient" | "sender" | "refused" | "greylisted";

export interface FailedMail {
  readonly because: MailFailure;
  /** A further attempt would fail too. False where the operator can remove the cause. */
  readonly permanent: boolean;
  /** Reply code of SMTP; null without one. */
  readonly code: number | null;
}

/** Error of the SMTP client, as far as it is read here. */
interface SmtpError {
  readonly code?: string | undefined;
  /** Code of the system or of OpenSSL. */
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  /** Reply of the server, with its code. */
  readonly response?: string | undefined;
  /** The code is one of 500 to 599. */
  readonly permanent?: boolean | undefined;
}

const unusableAddress: FailedMail = { because: "recipient", permanent: true, code: null };

/** Code of the error for a certificate with other names. */
const otherNamesCode = "CERT_OTHER_NAMES";

/** Codes of OpenSSL for a refused certificate, as the runtime names them. */
const certificateCodes = /CERT|^(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
const tlsCodes = /^(?:ERR_SSL|ERR_TLS|EPROTO)/;
/** Replies that ask for a sign-in: RFC 4954 section 6. */
const signInCodes: readonly number[] = [530, 534, 535, 538];
/** Replies that receivers use to put off an unknown sender: RFC 6647 section 2.1. */
const greylistingCodes: readonly number[] = [450, 451];

export function mailFailureOf(thrown: unknown): FailedMail {
  const temporary = (because: MailFailure, code: number | null = null): FailedMail => ({ permanent: false, because, code });
  if (thrown instanceof EgressError) return temporary(thrown.because === "timeout" ? "timeout" : "unreachable");
  const error = thrown as SmtpError;
  const { code, originalCode = "", responseCode: reply = null } = error;
  if (code === "EABORT" || code === "ETIMEDOUT") return temporary("timeout");
  if (certificateCodes.test(originalCode)) return temporary("certificate");
  if (code === "ETLS" || tlsCodes.test(originalCode)) return temporary("tls", reply);
  if (code === "EAUTH" || (reply !== null && signInCodes.includes(reply))) return temporary("sign-in", reply);
  return failureOfStage(error, reply);
}

/** The command that failed decides. */
function failureOfStage({ code, command, response = "", permanent = false }: SmtpError, reply: number | null): FailedMail {
  const isGreylisting = reply !== null && greylistingCodes.includes(reply);
  if (command === "RCPT TO")
    return isGreylisting ? { because: "greylisted", permanent: false, code: reply } : refusedRecipient(response, reply);
  if (command === "DATA") return { because: isGreylisting ? "greylisted" : "refused", permanent, code: reply };
  if (command === "API" && code === "EENVELOPE") return unusableAddress;
  // Larger than the server takes.
  if (code === "EMESSAGE" || (command === "MAIL FROM" && reply === 552)) return { because: "refused", permanent: true, code: reply };
  // The operator can configure another sender.
  if (command === "MAIL FROM") return { because: isGreylisting ? "greylisted" : "sender", permanent: false, code: reply };
  return { because: reply === null ? "unreachable" : "refused", permanent: false, code: reply };
}

/** Subjects of an enhanced status code that may be about the recipient: RFC 3463 sections 3.2 and 3.3. */
const addressSubject = 1;
const mailboxSubject = 2;
/** 1.10 is of RFC 7505. 1.7 and 1.8 are about the sender, and Postfix answers 1.0 for one that it does not know. */
const recipientDetails: readonly number[] = [1, 2, 3, 4, 6, 10];
/** 2.3 is about the length of the mail. */
const mailboxDetails: readonly number[] = [0, 1, 2, 4];
/** RFC 3463 section 3.3: the recipient can make space. */
const mailboxFullDetail = 2;

/** RFC 5321 section 4.2.3: codes of a mailbox that does not exist, or not here. Servers refuse for any other cause with them too. */
const noMailboxCodes: readonly number[] = [550, 551];
const mailbox = "(?:user|mailbox|recipient|addressee|account|local part)";
/** Words of the common servers for a mailbox that does not exist, in a text of words alone. */
const noMailbox = new RegExp(
  [
    `no such (?:local |mail |email |virtual )?(?:${mailbox}|address|person)`,
    `no (?:local )?${mailbox} (?:here )?(?:by|with) (?:that|this) name`,
    `unknown (?:local |virtual )?${mailbox}`,
    "(?:invalid|non ?existent) (?:recipient|mailbox)",
    "not a valid (?:recipient|mailbox|user)",
    `${mailbox} (?:address )?(?:that you tried to reach )?(?:is |was )?(?:unknown|not found|not known|not local|rejected as unknown)`,
    `${mailbox} (?:address )?(?:that you tried to reach )?(?:does not|doesn t|did not) exist`,
    "mailbox (?:is |was )?unavailable",
  ]
    .map((words) => `\\b${words}\\b`)
    .join("|"),
);
/** Words of a refusal for another cause, even if it also names a mailbox: servers look up the one of the sender too. */
const otherCauses =
  /\b(?:relay\w*|sender|auth\w*|client|spam|polic\w*|block\w*|black ?list\w*|prohibit\w*|denied|helo|ehlo|spf|dkim|dmarc|dns|ptr|quota|limit|passwords?|logged)\b/;

/** Characters of a reply that are read: several lines of RFC 5321 section 4.5.3.1.5. */
const replyCharsMax = 4_000;
/** Parts of a mail address or host name may be any words. */
const addresses = /[^\s<>()"',;:=]*@[^\s<>()"',;:]*/g;
const hosts = /[\w-]+(?:\.[\w-]+)+/g;

/** Words of the reply in lower case, without words of addresses. */
function wordsOf(response: string): string {
  const text = response.slice(0, replyCharsMax).replace(addresses, " ").replace(hosts, " ");
  return text.toLowerCase().replace(/[^a-z0-9]+/g, " ");
}

function namesNoMailbox(response: string): boolean {
  const words = wordsOf(response);
  return noMailbox.test(words) && !otherCauses.test(words);
}

/**
 * Servers report the refusal of a relay, a client or a sender as a reply to the recipient too. Those are mistakes of the operator's settings
 * that hit every mail. Only a reply that names the mailbox may disable a channel.
 */
function refusedRecipient(response: string, reply: number | null): FailedMail {
  const [, ...digits] = /^\d{3}[ -]([245])\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? [];
  const [kind, subject, detail] = digits.map(Number);
  const refused: FailedMail = { because: "refused", permanent: false, code: reply };
  if (kind === undefined || detail === undefined) {
    const isOfMailbox = reply !== null && noMailboxCodes.includes(reply) && namesNoMailbox(response);
    return isOfMailbox ? { because: "recipient", permanent: true, code: reply } : refused;
  }
  if (kind !== 5) return refused;
  if (subject === addressSubject && recipientDetails.includes(detail)) return { because: "recipient", permanent: true, code: reply };
  if (subject === mailboxSubject && mailboxDetails.includes(detail))
    return { because: "recipient", permanent: detail !== mailboxFullDetail, code: reply };
  return refused;
}
