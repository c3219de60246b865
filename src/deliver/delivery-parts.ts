/** What sending of events and of single mails needs of the server. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { DeliveryMetrics } from "../metrics/delivery-metrics.ts";
import type { Account } from "../store/accounts.ts";
import type { Channel } from "../store/channels.ts";
import type { StoredBrand } from "../store/site-accounts.ts";
import type { Store } from "../store/store.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import type { Mailer } from "./mail.ts";
import type { ChannelMailContext, MailContext } from "./mail-text.ts";
import { mailWords } from "./mail-words.ts";
import type { SendOutcome, WebhookAttempt } from "./send-webhook.ts";

export interface DeliveryParts {
  readonly store: Pick<Store, "accounts" | "channels" | "deliveries" | "events" | "rules">;
  readonly send: {
    readonly webhook: (attempt: WebhookAttempt) => Promise<SendOutcome>;
    /** Null without a mail server. */
    readonly mail: Mailer | null;
  };
  /** Brand that mails of the account may have now; undefined for none. */
  readonly brandOf: (account: Account) => StoredBrand | undefined;
  /** Of the catalog in use. */
  readonly texts: () => Texts;
  /** For accounts without a language of their own. */
  readonly localeDefault: PageLocale;
  /** Without a slash at its end. A mail server needs it. */
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

/** As in `<dlv-1-12@assay.example.org>`. `name`: letters, digits, dots and hyphens. */
export function messageIdOf(name: string, { publicUrl }: Pick<DeliveryParts, "publicUrl">): string {
  const host = publicUrl === null ? "" : new URL(publicUrl).hostname;
  // RFC 2606 reserves `invalid`. An IPv6 address would need brackets, which not every mail program reads.
  return `<${name}@${/^[\w.-]+$/.test(host) ? host : "assay.invalid"}>`;
}
