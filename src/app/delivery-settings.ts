/** Schema of the settings for notifications: webhooks and mail. */
import { Type } from "@sinclair/typebox";
import { parseMailbox, parseSmtpUrl, type SmtpUrl } from "../parse/mail/smtp-settings.ts";
import { isLoopbackUrl } from "../parse/site.ts";
import { none, oneOf, optional, parsed, path, ranges, setting } from "./setting.ts";
import type { Config } from "./settings.ts";

export const settingsOfDelivery = {
  "smtp.url": setting(optional(parsed(parseSmtpUrl)), {
    doc: "Mail server that sends mails of this server; needs smtp.from and public_url.",
    allowed:
      "smtp:// or smtps://, with user:password@ if the server asks for it, a host and a port, as in smtp://assay@mail.example.org:587",
    fallback: () => null,
    defaultDoc: "none: no mail is sent",
    hidesPassword: true,
  }),
  "smtp.password_file": setting(optional(path), {
    doc: "File whose first line is the password of the user in smtp.url.",
    allowed: "a file",
    fallback: () => null,
    isPath: true,
  }),
  "smtp.from": setting(optional(parsed(parseMailbox)), {
    doc: "Sender of the mails.",
    allowed: "a mail address, or a name and an address, as in Assay <assay@example.org>",
    fallback: () => null,
  }),
  "smtp.tls": setting(oneOf("required", "off"), {
    doc: "Whether mails to a server with smtp:// need STARTTLS; off sends in clear, and takes no password unless the host is a loopback address.",
    allowed: "required or off",
    fallback: () => "required",
  }),
  "smtp.ca_file": setting(optional(path), {
    doc: "Certificates (PEM) trusted for the mail server besides the bundled roots.",
    allowed: "a file",
    fallback: () => null,
    isPath: true,
  }),
  "webhooks.allow_cidrs": setting(ranges, {
    doc: "Address ranges that webhooks may reach besides public addresses. Addresses of this server, such as loopback, and of cloud metadata need an entry each: /32 or /128.",
    allowed: "a list of addresses or ranges, as in 10.0.0.0/8",
    fallback: none,
  }),
  "webhooks.allow_http": setting(Type.Boolean(), {
    doc: "Whether webhooks may use http, which anyone on the way can read.",
    allowed: "true or false",
    fallback: () => false,
  }),
  "webhooks.ca_file": setting(optional(path), {
    doc: "Certificates (PEM) trusted for the receivers of webhooks besides the bundled roots.",
    allowed: "a file",
    fallback: () => null,
    isPath: true,
  }),
} as const;

type MailConfig = Pick<Config, "smtp.url" | "smtp.password_file" | "smtp.from" | "smtp.tls" | "smtp.ca_file" | "public_url">;

/** One sentence about settings of mail that contradict or miss each other; null if they fit. Reads no file. */
export function mailSettingsFault(config: MailConfig): string | null {
  const { "smtp.url": server, "smtp.from": from, public_url } = config;
  if (server === null) {
    const orphan = (["smtp.from", "smtp.password_file", "smtp.ca_file"] as const).find((key) => config[key] !== null);
    return orphan === undefined ? null : `${orphan} needs smtp.url, the mail server`;
  }
  if (from === null) return "smtp.url needs smtp.from, the sender of the mails, as in Assay <assay@example.org>";
  if (public_url === null)
    return "smtp.url needs public_url: links in mails begin with it, and never with the host of a request, which anyone can choose";
  return connectionFault(config, server);
}

function connectionFault({ "smtp.password_file": passwordFile, "smtp.tls": tls }: MailConfig, server: SmtpUrl): string | null {
  if (tls === "off" && server.scheme === "smtps") return "smtp.tls = off contradicts smtps:// in smtp.url, which begins with TLS";
  if (server.user === null) return passwordFile === null ? null : "smtp.password_file needs a user in smtp.url, as in smtp://user@host";
  const hasPassword = server.password !== null;
  if (hasPassword && passwordFile !== null) return "the password is in smtp.url and in smtp.password_file; remove one of them";
  if (!hasPassword && passwordFile === null) return "smtp.url names a user, who needs a password there or in smtp.password_file";
  if (tls === "off" && !isLoopbackUrl(`http://${server.host.includes(":") ? `[${server.host}]` : server.host}`))
    return "smtp.tls = off would send the password in smtp.url or smtp.password_file in clear over the network";
  return null;
}
