/**
 * Use cases of channels, for pages and API. Each one writes a log line. The store writes audit entries in the transaction of the change.
 */
import { type Outcome, refuse } from "../base/outcome.ts";
import { parseMailbox } from "../parse/mail/smtp-settings.ts";
import { parseWebhookUrl } from "../parse/scan-url.ts";
import type { ChannelTest, ConfirmationOutcome, SiteServices } from "../sites/site-operations.ts";
import type { RecordOwner } from "../store/accounts.ts";
import { type Channel, type ChannelKind, channelNameCharsMax, isChatKind } from "../store/channels.ts";
import { severityMinDefault, siteReportTypes } from "../store/notification-rules.ts";
import type { UseCase } from "../store/store.ts";
import { chatServices, isChatUrl } from "./chat-services.ts";
import { newWebhookSecret } from "./webhook.ts";

/** `not-service`: no URL of the chat service. `refused`: deliveries would never reach the literal address. */
export type ChannelTargetFault = "required" | "not-mail" | "not-url" | "not-service" | "refused";
export type ChannelNameFault = "too-long" | "characters";

export type ChannelFieldFault =
  | { readonly at: "target"; readonly because: ChannelTargetFault }
  | { readonly at: "name"; readonly because: ChannelNameFault };

/** What is wrong with a field. */
export interface FaultyChannel {
  readonly fault: ChannelFieldFault;
}

/** Stored form of the target. */
export function parseChannelTarget(
  { webhooksAllowHttp, webhookTargetFault }: Pick<SiteServices, "webhooksAllowHttp" | "webhookTargetFault">,
  kind: ChannelKind,
  text: string,
): Pick<Channel, "target"> | FaultyChannel {
  const faulty = (because: ChannelTargetFault): FaultyChannel => ({ fault: { at: "target", because } });
  const typed = text.trim();
  if (typed === "") return faulty("required");
  if (kind === "mail") {
    const mailbox = parseMailbox(typed);
    return mailbox === null || mailbox.name !== null ? faulty("not-mail") : { target: mailbox.email };
  }
  const url = parseWebhookUrl(typed, { allowHttp: webhooksAllowHttp });
  if (url === null) return faulty("not-url");
  if (isChatKind(kind) && !isChatUrl(kind, url)) return faulty("not-service");
  return webhookTargetFault(url) === null ? { target: url } : faulty("refused");
}

/** Name of a channel: by default the mail address, the host of a webhook, or the chat service. */
function parseChannelLabel(kind: ChannelKind, text: string, target: string): Pick<Channel, "name" | "target"> | FaultyChannel {
  const name = text.trim();
  if (name.length > channelNameCharsMax) return { fault: { at: "name", because: "too-long" } };
  // Names get into subjects of mails.
  if (/[\p{Cc}\p{Cf}]/u.test(name) || !name.isWellFormed()) return { fault: { at: "name", because: "characters" } };
  const fallback = isChatKind(kind) ? chatServices[kind].product : URL.parse(target)?.host || target;
  return { name: name === "" ? fallback.slice(0, channelNameCharsMax) : name, target };
}

/** Pages that the links lead to; each takes `<accountId>-<channelId>` as a part of its path and the secret as `key`. */
export const unsubscribePath = "/unsubscribe";
export const confirmChannelPath = "/confirm-channel";

type ChannelKey = Pick<Channel, "accountId" | "id">;

/** Link that ends the mails; null for a channel without one. `address`: URL of the appliance without a slash at its end. */
export function unsubscribeUrl(address: string, channel: ChannelKey & Pick<Channel, "unsubscribeKey">): string | null {
  return channel.unsubscribeKey === null ? null : channelUrl(address, unsubscribePath, channel, channel.unsubscribeKey);
}

/** `value`: of `issueConfirmation`. */
export function confirmationUrl(address: string, channel: ChannelKey, value: string): string {
  return channelUrl(address, confirmChannelPath, channel, value);
}

/** Part of the path that names a channel; null for any other text. */
export function parseChannelName(name: string): ChannelKey | null {
  const [, accountId, id] = /^([1-9]\d{0,14})-([1-9]\d{0,14})$/.exec(name) ?? [];
  return accountId === undefined || id === undefined ? null : { accountId: Number(accountId), id: Number(id) };
}

function channelUrl(address: string, path: string, { accountId, id }: ChannelKey, key: string): string {
  return `${address}${path}/${accountId}-${id}?key=${encodeURIComponent(key)}`;
}

interface ChannelContext extends UseCase<"channels" | "rules"> {
  readonly sites: Pick<SiteServices, "mailConfigured" | "sendConfirmation" | "testChannel" | "webhooksAllowHttp" | "webhookTargetFault">;
}

export interface SavedChannel {
  readonly channel: Channel;
  /** Outcome of the mail that asks the reader to confirm the address; null if none was needed. */
  readonly confirmation: ConfirmationOutcome | null;
}

interface GivenChannel {
  readonly kind: ChannelKind;
  readonly target: string;
  readonly name: string;
  /** Adds a rule for all sites and all events but ends of scans, from the default severity. */
  readonly reportAll?: boolean;
}

/** The newest secret of a webhook is `channel.secrets[0]`. `no-mail`: the appliance has no mail server. */
export async function addChannel(
  context: ChannelContext,
  { id: accountId }: RecordOwner,
  given: GivenChannel,
): Promise<Outcome<SavedChannel, "no-mail" | "full"> | FaultyChannel> {
  const { store, log } = context;
  const { kind, reportAll = false } = given;
  const verified = kind !== "mail";
  if (!verified && !context.sites.mailConfigured()) return refuse("no-mail");
  const fields = parseChannel(context, given);
  if ("fault" in fields) return fields;
  const secrets = kind === "webhook" ? [newWebhookSecret()] : [];
  const added = await store.channels.add({ accountId, kind, ...fields, secrets, verified, now: context.now() });
  if (added === "full") return refuse(added);
  if (reportAll) await addRuleOfAll(context, added);
  log.info("channel added", { account: accountId, channel: added.id, kind });
  return { done: await saved(context, added, !verified) };
}

/** Ends of single scans would be too many. */
async function addRuleOfAll({ store, now }: ChannelContext, { accountId, id }: Channel): Promise<void> {
  const events = siteReportTypes;
  await store.rules.add({ accountId, scope: { kind: "all" }, events, severityMin: severityMinDefault, channelIds: [id], now: now() });
}

interface ChannelUpdate {
  readonly id: number;
  /** Absent fields stay. */
  readonly target?: string;
  readonly name?: string;
}

/** A webhook keeps its secret. Another mail address must be confirmed. */
export async function updateChannel(
  context: ChannelContext,
  owner: RecordOwner,
  update: ChannelUpdate,
): Promise<Outcome<SavedChannel, "unknown" | "no-mail"> | FaultyChannel> {
  const { store, log } = context;
  const { id } = update;
  const before = store.channels.find(owner.id, id);
  if (before === undefined) return refuse("unknown");
  const change = parseChange(context, before, update);
  if ("fault" in change) return change;
  const isNewAddress = ({ kind, target }: Channel) => kind === "mail" && change.target !== undefined && change.target !== target;
  if (isNewAddress(before) && !context.sites.mailConfigured()) return refuse("no-mail");
  let isMoved = false;
  // The stored channel decides: another request may have changed and confirmed its address meanwhile.
  const changed = await store.channels.change(owner.id, id, (stored) => {
    isMoved = isNewAddress(stored);
    return change;
  });
  if (changed === undefined) return refuse("unknown");
  log.info("channel changed", { account: owner.id, channel: id });
  return { done: await saved(context, changed, isMoved) };
}

function parseChannel({ sites }: ChannelContext, { kind, target, name }: GivenChannel): Pick<Channel, "name" | "target"> | FaultyChannel {
  const parsed = parseChannelTarget(sites, kind, target);
  return "fault" in parsed ? parsed : parseChannelLabel(kind, name, parsed.target);
}

/** A target that is not given is not judged again: settings may have changed since. */
function parseChange({ sites }: ChannelContext, stored: Channel, { target, name }: ChannelUpdate): Partial<Channel> | FaultyChannel {
  const parsed: Partial<Pick<Channel, "target">> | FaultyChannel =
    target === undefined ? {} : parseChannelTarget(sites, stored.kind, target);
  if ("fault" in parsed || name === undefined) return parsed;
  const label = parseChannelLabel(stored.kind, name, parsed.target ?? stored.target);
  return "fault" in label ? label : { ...parsed, name: label.name };
}

/** Asks the reader of a mail address to confirm it, once more. */
export async function confirmChannel(
  context: ChannelContext,
  owner: RecordOwner,
  id: number,
): Promise<Outcome<SavedChannel, "unknown" | "confirmed" | "no-mail">> {
  const channel = context.store.channels.find(owner.id, id);
  if (channel === undefined) return refuse("unknown");
  if (channel.verifiedAt !== null) return refuse("confirmed");
  if (!context.sites.mailConfigured()) return refuse("no-mail");
  return { done: await confirmed(context, channel) };
}

async function saved(context: ChannelContext, channel: Channel, mustConfirm: boolean): Promise<SavedChannel> {
  return mustConfirm ? confirmed(context, channel) : { channel, confirmation: null };
}

/** Sends the mail that asks to confirm. `failed` also for a channel that another request has removed. */
async function confirmed({ store, sites, now, log }: ChannelContext, channel: Channel): Promise<SavedChannel> {
  const { accountId, id } = channel;
  const value = await store.channels.issueConfirmation(accountId, id, now());
  // Another request may have given the channel another address: the link must not confirm one that does not get it.
  const current = store.channels.find(accountId, id);
  const confirmation = value === undefined || current === undefined ? "failed" : await sites.sendConfirmation(current, value);
  if (value !== undefined && confirmation === "sent") await store.channels.noteConfirmationSent(accountId, id, value);
  log.info("confirmation of a channel requested", { account: accountId, channel: id, mail: confirmation });
  return { channel: store.channels.find(accountId, id) ?? channel, confirmation };
}

/** `unsubscribed`: the reader has ended the mails. */
export async function testChannel(
  context: ChannelContext,
  owner: RecordOwner,
  id: number,
): Promise<Outcome<ChannelTest, "unknown" | "unconfirmed" | "unsubscribed" | "no-mail">> {
  const channel = context.store.channels.find(owner.id, id);
  if (channel === undefined) return refuse("unknown");
  if (channel.verifiedAt === null) return refuse("unconfirmed");
  if (hasEnded(channel)) return refuse("unsubscribed");
  if (channel.kind === "mail" && !context.sites.mailConfigured()) return refuse("no-mail");
  const done = await context.sites.testChannel(channel);
  context.log.info("channel tested", { account: owner.id, channel: id, result: done.result, because: done.because });
  return { done };
}

/** The earlier secret stays valid beside the new one. `no-secret`: the channel is no webhook. */
export async function rotateChannelSecret(
  { store, log }: ChannelContext,
  owner: RecordOwner,
  id: number,
): Promise<Outcome<Channel, "unknown" | "no-secret">> {
  const changed = await store.channels.rotateSecret(owner.id, id, newWebhookSecret());
  if (changed === undefined) return refuse(store.channels.find(owner.id, id) === undefined ? "unknown" : "no-secret");
  log.info("secret of a channel rotated", { account: owner.id, channel: id });
  return { done: changed };
}

/** A reader who has ended the mails must confirm the address again. */
export async function enableOwnChannel(
  context: ChannelContext,
  owner: RecordOwner,
  id: number,
): Promise<Outcome<SavedChannel, "unknown" | "no-mail">> {
  const { store, log } = context;
  const before = store.channels.find(owner.id, id);
  if (before === undefined) return refuse("unknown");
  if (hasEnded(before) && !context.sites.mailConfigured()) return refuse("no-mail");
  let isAsked = false;
  // The stored channel decides: its reader may have ended the mails since it was read.
  const changed = await store.channels.change(owner.id, id, (stored) => {
    isAsked = hasEnded(stored);
    return { disabled: null, ...(isAsked && { verifiedAt: null, confirmation: null }) };
  });
  if (changed === undefined) return refuse("unknown");
  log.info("channel enabled", { account: owner.id, channel: id });
  return { done: await saved(context, changed, isAsked) };
}

function hasEnded({ disabled }: Channel): boolean {
  return disabled?.because === "unsubscribed";
}

export async function disableOwnChannel(
  { store, now, log }: ChannelContext,
  owner: RecordOwner,
  id: number,
): Promise<Outcome<Channel, "unknown">> {
  const changed = await store.channels.disable(owner.id, id, "owner", now());
  if (changed === undefined) return refuse("unknown");
  log.info("channel disabled", { account: owner.id, channel: id, because: "owner" });
  return { done: changed };
}

export async function removeChannel({ store, log }: ChannelContext, owner: RecordOwner, id: number): Promise<Outcome<null, "unknown">> {
  if (!(await store.channels.remove(owner.id, id))) return refuse("unknown");
  log.info("channel removed", { account: owner.id, channel: id });
  return { done: null };
}
