/** What a failed attempt to send a mail means: who is answerable for it, and whether a further attempt would fail too. */
import { EgressError } from "../egress/egress-error.ts";

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
  /** Of the system or of OpenSSL. */
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  /** Reply of the server, with its code. */
  readonly response?: string | undefined;
  /** The code is one of 500 to 599. */
  readonly permanent?: boolean | undefined;
}

export const unusableAddress: FailedMail = { because: "recipient", permanent: true, code: null };

/** Code of the error for a certificate with other names. */
export const otherNamesCode = "CERT_OTHER_NAMES";

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

/** Words of the reply in lower case, without those of addresses. */
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
