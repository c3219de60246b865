/** Channels that notify an account. */
import { hourMs } from "../base/units.ts";
import { type AuditAction, noteAccount } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { disableChannel, giveUpDeliveriesOf } from "./deliveries.ts";
import { transactions } from "./methods.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import { accountRange } from "./table.ts";

export const channelsMax = 50;
export const channelNameCharsMax = 100;
/** A confirmation link of a mail address is valid so long. */
export const confirmationHours = 72;
/** Secrets of a webhook while one is rotated. */
const secretsMax = 2;

/** Chat services that take messages by a URL of the channel. */
export const chatKinds = ["slack", "teams", "discord", "mattermost", "ntfy"] as const;
export type ChatKind = (typeof chatKinds)[number];

export const channelKinds = ["mail", "webhook", ...chatKinds] as const;
export type ChannelKind = (typeof channelKinds)[number];

export function isChatKind(kind: ChannelKind): kind is ChatKind {
  return kind !== "mail" && kind !== "webhook";
}

/**
 * Why a channel takes no deliveries. `gone`: its receiver answered 410. `failed`: all attempts of a delivery failed, or the address of a mail
 * was refused.
 */
export const channelDisablings = ["owner", "gone", "failed", "unsubscribed"] as const;
export type ChannelDisabling = (typeof channelDisablings)[number];

interface ConfirmationLink {
  /** SHA-256 of its value. */
  readonly hash: string;
  readonly expiresAt: string;
}

/** All instants are ISO 8601, UTC. */
const channelRow = stored.row({
  id: stored.id,
  accountId: stored.id,
  kind: stored.oneOf(channelKinds),
  name: stored.text,
  /** Mail address, or URL of the receiver. That of a chat service is a secret: it lets anyone post there. */
  target: stored.text,
  /** Secrets of a webhook, the newest first: two while one is rotated. Empty for other kinds. */
  secrets: stored.listOf<string>(),
  createdAt: stored.time,
  /** Null: the mail address is not confirmed, and gets nothing but the link. */
  verifiedAt: stored.orNull(stored.time),
  /** Null without an open link. `earlier`: link that stays valid until the mail with the newer one was sent. */
  confirmation: stored.orNull(stored.objectOf<ConfirmationLink & { readonly earlier?: ConfirmationLink }>()),
  /** Secret of the link that ends the mails, without signing in. Null for other kinds. */
  unsubscribeKey: stored.orNull(stored.text),
  disabled: stored.orNull(
    stored.objectOf<{
      readonly at: string;
      readonly because: ChannelDisabling;
      /** The account has not yet got a mail about it. */
      readonly noticeDue?: boolean;
    }>(),
  ),
});
export type Channel = Static<typeof channelRow>;

export const channelsTable = defineTable({
  row: channelRow,
  key: keyed<[accountId: number, channelId: number]>(),
  ofAccount: [{ by: "part", part: 0 }],
  keyIds: ["nextAccountId", "nextChannelId"],
});

export function channelRepository(db: Db) {
  return {
    find: (accountId: number, id: number): Channel | undefined => db.channels.get([accountId, id]),
    /** In the order of their ids. */
    list: (accountId: number): readonly Channel[] => db.channels.values(accountRange(accountId)),
    /** Disabled channels of all accounts whose owner is not yet notified. */
    noticesDue: (): readonly Channel[] => db.channels.values().filter(({ disabled }) => disabled?.noticeDue === true),
    ...transactions(db, { add, change, rotateSecret, remove, disable: disableChannel }),
    ...transactions(db, { issueConfirmation, noteConfirmationSent, confirm }),
    enable: (accountId: number, id: number) => db.write(() => change(db, accountId, id, () => ({ disabled: null }))),
    /** The account has got a mail about the disabled channel. */
    noteNotice: (accountId: number, id: number) =>
      db.write(() => change(db, accountId, id, ({ disabled }) => ({ disabled: disabled && { ...disabled, noticeDue: false } }))),
  };
}

type NewChannel = Pick<Channel, "accountId" | "kind" | "name" | "target" | "secrets"> & {
  /** False for mail alone. The reader of a mail address confirms it first. */
  readonly verified: boolean;
  readonly now: Date;
};

/** `full`: the account has `channelsMax`. */
function add(db: Db, { now, verified, ...channel }: NewChannel): Channel | "full" {
  if (db.channels.getKeysCount(accountRange(channel.accountId)) >= channelsMax) return "full";
  const added: Channel = {
    ...channel,
    id: db.next("nextChannelId"),
    createdAt: now.toISOString(),
    verifiedAt: verified ? now.toISOString() : null,
    confirmation: null,
    unsubscribeKey: channel.kind === "mail" ? newSecretValue(db.clock) : null,
    disabled: null,
  };
  db.channels.put([added.accountId, added.id], added);
  noteChannel(db, added, "channel.created");
  return added;
}

/** The mail with the link was sent, so that the earlier link is void. */
function noteConfirmationSent(db: Db, accountId: number, id: number, value: string): Channel | undefined {
  return change(db, accountId, id, ({ confirmation }) =>
    confirmation?.hash === hashOfSecret(value) ? { confirmation: linkOf(confirmation) } : {},
  );
}

/** Undefined if the link is unknown, used or expired. */
function confirm(db: Db, accountId: number, id: number, value: string, now: Date): Channel | undefined {
  const channel = db.channels.get([accountId, id]);
  if (channel === undefined || !canConfirm(channel, value, now)) return undefined;
  return change(db, accountId, id, () => ({ confirmation: null, verifiedAt: now.toISOString() }));
}

/** Value of a new confirmation link, beside which the last sent one stays valid; undefined for an unknown channel. */
function issueConfirmation(db: Db, accountId: number, id: number, now: Date): string | undefined {
  const value = newSecretValue(db.clock);
  const expiresAt = new Date(now.getTime() + confirmationHours * hourMs).toISOString();
  const changed = change(db, accountId, id, ({ confirmation }) => {
    const earlier = confirmation?.earlier ?? confirmation;
    return { confirmation: { hash: hashOfSecret(value), expiresAt, ...(earlier !== null && { earlier: linkOf(earlier) }) } };
  });
  return changed === undefined ? undefined : value;
}

/** Whether the value belongs to an open confirmation link of the channel. */
export function canConfirm({ confirmation }: Pick<Channel, "confirmation">, value: string, now: Date): boolean {
  if (confirmation === null || !isSecretValue(value)) return false;
  const hash = hashOfSecret(value);
  const link = [confirmation, confirmation.earlier].find((one) => one?.hash === hash);
  return link !== undefined && now.getTime() < Date.parse(link.expiresAt);
}

function linkOf({ hash, expiresAt }: ConfirmationLink): ConfirmationLink {
  return { hash, expiresAt };
}

/** Also leaves the rules without it, and gives up its deliveries. False for an unknown channel. */
function remove(db: Db, accountId: number, id: number): boolean {
  const channel = db.channels.get([accountId, id]);
  if (channel === undefined) return false;
  giveUpDeliveriesOf(db, accountId, id);
  db.channels.remove([accountId, id]);
  for (const { key, value: rule } of [...db.notificationRules.getRange(accountRange(accountId))]) {
    const channelIds = rule.channelIds.filter((one) => one !== id);
    if (channelIds.length === 0) db.notificationRules.remove(key);
    else if (channelIds.length < rule.channelIds.length) db.notificationRules.put(key, { ...rule, channelIds });
  }
  noteChannel(db, channel, "channel.removed");
  return true;
}

/** The earlier secret stays valid beside the new one until the next rotation. Undefined unless it is a webhook. */
function rotateSecret(db: Db, accountId: number, id: number, secret: string): Channel | undefined {
  if (db.channels.get([accountId, id])?.kind !== "webhook") return undefined;
  return change(db, accountId, id, ({ secrets }) => ({ secrets: [secret, ...secrets].slice(0, secretsMax) }));
}

/**
 * Another target of a mail channel must be confirmed, and gets another link that ends the mails: it has another reader. That the earlier
 * address failed, or its reader ended the mails, says nothing about the new one; it stays disabled only by its owner.
 */
function change(db: Db, accountId: number, id: number, update: (channel: Channel) => Partial<Channel>): Channel | undefined {
  return db.channels.update([accountId, id], (channel) => {
    const changed: Channel = { ...channel, ...update(channel) };
    const isMoved = changed.target !== channel.target;
    if (isMoved || changed.secrets[0] !== channel.secrets[0]) noteChannel(db, changed, "channel.changed");
    if (channel.kind !== "mail" || !isMoved) return changed;
    const disabled = changed.disabled?.because === "owner" ? changed.disabled : null;
    return { ...changed, verifiedAt: null, confirmation: null, unsubscribeKey: newSecretValue(db.clock), disabled };
  });
}

/** By its id: a target may be a mail address or hold a secret. */
function noteChannel(db: Db, { accountId, id, kind }: Channel, action: AuditAction): void {
  noteAccount(db, accountId, action, { by: "self", details: { channel: id, kind } });
}
