/** Settings of the services that a server uses: identity provider (OpenID Connect), mail server, receivers of webhooks and chat messages. */

import { Type } from "@sinclair/typebox";
import { isLoopbackHost } from "../egress/configured-fetch.ts";
import { urlHost } from "../parse/address.ts";
import { mailboxText, parseMailbox, parseSmtpUrl, type SmtpUrl, smtpUrlText } from "../parse/mail/smtp-settings.ts";
import { isLoopbackUrl } from "../parse/site.ts";
import { type Plan, plans } from "../store/accounts.ts";
import { addressRanges, choice, file, optional, parsed, setting, yesNo } from "./setting.ts";
import type { Config } from "./settings.ts";

/** Plan and role that a group of the identity provider gives. */
export interface GroupRule {
  readonly group: string;
  readonly plan: Plan;
  readonly admin: boolean;
}

const issuerCharsMax = 500;
const clientIdCharsMax = 256;
const labelCharsMax = 60;
const wellKnown = "/.well-known/";

export const settingsOfOidc = {
  "oidc.issuer": setting(optional(parsed(parseIssuer)), {
    doc: "Identity provider (OpenID Connect) by which people may sign in; needs oidc.client_id and public_url.",
    allowed: `an address that begins with https://, or http:// on a loopback address, without ${wellKnown} and what follows`,
  }),
  "oidc.client_id": setting(optional(Type.String({ minLength: 1, maxLength: clientIdCharsMax, pattern: "^[\\x21-\\x7e]+$" })), {
    doc: "Name of this server at the identity provider.",
    allowed: `at most ${clientIdCharsMax} visible ASCII characters`,
  }),
  "oidc.client_secret_file": file({
    doc: "File whose first line is the secret of this server at the identity provider.",
    defaultDoc: "none: a public client, which PKCE alone protects",
  }),
  "oidc.ca_file": file({ doc: "Certificates (PEM) trusted for the identity provider besides the bundled roots." }),
  "oidc.label": setting(optional(parsed(parseLabel)), {
    doc: "Name of the identity provider on the button of the sign-in page.",
    allowed: `at most ${labelCharsMax} characters`,
    defaultDoc: "the host of oidc.issuer",
  }),
  "oidc.signup": choice(["closed", "groups", "open"], {
    doc: "Who gets an account at the first sign-in by the identity provider: no person, members of a group in oidc.groups, or everybody. An invitation to the verified address always permits an account.",
    fallback: (_env, earlier) => (earlier["accounts.signup"] === "open" ? "open" : "closed"),
    defaultDoc: "open with accounts.signup = open, else closed",
  }),
  "oidc.groups_claim": setting(Type.String({ minLength: 1, maxLength: 200 }), {
    doc: "Claim with the groups of a person, or the path to a member of a claim, as in realm_access.roles.",
    allowed: "the name of a claim",
    fallback: "groups",
  }),
  "oidc.groups": setting(Type.Array(parsed(parseGroupRule, groupRuleText)), {
    doc: "What groups of the identity provider give: a plan, and with :admin the role of an administrator.",
    allowed: `a list of group=plan or group=plan:admin with ${plans.join(" or ")}, as in staff=agency`,
  }),
} as const;

/** Kept as written: providers compare it by character. */
function parseIssuer(text: string): string | null {
  const url = text.length > issuerCharsMax || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) ? null : URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || /[?#]/.test(text) || text.includes(wellKnown)) return null;
  return url.protocol === "https:" || isLoopbackHost(url.hostname) ? text : null;
}

function parseLabel(text: string): string | null {
  const label = text.trim();
  return label !== "" && label.length <= labelCharsMax && !/[\p{Cc}\p{Cf}]/u.test(label) ? label : null;
}

function groupRuleText({ group, plan, admin }: GroupRule): string {
  return `${group}=${plan}${admin ? ":admin" : ""}`;
}

/** Names of groups may contain `=` and `:`, so the last ones count. */
function parseGroupRule(text: string): GroupRule | null {
  const [, group = "", word = "", role] = /^(.*[^\s])\s*=\s*([a-z]+)(:admin)?$/.exec(text.trim()) ?? [];
  const plan = plans.find((known) => known === word);
  return plan === undefined ? null : { group, plan, admin: role !== undefined };
}

export const settingsOfDelivery = {
  "smtp.url": setting(optional(parsed(parseSmtpUrl, smtpUrlText)), {
    doc: "Mail server that sends mails of this server; needs smtp.from and public_url.",
    allowed:
      "smtp:// or smtps://, with user:password@ if the server asks for it, a host and a port, as in smtp://assay@mail.example.org:587",
    defaultDoc: "none: no mail is sent",
    hidesPassword: true,
  }),
  "smtp.password_file": file({ doc: "File whose first line is the password of the user in smtp.url." }),
  "smtp.from": setting(optional(parsed(parseMailbox, mailboxText)), {
    doc: "Sender of the mails.",
    allowed: "a mail address, or a name and an address, as in Assay <assay@example.org>",
  }),
  "smtp.tls": choice(["required", "off"], {
    doc: "Whether mails to a server with smtp:// need STARTTLS; off sends in clear, and takes no password unless the host is a loopback address.",
    fallback: "required",
  }),
  "smtp.ca_file": file({ doc: "Certificates (PEM) trusted for the mail server besides the bundled roots." }),
  "webhooks.allow_cidrs": addressRanges({
    doc: "Address ranges that webhooks and chat messages may reach besides public addresses. Addresses of this server, such as loopback, and of cloud metadata need an entry each: /32 or /128.",
    example: "10.0.0.0/8",
  }),
  "webhooks.allow_http": yesNo({
    doc: "Whether webhooks and chat messages may use http, which anyone on the way can read.",
    fallback: false,
  }),
  "webhooks.ca_file": file({
    doc: "Certificates (PEM) trusted for the receivers of webhooks and chat messages besides the bundled roots.",
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
  if (tls === "off" && !isLoopbackUrl(`http://${urlHost(server.host)}`))
    return "smtp.tls = off would send the password in smtp.url or smtp.password_file in clear over the network";
  return null;
}
