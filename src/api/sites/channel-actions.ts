/** Tests, secrets and states of one channel. */
import { newWebhookSecret } from "../../deliver/webhook-signature.ts";
import type { Channel } from "../../store/channels.ts";
import { written } from "../writing.ts";
import { type AccountRequest, answerJson, type SiteApiSettings } from "./account-request.ts";
import { assertMailConfigured, changeChannel, channelBody, ownChannel, sendConfirmation, unconfirmed } from "./own-channel.ts";
import { channelRefused, recordNotFound, tooManyMessages } from "./site-errors.ts";

/** Retry-After of tests and confirmations beyond their limit. */
const retrySeconds = 3_600;

export function createChannelActions(settings: SiteApiSettings) {
  const { store, sites, now } = settings;
  return { test: testTarget, rotateSecret, enable, disable, confirm };

  async function testTarget(given: AccountRequest): Promise<Response> {
    const channel = ownChannel(store, given);
    if (channel.verifiedAt === null) throw channelRefused("The mail address is not confirmed yet.");
    if (channel.disabled?.because === "unsubscribed") throw channelRefused("The reader has ended the mails of this channel.");
    if (channel.kind === "mail") assertMailConfigured(sites);
    const { result, status, ms, because } = await sites.testChannel(channel);
    if (because === "too-many") throw tooManyMessages(retrySeconds);
    return answerJson(given, 200, { result, status, ms, because });
  }

  async function rotateSecret(given: AccountRequest): Promise<Response> {
    const { accountId, id, kind } = ownChannel(store, given);
    if (kind !== "webhook") throw channelRefused("Only a webhook has a secret.");
    const secret = newWebhookSecret();
    const changed = await written(() => store.channels.rotateSecret(accountId, id, secret));
    if (changed === undefined) throw recordNotFound("channel");
    return answerJson(given, 200, { ...channelBody(changed), secret });
  }

  /** A reader who has ended the mails must confirm the address again. */
  async function enable(given: AccountRequest): Promise<Response> {
    const before = ownChannel(store, given);
    const hasEnded = ({ disabled }: Channel) => disabled?.because === "unsubscribed";
    if (hasEnded(before)) assertMailConfigured(sites);
    let isAsked = false;
    // The stored channel decides: its reader may have ended the mails since it was read.
    const changed = await changeChannel(store, before, (stored) => {
      isAsked = hasEnded(stored);
      return { disabled: null, ...(isAsked && unconfirmed) };
    });
    const confirmation = isAsked ? await sendConfirmation(settings, changed) : null;
    return answerJson(given, 200, { ...channelBody(store.channels.find(before.accountId, before.id) ?? changed), confirmation });
  }

  async function disable(given: AccountRequest): Promise<Response> {
    const { accountId, id } = ownChannel(store, given);
    const changed = await written(() => store.channels.disable(accountId, id, "owner", now()));
    if (changed === undefined) throw recordNotFound("channel");
    return answerJson(given, 200, channelBody(changed));
  }

  async function confirm(given: AccountRequest): Promise<Response> {
    const channel = ownChannel(store, given);
    if (channel.verifiedAt !== null) throw channelRefused("The channel is confirmed already.");
    assertMailConfigured(sites);
    const confirmation = await sendConfirmation(settings, channel);
    if (confirmation === "too-many") throw tooManyMessages(retrySeconds);
    return answerJson(given, 200, { ...channelBody(store.channels.find(channel.accountId, channel.id) ?? channel), confirmation });
  }
}
