/** Fuzz targets for lists of sites, and for addresses and answers of mail servers and receivers. */
import { parseRetryAfter, retryAfterMsMax } from "../../src/parse/internet-date.ts";
import { emailCharsMax, isEmail } from "../../src/parse/mail/address.ts";
import { mailboxText, parseMailbox, parseSmtpUrl, smtpUrlText } from "../../src/parse/mail/smtp-settings.ts";
import { parseWebhookUrl, webhookUrlCharsMax } from "../../src/parse/scan-url.ts";
import { decodeCsv, parseSiteCsv } from "../../src/parse/site-csv.ts";
import type { FuzzTarget } from "./target.ts";

const now = new Date("2026-11-02T12:00:00Z");
const withMailbox = <T>(text: string, use: (mailbox: NonNullable<ReturnType<typeof parseMailbox>>) => T, none: T): T => {
  const mailbox = parseMailbox(text);
  return mailbox === null ? none : use(mailbox);
};

export const notificationTargets: readonly FuzzTarget[] = [
  {
    name: "mailbox",
    tokens: [..."<>@\"',;:\r\n \t()", "Assay", "assay@example.org"],
    samples: ["Assay <assay@example.org>", "assay@example.org", '"A, B" <a@b.example>'],
    functions: { parseMailbox, isEmail, mailboxText: (text) => withMailbox(text, mailboxText, "") },
    properties: {
      "the address is one": (text) => withMailbox(text, ({ email }) => isEmail(email) && email.length <= emailCharsMax, true),
      "no line ends": (text) => withMailbox(text, (mailbox) => !/[\r\n]/.test(mailboxText(mailbox)), true),
    },
  },
  {
    name: "retry-after",
    tokens: [..."0123456789 ,:-.", "Mon, 02 Nov 2026 12:05:00 GMT", "GMT"],
    samples: ["120", "Mon, 02 Nov 2026 12:05:00 GMT"],
    functions: { parseRetryAfter: (text) => parseRetryAfter(text, now) },
    properties: {
      "is null, or from 0 to its limit": (text) => {
        const ms = parseRetryAfter(text, now);
        return ms === null || (ms >= 0 && ms <= retryAfterMsMax);
      },
    },
  },
  {
    name: "site-csv",
    tokens: [...',;\t"\r\n|=+-@ \0', "url", "name", "client", "tags", "https://www.example.org/", "\ufeff"],
    samples: ["url,name,client,tags\nhttps://www.example.org/,A,B,c d\n", '\ufeffurl;name\r\nhttps://a.example/;"=1+1"\r\n'],
    functions: { parseSiteCsv, decodeCsv: (text) => decodeCsv(Buffer.from(text, "latin1")) },
    properties: {
      "lines are numbered upwards": (text) => {
        const read = parseSiteCsv(text);
        return "fault" in read || read.lines.every(({ line }, at) => line > (read.lines[at - 1]?.line ?? 0));
      },
    },
  },
  {
    name: "smtp-url",
    tokens: [..."/:@?#%[] ", "smtp://", "smtps://", "user:secret@", "mail.example.org", ":587", "[::1]"],
    samples: ["smtp://assay:secret@mail.example.org:587", "smtps://mail.example.org"],
    functions: {
      parseSmtpUrl,
      smtpUrlText: (text) => {
        const url = parseSmtpUrl(text);
        return url === null ? "" : smtpUrlText(url);
      },
    },
    properties: {
      "the text parses again, to the same server": (text) => {
        const url = parseSmtpUrl(text);
        const again = url === null ? null : parseSmtpUrl(smtpUrlText(url));
        return url === null || (again?.host === url.host && again.port === url.port && again.scheme === url.scheme);
      },
    },
  },
  {
    name: "webhook-url",
    tokens: [..."/:@?#%[]\\ \r\n", "https://", "http://", "user:secret@", "hooks.example.org", ":8443", "/in?x=1"],
    samples: ["https://hooks.example.org/in?x=1", "http://10.0.0.1:8080/"],
    functions: { parseWebhookUrl: (text) => parseWebhookUrl(text, { allowHttp: true }) },
    properties: {
      "has no credentials, fragment or other scheme, and parses to itself": (text) => {
        const url = parseWebhookUrl(text, { allowHttp: false });
        if (url === null) return true;
        const { protocol, username, password, hash } = new URL(url);
        const isPlain = protocol === "https:" && `${username}${password}${hash}` === "" && url.length <= webhookUrlCharsMax;
        return isPlain && parseWebhookUrl(url, { allowHttp: false }) === url;
      },
    },
  },
];
