/** Mails of this server: their texts, links and senders. The frame of all of them is in `mail-frame.ts`. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import type { Account } from "../store/accounts.ts";
import { type Channel, type ChannelDisabling, confirmationHours, isChatKind } from "../store/channels.ts";
import type { MemberInvitation, StoredBrand } from "../store/site-accounts.ts";
import { storedLogo } from "../store/site-accounts.ts";
import type { EventSite, StoredEvent } from "../store/site-events.ts";
import type { Store } from "../store/store.ts";
import type { PageLocale, Texts, TextValues } from "../text/i18n.ts";
import { createI18n, type I18n, type PartTexts, partTexts } from "../text/translator.ts";
import { confirmationUrl, unsubscribeUrl } from "./channel-operations.ts";
import { digestOf } from "./digest-mail.ts";
import type { Mailer } from "./mail.ts";
import { layOutMail, type MailBlock, type MailContent, type RenderedMail } from "./mail-frame.ts";
import { measurementsOf, type SiteMeasurements } from "./site-measurements.ts";
import type { SendOutcome, WebhookAttempt } from "./webhook.ts";

export interface MailWords extends PartTexts<"mail">, Pick<I18n, "locale" | "rank" | "severity" | "number" | "date" | "dateTime"> {
  readonly texts: Texts;
}

export function mailWords(texts: Texts, locale: PageLocale): MailWords {
  return { ...createI18n(texts, locale), ...partTexts(texts, locale, "mail"), texts };
}

export interface DeliveryParts {
  readonly store: Pick<Store, "accounts" | "channels" | "deliveries" | "events" | "rules" | "siteRuns">;
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
  /** As the operator names the sender of mails; null or absent for the name of the product. */
  readonly serverName?: string | null;
  readonly clock: Clock;
  readonly metrics: DeliveryMetrics;
  readonly log: Log;
}

export function mailContext({ texts, localeDefault, publicUrl, serverName }: DeliveryParts, locale: PageLocale | null): MailContext {
  const current = texts();
  const known = locale !== null && current.locales.includes(locale) ? locale : localeDefault;
  return { words: mailWords(current, known), address: publicUrl ?? "", sender: serverName ?? productName };
}

export function channelMailContext(parts: DeliveryParts, account: Account, channel: Channel): ChannelMailContext {
  const { siteRuns } = parts.store;
  return {
    ...mailContext(parts, account.locale),
    account,
    channel,
    brand: parts.brandOf(account),
    measurementsOf: (site, events) => measurementsOf(siteRuns, site, events),
  };
}

/** Message id, such as `<dlv-1-12@assay.example.org>`. `name`: letters, digits, dots and hyphens. */
export function messageIdOf(name: string, { publicUrl }: Pick<DeliveryParts, "publicUrl">): string {
  const host = publicUrl === null ? "" : new URL(publicUrl).hostname;
  // RFC 2606 reserves `invalid`. An IPv6 address would need brackets, which not every mail program reads.
  return `<${name}@${/^[\w.-]+$/.test(host) ? host : "assay.invalid"}>`;
}

/** Name of a server that has no other. */
const productName = "assay";

export interface MailContext {
  readonly words: MailWords;
  /** URL of the server without a slash at its end. */
  readonly address: string;
  /** Name of the server. */
  readonly sender: string;
}

export interface ChannelMailContext extends MailContext {
  readonly account: Pick<Account, "email">;
  readonly channel: Channel;
  /** Undefined without one. */
  readonly brand: StoredBrand | undefined;
  readonly measurementsOf: (site: EventSite, events: readonly StoredEvent[]) => SiteMeasurements;
}

export function digestMail(context: ChannelMailContext, events: readonly StoredEvent[]): RenderedMail {
  return channelMail(context, digestOf(events, context));
}

export function testMail(context: ChannelMailContext): RenderedMail {
  const { words, channel } = context;
  return channelMail(context, notice(words.t("test.subject", { channel: channel.name }), [{ kind: "line", text: words.t("test.what") }]));
}

/** Only to confirmed addresses: brand and names are texts of the account. */
function channelMail({ words, address, sender, account, channel, brand }: ChannelMailContext, content: MailContent): RenderedMail {
  const end = unsubscribeUrl(address, channel);
  const name = brand?.name ?? sender;
  return layOutMail({
    ...content,
    locale: words.locale,
    sender: name,
    accent: brand?.accent ?? null,
    logo: brand === undefined ? null : storedLogo(brand),
    footer: [
      ...(brand?.footer == null ? [] : [{ kind: "line", text: brand.footer } as const]),
      { kind: "line", text: words.t("layout.footer", { sender: name, channel: channel.name, account: account.email }) },
      ...(end === null ? [] : [{ kind: "link", label: words.t("layout.unsubscribe"), url: end } as const]),
    ],
  });
}

/** Mail whose subject says it all. */
function notice(subject: string, blocks: readonly MailBlock[]): MailContent {
  return { subject, title: subject, sections: [{ tone: "neutral", blocks }] };
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
  const what = words.t(`memberInvitation.${role}`, { account: owner.email, sender: context.sender });
  return linkMail(context, "memberInvitation", what, url, { until: words.dateTime(expiresAt) });
}

/** `url`: one-time link that sets a password, or creates an account. */
export function oneTimeLinkMail(context: MailContext, kind: "reset" | "invitation", url: string, expiresAt: string): RenderedMail {
  const { words, sender } = context;
  return linkMail(context, kind, words.t(`${kind}.what`, { sender }), url, { until: words.dateTime(expiresAt) });
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
    { kind: "button", label: words.t(`${kind}.link`), url, spelledOut: true },
    { kind: "note", text: words.t(`${kind}.expiry`, expiry) },
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
    { kind: "todo", label: words.t("todo.label"), text: words.t(`disabled.${texts}.next`) },
    { kind: "button", label: words.t("disabled.link"), url: `${address}/account/channels?edit=${id}` },
  ]);
}

function noticeMail({ words, sender }: MailContext, subject: string, blocks: readonly MailBlock[]): RenderedMail {
  const footer: readonly MailBlock[] = [{ kind: "line", text: words.t("layout.sentBy", { sender }) }];
  return layOutMail({ ...notice(subject, blocks), locale: words.locale, sender, accent: null, logo: null, footer });
}
