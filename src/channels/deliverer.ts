/**
 * Sends the deliveries that are due: several at a time, one at a time for each channel. The outcome of an attempt is on disk before the
 * channel gets another. A process that is killed between sending and storing sends again, under the same id.
 */

import { pause, within } from "../base/clock.ts";
import { messageOf } from "../base/log.ts";
import type { ChannelTest } from "../sites/site-operations.ts";
import type { Account } from "../store/accounts.ts";
import { type Channel, type ChatKind, isChatKind } from "../store/channels.ts";
import { type AttemptOutcome, attemptsInSchedule, type Delivery } from "../store/deliveries.ts";
import { randomBase62 } from "../store/secret-value.ts";
import type { StoredEvent } from "../store/site-events.ts";
import { unsubscribeUrl } from "./channel-operations.ts";
import { type ChatMessage, chatMessage, chatRequest, chatTestMessage } from "./chat-text.ts";
import type { MailFailure, MailOptions, MailOutcome } from "./mail.ts";
import type { RenderedMail } from "./mail-frame.ts";
import { channelMailContext, type DeliveryParts, digestMail, mailContext, messageIdOf, testMail } from "./mail-text.ts";
import { createNotices, type NoticeMails, type RunningNotices } from "./notices.ts";
import { createHourlyQuota, createSlots, type HourlyQuota, nextAttemptAt, type Slots } from "./pacing.ts";
import { type SendFailure, type SendOutcome, webhookBody, webhookTestBody } from "./webhook.ts";

/** Bounds of the wait for the next look at the store. The clock of the machine may be set, so no wait is long. */
const lookMsMin = 50;
const lookMsMax = 60_000;
/** Wait while everything that is due belongs to busy channels or accounts. */
const blockedMs = 1_000;
/** Wait after a failure of the store. */
const storeRetryMs = 10_000;
/** Tests of channels of one account in an hour. */
const testsPerHourMax = 10;
/** Attempts that outlast the drain time are aborted, and end within this time. */
const abortMs = 2_000;
const testIdChars = 22;

export interface Deliverer {
  /** Something may be due: looks at once. */
  wake(): void;
  /** Waits for the attempts under way, then aborts them; these are repeated after the next start. */
  stop(drainMs: number): Promise<void>;
  /** One attempt with a test message, which is not stored. Disabled channels are tested too, unless the reader ended the mails. */
  test(channel: Channel): Promise<ChannelTest>;
  /** Mails that are sent at once. */
  readonly notices: NoticeMails;
}

export function startDeliverer(parts: DeliveryParts): Deliverer {
  const deliverer = new RunningDeliverer(parts);
  deliverer.wake();
  return deliverer;
}

class RunningDeliverer implements Deliverer {
  readonly notices: RunningNotices;
  readonly #parts: DeliveryParts;
  readonly #ending = new AbortController();
  readonly #slots: Slots;
  readonly #tests: HourlyQuota;
  #stopped = false;
  #cancelLook = () => {};

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#slots = createSlots(parts.store, () => this.wake());
    this.#tests = createHourlyQuota(testsPerHourMax, parts.clock);
    this.notices = createNotices(parts, this.#ending.signal);
  }

  wake(): void {
    if (this.#stopped) return;
    this.#cancelLook();
    const { clock, log } = this.#parts;
    let waitMs = lookMsMax;
    try {
      for (const delivery of this.#slots.listDue(clock.now())) this.#slots.run(delivery, () => this.#carryOut(delivery));
      this.notices.sendDue();
      waitMs = this.#untilNext();
    } catch (error) {
      log.error("deliveries cannot be read", { because: messageOf(error) });
    }
    this.#cancelLook = clock.after(waitMs, () => this.wake());
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    this.#cancelLook();
    await within(this.#parts.clock, drainMs, this.#slots.idle(), null);
    this.#ending.abort();
    await within(this.#parts.clock, abortMs, Promise.all([this.#slots.idle(), this.notices.idle()]), null);
  }

  async test(channel: Channel): Promise<ChannelTest> {
    const refused = (because: string): ChannelTest => ({ result: "failed", status: null, ms: 0, because });
    const account = this.#parts.store.accounts.findById(channel.accountId);
    if (account === undefined || channel.verifiedAt === null) return refused("not-confirmed");
    if (channel.disabled?.because === "unsubscribed") return refused("unsubscribed");
    if (!this.#tests.take(String(account.id))) return refused("too-many");
    const name = `test_${randomBase62(this.#parts.clock, testIdChars)}`;
    const attempted = await attemptTest(this.#parts, { account, channel }, name, this.#ending.signal);
    return { result: attempted.result, status: attempted.status, ms: attempted.ms, because: reasonOf(attempted) };
  }

  #untilNext(): number {
    const next = this.#parts.store.deliveries.nextDueAt();
    if (next === null) return lookMsMax;
    const waitMs = next.getTime() - this.#parts.clock.now().getTime();
    return waitMs <= 0 ? blockedMs : Math.min(Math.max(waitMs, lookMsMin), lookMsMax);
  }

  /** Never rejects. */
  async #carryOut(delivery: Delivery): Promise<void> {
    const { store, log } = this.#parts;
    try {
      const sendable = sendableOf(this.#parts, delivery);
      if (sendable === null) await this.#stored(() => store.deliveries.drop(delivery.accountId, delivery.id));
      else await this.#send(delivery, sendable);
    } catch (error) {
      log.error("a delivery cannot be read", { delivery: delivery.id, because: messageOf(error) });
      // It is still due: without a wait, it would be read again at once.
      await pause(this.#parts.clock, storeRetryMs, this.#ending.signal);
    }
  }

  async #send(delivery: Delivery, sendable: Sendable): Promise<void> {
    const { store, clock, metrics, log } = this.#parts;
    const { accountId, id } = delivery;
    const at = clock.now().toISOString();
    const attempted = await attemptDelivery(this.#parts, delivery, sendable, this.#ending.signal);
    // The next start repeats what the end of this process has aborted.
    if (attempted.result === "failed" && this.#ending.signal.aborted) return;
    const outcome = outcomeOf(delivery, sendable, attempted, this.#parts);
    const { status, ms } = attempted;
    const because = reasonOf(attempted);
    await this.#stored(() => store.deliveries.noteAttempt(delivery, { at, ms, status, because }, outcome));
    metrics.attempted(sendable.channel.kind, resultOf(attempted, outcome));
    const { id: channel, kind } = sendable.channel;
    log.debug("delivery attempted", { delivery: id, account: accountId, channel, result: outcome.state, because, status, ms });
    if (outcome.state !== "failed" || outcome.disables === null) return;
    // It still takes deliveries where it was given another target meanwhile.
    if (store.channels.find(accountId, channel)?.disabled == null) return;
    log.info("channel disabled", { account: accountId, channel, kind, because: outcome.disables.because });
    this.notices.wake();
  }

  /**
   * Tries again while the store takes nothing, as with a full disk: meanwhile the channel is busy, so that nothing is sent twice.
   * Tries once while the process ends: what was just delivered must not be sent again after the next start.
   */
  async #stored(write: () => Promise<unknown>): Promise<void> {
    do {
      try {
        await write();
        return;
      } catch (error) {
        this.#parts.log.error("outcome of a delivery cannot be stored", { because: messageOf(error) });
      }
      await pause(this.#parts.clock, storeRetryMs, this.#ending.signal);
    } while (!this.#ending.signal.aborted);
  }
}

function reasonOf(attempted: Attempted): string | null {
  return attempted.result === "failed" ? attempted.because : null;
}

function outcomeOf(delivery: Delivery, { channel }: Sendable, attempted: Attempted, { clock }: DeliveryParts): AttemptOutcome {
  if (attempted.result === "delivered") return { state: "delivered" };
  const { final, retryAfterMs, disables } = attempted;
  const next = final ? null : nextAttemptAt(attemptsInSchedule(delivery) + 1, clock, retryAfterMs);
  if (next !== null) return { state: "waiting", nextAttemptAt: next };
  return { state: "failed", disables: disables && { because: disables, target: channel.target } };
}

function resultOf(attempted: Attempted, { state }: AttemptOutcome): "delivered" | "retried" | "failed" | "gone" {
  if (state !== "failed") return state === "delivered" ? "delivered" : "retried";
  return attempted.result === "failed" && attempted.because === "gone" ? "gone" : "failed";
}

/** `no-mail`: there is no mail server. `internal`: the event could not be rendered, which the log explains. */
type DeliveryFailure = SendFailure | MailFailure | "gone" | "no-mail" | "internal";

type Attempted =
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
interface Sendable {
  readonly account: Account;
  readonly channel: Channel;
  /** Events: at least one; exactly one for a webhook. */
  readonly events: readonly [StoredEvent, ...StoredEvent[]];
}

function sendableOf({ store }: DeliveryParts, { accountId, channelId, eventSeqs }: Delivery): Sendable | null {
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
async function attemptDelivery(
  parts: DeliveryParts,
  { accountId, id }: Delivery,
  { account, channel, events }: Sendable,
  signal: AbortSignal,
): Promise<Attempted> {
  try {
    const { kind } = channel;
    if (kind === "webhook") {
      const [event] = events;
      return await attemptWebhook(parts, channel, { id: event.id, body: webhookBody(event, parts) }, signal);
    }
    if (isChatKind(kind))
      return await attemptChat(parts, { ...channel, kind }, chatMessage(channelMailContext(parts, account, channel), events), signal);
    const messageId = messageIdOf(`dlv-${accountId}-${id}`, parts);
    const render = () => digestMail(channelMailContext(parts, account, channel), events);
    return await attemptMail(parts, channel, { messageId, render }, { signal });
  } catch (error) {
    parts.log.error("delivery failed inside", { delivery: id, account: accountId, because: messageOf(error) });
    return failure("internal");
  }
}

/** A test has an id of its own, and takes the same way. Never rejects. */
async function attemptTest(
  parts: DeliveryParts,
  { account, channel }: Omit<Sendable, "events">,
  name: string,
  signal: AbortSignal,
): Promise<Attempted> {
  try {
    const { kind } = channel;
    if (kind === "webhook") return await attemptWebhook(parts, channel, { id: name, body: webhookTestBody(parts.clock.now()) }, signal);
    if (isChatKind(kind))
      return await attemptChat(parts, { ...channel, kind }, chatTestMessage(mailContext(parts, account.locale), channel.name), signal);
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

/** Services take no id, so that a message whose answer was lost comes twice. */
async function attemptChat(
  { send, clock }: DeliveryParts,
  { kind, target }: { readonly kind: ChatKind; readonly target: string },
  message: ChatMessage,
  signal: AbortSignal,
): Promise<Attempted> {
  return ofWebhook(await send.webhook({ ...chatRequest(kind, target, message), secrets: [], id: "", timestamp: clock.now(), signal }));
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
