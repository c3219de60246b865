/** The mails that the appliance sends: subject, text and HTML in the language of the reader. */

import type { Account } from "../store/accounts.ts";
import { storedLogo } from "../store/brand-logo.ts";
import { type Channel, type ChannelDisabling, confirmationHours } from "../store/channels.ts";
import type { MemberInvitation, StoredBrand } from "../store/site-accounts.ts";
import type { StoredEvent } from "../store/site-events.ts";
import { confirmationUrl, unsubscribeUrl } from "./channel-links.ts";
import { digestOf } from "./digest-mail.ts";
import { layOutMail, type MailBlock, type RenderedMail } from "./mail-layout.ts";
import type { MailWords } from "./mail-words.ts";

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
  return noticeMail(context, words.t("confirmation.subject"), [
    { kind: "line", text: words.t("confirmation.what", { account: account.email }) },
    { kind: "link", label: words.t("confirmation.link"), url: confirmationUrl(address, channel, value) },
    { kind: "line", text: words.t("confirmation.expiry", { hours: words.number(confirmationHours) }) },
  ]);
}

/** `url`: page that accepts the invitation. */
export function memberInvitationMail(
  context: MailContext,
  owner: Pick<Account, "email">,
  { role, expiresAt }: Pick<MemberInvitation, "role" | "expiresAt">,
  url: string,
): RenderedMail {
  const { words } = context;
  return noticeMail(context, words.t("memberInvitation.subject"), [
    { kind: "line", text: words.t(`memberInvitation.${role}`, { account: owner.email }) },
    { kind: "link", label: words.t("memberInvitation.link"), url },
    { kind: "line", text: words.t("memberInvitation.expiry", { until: words.dateTime(expiresAt) }) },
  ]);
}

/** `url`: one-time link that sets a password. */
export function resetMail(context: MailContext, url: string, expiresAt: string): RenderedMail {
  return linkMail(context, "reset", url, expiresAt);
}

/** `url`: one-time link that creates an account. */
export function invitationMail(context: MailContext, url: string, expiresAt: string): RenderedMail {
  return linkMail(context, "invitation", url, expiresAt);
}

function linkMail(context: MailContext, kind: "reset" | "invitation", url: string, expiresAt: string): RenderedMail {
  const { words } = context;
  return noticeMail(context, words.t(`${kind}.subject`), [
    { kind: "line", text: words.t(`${kind}.what`) },
    { kind: "link", label: words.t(`${kind}.link`), url },
    { kind: "line", text: words.t(`${kind}.expiry`, { until: words.dateTime(expiresAt) }) },
  ]);
}

/** To the address of the account, which no one has confirmed: without name and target, which are texts of the account. */
export function channelDisabledMail(
  context: MailContext,
  { id, kind }: Pick<Channel, "id" | "kind">,
  because: Extract<ChannelDisabling, "gone" | "failed">,
): RenderedMail {
  const { words, address } = context;
  // Only a receiver of webhooks can answer that it is gone.
  const text = kind === "webhook" ? words.t(`disabled.webhook.${because}`) : words.t("disabled.mail.failed");
  return noticeMail(context, words.t(`disabled.${kind}.subject`), [
    { kind: "line", text },
    { kind: "line", text: words.t(`disabled.${kind}.next`) },
    { kind: "link", label: words.t("disabled.link"), url: `${address}/account/channels?edit=${id}` },
  ]);
}

function noticeMail({ words, address }: MailContext, subject: string, blocks: readonly MailBlock[]): RenderedMail {
  const footer: readonly MailBlock[] = [{ kind: "line", text: words.t("layout.sentBy", { address }) }];
  return layOutMail({ locale: words.locale, subject, sender: productName, accent: null, logo: null, blocks, footer });
}
