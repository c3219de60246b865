/** Mail about events: subject, plain text and HTML. */
import type { Clock } from "../base/clock.ts";
import { shownLogoSize } from "../base/documents.ts";
import type { Log } from "../base/log.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import type { Account } from "../store/accounts.ts";
import { type Channel, type ChannelDisabling, confirmationHours, isChatKind } from "../store/channels.ts";
import type { MemberInvitation, StoredBrand } from "../store/site-accounts.ts";
import { type StoredLogo, storedLogo } from "../store/site-accounts.ts";
import type { StoredEvent } from "../store/site-events.ts";
import type { Store } from "../store/store.ts";
import type { PageLocale, Texts, TextValues } from "../text/i18n.ts";
import { createI18n, type I18n, languageTag, type PartTexts, partTexts } from "../text/translator.ts";
import { confirmationUrl, unsubscribeUrl } from "./channel-operations.ts";
import { digestOf } from "./digest-mail.ts";
import type { Mailer } from "./mail.ts";
import type { SendOutcome, WebhookAttempt } from "./webhook.ts";

export interface MailWords extends PartTexts<"mail">, Pick<I18n, "locale" | "rank" | "severity" | "number" | "date" | "dateTime"> {
  readonly texts: Texts;
}

export function mailWords(texts: Texts, locale: PageLocale): MailWords {
  return { ...createI18n(texts, locale), ...partTexts(texts, locale, "mail"), texts };
}

/** Characters of one line of content. */
const lineCharsMax = 500;
/** RFC 5322 section 2.1.1 allows 998 characters for a line of a header; mail programs show far fewer. */
const subjectCharsMax = 200;
/** Characters of the rule below a heading. */
const ruleCharsMax = 72;
const accentDefault = "#1f4e79";

export type MailBlock =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  /** Shown with its address in both forms, so that readers see where it leads. */
  | { readonly kind: "link"; readonly label: string; readonly url: string };

interface MailLayout {
  readonly locale: string;
  readonly subject: string;
  /** Name above the content. */
  readonly sender: string;
  /** `#rrggbb`; null for the default. */
  readonly accent: string | null;
  /** Above the name; null without one. */
  readonly logo: StoredLogo | null;
  readonly blocks: readonly MailBlock[];
  /** Below a rule. */
  readonly footer: readonly MailBlock[];
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** PNG that the HTML shows by `logoContentId`; null without one. */
  readonly logo: Uint8Array<ArrayBuffer> | null;
}

/** RFC 2392: names the logo within its mail. */
export const logoContentId = "logo@assay.invalid";

function layOutMail({ subject, ...layout }: MailLayout): RenderedMail {
  const title = bounded(subject, subjectCharsMax);
  return { subject: title, text: asText(layout), html: asHtml({ ...layout, subject: title }), logo: layout.logo?.png ?? null };
}

function asText({ sender, blocks, footer }: Omit<MailLayout, "subject">): string {
  // RFC 3676 section 4.3: mail programs recognise this line before a signature.
  return [oneLine(sender), "", ...blocks.flatMap(linesOf), "-- ", ...footer.flatMap(linesOf)].join("\n").replace(/\n*$/, "\n");
}

function linesOf(block: MailBlock): readonly string[] {
  switch (block.kind) {
    case "heading": {
      const text = oneLine(block.text);
      return [text, "-".repeat(Math.min(text.length, ruleCharsMax)), ""];
    }
    case "line":
      return [oneLine(block.text), ""];
    case "list":
      return [...block.items.map((item) => `- ${oneLine(item)}`), ""];
    case "link":
      return [`${oneLine(block.label)}: ${addressOf(block.url)}`, ""];
  }
}

function asHtml({ locale, subject, sender, accent, logo, blocks, footer }: MailLayout): string {
  const colour = accent !== null && /^#[0-9a-f]{6}$/i.test(accent) ? accent : accentDefault;
  const body = `font-family:sans-serif;font-size:15px;line-height:1.5;color:#1a1a1a;max-width:40em;margin:0 auto;padding:1em`;
  return [
    "<!doctype html>",
    `<html lang="${escaped(languageTag(locale) ?? "en")}">`,
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>`,
    `<body style="${body}">`,
    ...(logo === null ? [] : [logoHtml(logo)]),
    `<p style="font-weight:bold;color:${colour};border-bottom:3px solid ${colour}">${escaped(sender)}</p>`,
    ...blocks.map((block) => htmlOf(block, colour)),
    `<hr style="border:0;border-top:1px solid #c8c8c8">`,
    `<div style="font-size:13px;color:#595959">`,
    ...footer.map((block) => htmlOf(block, colour)),
    "</div>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** The image has no alternative text: the name stands below it. */
function logoHtml(logo: StoredLogo): string {
  const { width, height } = shownLogoSize(logo);
  return `<p><img src="cid:${logoContentId}" alt="" width="${width}" height="${height}"></p>`;
}

function htmlOf(block: MailBlock, colour: string): string {
  switch (block.kind) {
    case "heading":
      return `<h2 style="font-size:17px">${escaped(block.text)}</h2>`;
    case "line":
      return `<p>${escaped(block.text)}</p>`;
    case "list":
      return `<ul>\n${block.items.map((item) => `<li>${escaped(item)}</li>`).join("\n")}\n</ul>`;
    case "link":
      return `<p>${escaped(block.label)}: <a style="color:${colour}" href="${withEntities(addressOf(block.url))}">${withEntities(addressOf(block.url))}</a></p>`;
  }
}

/** One line without invisible characters: control and bidirectional ones can change what a reader believes to see. */
export function oneLine(text: string): string {
  return bounded(text, lineCharsMax);
}

export function bounded(text: string, charsMax: number): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
  return visible.length <= charsMax ? visible : `${visible.slice(0, charsMax - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}

/** Links lead to this appliance, over http or https; anything else is left out. */
export function addressOf(url: string): string {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(url) ? url : "";
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return withEntities(oneLine(text));
}

/** Does not cut the text: a link that is cut leads nowhere. */
function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

export interface DeliveryParts {
  readonly store: Pick<Store, "accounts" | "channels" | "deliveries" | "events" | "rules">;
  readonly send: {
    readonly webhook: (attempt: WebhookAttempt) => Promise<SendOutcome>;
    /** Null without a mail server. */
    readonly mail: Mailer | null;
  };
  /** Brand that mails of the account may have now; undefined for none. */
  readonly brandOf: (account: Account) => StoredBrand | undefined;
  /** Texts of the catalog in use. */
  readonly texts: () => Texts;
  /** Language of accounts that have chosen none. */
  readonly localeDefault: PageLocale;
  /** Has no slash at its end. A mail server needs it. */
  readonly publicUrl: string | null;
  readonly clock: Clock;
  readonly metrics: DeliveryMetrics;
  readonly log: Log;
}

export function mailContext({ texts, localeDefault, publicUrl }: DeliveryParts, locale: PageLocale | null): MailContext {
  const current = texts();
  const known = locale !== null && current.locales.includes(locale) ? locale : localeDefault;
  return { words: mailWords(current, known), address: publicUrl ?? "" };
}

export function channelMailContext(parts: DeliveryParts, account: Account, channel: Channel): ChannelMailContext {
  return { ...mailContext(parts, account.locale), account, channel, brand: parts.brandOf(account) };
}

/** Message id, such as `<dlv-1-12@assay.example.org>`. `name`: letters, digits, dots and hyphens. */
export function messageIdOf(name: string, { publicUrl }: Pick<DeliveryParts, "publicUrl">): string {
  const host = publicUrl === null ? "" : new URL(publicUrl).hostname;
  // RFC 2606 reserves `invalid`. An IPv6 address would need brackets, which not every mail program reads.
  return `<${name}@${/^[\w.-]+$/.test(host) ? host : "assay.invalid"}>`;
}

/** Name above mails without a brand. */
const productName = "assay";

export interface MailContext {
  readonly words: MailWords;
  /** URL of the appliance without a slash at its end. */
  readonly address: string;
}

export interface ChannelMailContext extends MailContext {
  readonly account: Pick<Account, "email">;
  readonly channel: Channel;
  /** Undefined without one. */
  readonly brand: StoredBrand | undefined;
}

export function digestMail(context: ChannelMailContext, events: readonly StoredEvent[]): RenderedMail {
  return channelMail(context, digestOf(events, context.words, context.address));
}

export function testMail(context: ChannelMailContext): RenderedMail {
  const { words, channel } = context;
  return channelMail(context, {
    subject: words.t("test.subject", { channel: channel.name }),
    blocks: [{ kind: "line", text: words.t("test.what") }],
  });
}

/** Only to confirmed addresses: brand and names are texts of the account. */
function channelMail(
  { words, address, account, channel, brand }: ChannelMailContext,
  { subject, blocks }: { readonly subject: string; readonly blocks: readonly MailBlock[] },
): RenderedMail {
  const end = unsubscribeUrl(address, channel);
  const values = { address, channel: channel.name, account: account.email };
  return layOutMail({
    locale: words.locale,
    subject,
    sender: brand?.name ?? productName,
    accent: brand?.accent ?? null,
    logo: brand === undefined ? null : storedLogo(brand),
    blocks,
    footer: [
      ...(brand?.footer == null ? [] : [{ kind: "line", text: brand.footer } as const]),
      { kind: "line", text: words.t("layout.footer", values) },
      ...(end === null ? [] : [{ kind: "link", label: words.t("layout.unsubscribe"), url: end } as const]),
    ],
  });
}

/** Has no text of the account but its address: the reader has agreed to nothing yet. */
export function confirmationMail(context: MailContext, account: Pick<Account, "email">, channel: Channel, value: string): RenderedMail {
  const { words, address } = context;
  const what = words.t("confirmation.what", { account: account.email });
  return linkMail(context, "confirmation", what, confirmationUrl(address, channel, value), { hours: words.number(confirmationHours) });
}

/** `url`: page that accepts the invitation. */
export function memberInvitationMail(
  context: MailContext,
  owner: Pick<Account, "email">,
  { role, expiresAt }: Pick<MemberInvitation, "role" | "expiresAt">,
  url: string,
): RenderedMail {
  const { words } = context;
  const what = words.t(`memberInvitation.${role}`, { account: owner.email });
  return linkMail(context, "memberInvitation", what, url, { until: words.dateTime(expiresAt) });
}

/** `url`: one-time link that sets a password, or creates an account. */
export function oneTimeLinkMail(context: MailContext, kind: "reset" | "invitation", url: string, expiresAt: string): RenderedMail {
  const { words } = context;
  return linkMail(context, kind, words.t(`${kind}.what`), url, { until: words.dateTime(expiresAt) });
}

/** `expiry`: when the link ends. */
function linkMail(
  context: MailContext,
  kind: "confirmation" | "memberInvitation" | "reset" | "invitation",
  what: string,
  url: string,
  expiry: TextValues,
): RenderedMail {
  const { words } = context;
  return noticeMail(context, words.t(`${kind}.subject`), [
    { kind: "line", text: what },
    { kind: "link", label: words.t(`${kind}.link`), url },
    { kind: "line", text: words.t(`${kind}.expiry`, expiry) },
  ]);
}

/** To the address of the account, which no one has confirmed: without name and target, which are texts of the account. */
export function channelDisabledMail(
  context: MailContext,
  { id, kind }: Pick<Channel, "id" | "kind">,
  because: Extract<ChannelDisabling, "gone" | "failed">,
): RenderedMail {
  const { words, address } = context;
  const texts = isChatKind(kind) ? "chat" : kind;
  // Mail has no answer that says that a receiver is gone.
  const text = {
    mail: words.t("disabled.mail.failed"),
    webhook: words.t(`disabled.webhook.${because}`),
    chat: words.t(`disabled.chat.${because}`),
  }[texts];
  return noticeMail(context, words.t(`disabled.${texts}.subject`), [
    { kind: "line", text },
    { kind: "line", text: words.t(`disabled.${texts}.next`) },
    { kind: "link", label: words.t("disabled.link"), url: `${address}/account/channels?edit=${id}` },
  ]);
}

function noticeMail({ words, address }: MailContext, subject: string, blocks: readonly MailBlock[]): RenderedMail {
  const footer: readonly MailBlock[] = [{ kind: "line", text: words.t("layout.sentBy", { address }) }];
  return layOutMail({ locale: words.locale, subject, sender: productName, accent: null, logo: null, blocks, footer });
}
