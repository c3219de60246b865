/** Sender of mails, as operators write it in settings: an address, or a name and an address. */

export interface Mailbox {
  /** Null without one. */
  readonly name: string | null;
  readonly email: string;
}

const nameCharsMax = 100;
/** RFC 5321 section 4.5.3.1.3. */
const emailCharsMax = 254;

/** `reports@example.org`, `Reports <reports@example.org>` or `"Reports, daily" <reports@example.org>`; null for anything else. */
export function parseMailbox(text: string): Mailbox | null {
  // Control and format characters would reach mail headers and log lines.
  if (/[\p{Cc}\p{Cf}]/u.test(text)) return null;
  const [, given = "", bracketed, bare = ""] = /^(?:([^<>]*)<([^<>]*)>|([^<>]*))$/.exec(text.trim()) ?? [];
  const email = (bracketed ?? bare).trim();
  const name = given.trim().replace(/^"([^"\\]*)"$/, "$1");
  if (email.length > emailCharsMax || !/^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/.test(email)) return null;
  if (name.length > nameCharsMax || name.includes('"')) return null;
  return { name: name === "" ? null : name, email };
}

/** As in the setting. */
export function mailboxText({ name, email }: Mailbox): string {
  return name === null ? email : `${name} <${email}>`;
}
