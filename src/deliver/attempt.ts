/** One attempt of a delivery: what is sent, and what its outcome means. Changes nothing in the store. */
import { messageOf } from "../base/log.ts";
import type { Account } from "../store/accounts.ts";
import type { Channel } from "../store/channels.ts";
import type { Delivery } from "../store/deliveries.ts";
import type { StoredEvent } from "../store/site-events.ts";
import { unsubscribeUrl } from "./channel-operations.ts";
import type { MailFailure, MailOptions, MailOutcome } from "./mail.ts";
import { channelMailContext, type DeliveryParts, digestMail, messageIdOf, type RenderedMail, testMail } from "./mail-text.ts";
import { type SendFailure, type SendOutcome, webhookBody, webhookTestBody } from "./webhook.ts";

/** `no-mail`: there is no mail server. `internal`: the event could not be rendered, which the log explains. */
export type DeliveryFailure = SendFailure | MailFailure | "gone" | "no-mail" | "internal";

export type Attempted =
  | { readonly result: "delivered"; readonly status: number | null; readonly ms: number }
  | {
      readonly result: "failed";
      readonly status: number | null;
      readonly because: DeliveryFailure;
      readonly ms: number;
      /** Wait that the receiver asked for. */
      readonly retryAfterMs: number | null;
      /** A further attempt would fail too. */
      readonly final: boolean;
      /** Why the channel is disabled when no attempt is left; null where the failure says nothing about the receiver. */
      readonly disables: "gone" | "failed" | null;
    };

/** What a delivery still has to send; null for nothing. */
export interface Sendable {
  readonly account: Account;
  readonly channel: Channel;
  /** Events: at least one; exactly one for a webhook. */
  readonly events: readonly [StoredEvent, ...StoredEvent[]];
}

export function sendableOf({ store }: DeliveryParts, { accountId, channelId, eventSeqs }: Delivery): Sendable | null {
  const [account, channel] = [store.accounts.findById(accountId), store.channels.find(accountId, channelId)];
  if (account === undefined || account.disabled || channel === undefined) return null;
  if (channel.disabled !== null || channel.verifiedAt === null) return null;
  const [first, ...rest] = eventSeqs
    .flatMap((seq) => store.events.find(accountId, seq) ?? [])
    .map((event) => store.rules.eventFor(channelId, event))
    .filter(({ data }) => !("findings" in data) || data.findings.length > 0);
  return first === undefined ? null : { account, channel, events: [first, ...rest] };
}

/** Never rejects. Each attempt of a delivery has the same id. */
export async function attemptDelivery(
  parts: DeliveryParts,
  { accountId, id }: Delivery,
  { account, channel, events }: Sendable,
  signal: AbortSignal,
): Promise<Attempted> {
  try {
    if (channel.kind === "webhook") {
      const [event] = events;
      return await attemptWebhook(parts, channel, { id: event.id, body: webhookBody(event, parts) }, signal);
    }
    const messageId = messageIdOf(`dlv-${accountId}-${id}`, parts);
    const render = () => digestMail(channelMailContext(parts, account, channel), events);
    return await attemptMail(parts, channel, { messageId, render }, { signal });
  } catch (error) {
    parts.log.error("delivery failed inside", { delivery: id, account: accountId, because: messageOf(error) });
    return failure("internal");
  }
}

/** A test has an id of its own, and takes the same way. Never rejects. */
export async function attemptTest(
  parts: DeliveryParts,
  { account, channel }: Omit<Sendable, "events">,
  name: string,
  signal: AbortSignal,
): Promise<Attempted> {
  try {
    if (channel.kind === "webhook")
      return await attemptWebhook(parts, channel, { id: name, body: webhookTestBody(parts.clock.now()) }, signal);
    const render = () => testMail(channelMailContext(parts, account, channel));
    return await attemptMail(parts, channel, { messageId: messageIdOf(name, parts), render }, { signal, isAwaited: true });
  } catch (error) {
    parts.log.error("test of a channel failed inside", { channel: channel.id, account: account.id, because: messageOf(error) });
    return failure("internal");
  }
}

async function attemptWebhook(
  { send, clock }: DeliveryParts,
  { target, secrets }: Channel,
  message: { readonly id: string; readonly body: string },
  signal: AbortSignal,
): Promise<Attempted> {
  return ofWebhook(await send.webhook({ url: target, secrets, timestamp: clock.now(), signal, ...message }));
}

function ofWebhook(outcome: SendOutcome): Attempted {
  const { result, status, ms } = outcome;
  if (result === "delivered") return { result, status, ms };
  if (result === "gone") return { ...failure("gone"), status, ms, final: true, disables: "gone" };
  const { because, retryAfterMs } = outcome;
  return { ...failure(because), status, ms, retryAfterMs, disables: "failed" };
}

async function attemptMail(
  { send: { mail: mailer }, clock, publicUrl }: DeliveryParts,
  channel: Channel,
  { messageId, render }: { readonly messageId: string; readonly render: () => RenderedMail },
  options: MailOptions,
): Promise<Attempted> {
  if (mailer === null) return failure("no-mail");
  const unsubscribe = unsubscribeUrl(publicUrl ?? "", channel);
  return ofMail(await mailer.send({ to: channel.target, ...render(), messageId, date: clock.now(), unsubscribe }, options));
}

function ofMail(outcome: MailOutcome): Attempted {
  if (outcome.result === "sent") return { result: "delivered", status: replyCodeOf(outcome.response), ms: outcome.ms };
  const { because, permanent, code, ms } = outcome;
  // Every other failure may be one of the operator's settings or server, which would disable the channels of all accounts.
  const disables = because === "recipient" ? "failed" : null;
  return { ...failure(because), status: code, ms, final: permanent, disables };
}

function replyCodeOf(response: string): number | null {
  const [code] = /^[2-5]\d\d\b/.exec(response) ?? [];
  return code === undefined ? null : Number(code);
}

function failure(because: DeliveryFailure): Extract<Attempted, { readonly result: "failed" }> {
  return { result: "failed", status: null, because, ms: 0, retryAfterMs: null, final: false, disables: null };
}
