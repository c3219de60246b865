/** Channels that notify an account. */
import { hourMs } from "../base/units.ts";
import { type AuditAction, noteAccount } from "./audit.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { disableChannel, giveUpDeliveriesOf } from "./deliveries.ts";
import { hashOfSecret, isSecretValue, newSecretValue } from "./secret-value.ts";
import { accountRange } from "./table.ts";

export type { NotificationRule, RuleScope } from "./notification-rules.ts";
export { rulesMax } from "./notification-rules.ts";

export const channelsMax = 50;
export const channelNameCharsMax = 100;
/** A confirmation link of a mail address is valid so long. */
export const confirmationHours = 72;
/** Secrets of a webhook while one is rotated. */
const secretsMax = 2;

export const channelKinds = ["mail", "webhook"] as const;
export type ChannelKind = (typeof channelKinds)[number];

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
  /** Mail address, or URL of the receiver. */
  target: stored.text,
  /** Secrets of a webhook, the newest first: two while one is rotated. Empty for mail. */
  secrets: stored.listOf<string>(),
  createdAt: stored.time,
  /** Null: the mail address is not confirmed, and gets nothing but the link. */
  verifiedAt: stored.orNull(stored.time),
  /** Null without an open link. `earlier`: link that stays valid until the mail with the newer one was sent. */
  confirmation: stored.orNull(stored.objectOf<ConfirmationLink & { readonly earlier?: ConfirmationLink }>()),
  /** Secret of the link that ends the mails, without signing in. Null for webhooks. */
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

export type NewChannel = Pick<Channel, "accountId" | "kind" | "name" | "target" | "secrets"> & {
  /** True for webhooks. The reader of a mail address confirms it first. */
  readonly verified: boolean;
  readonly now: Date;
};

export function channelRepository(db: Db) {
  const find = (accountId: number, id: number): Channel | undefined => db.channels.get([accountId, id]);
  const list = (accountId: number): readonly Channel[] => db.channels.values(accountRange(accountId));

  function change(accountId: number, id: number, update: (channel: Channel) => Partial<Channel>): Promise<Channel | undefined> {
    return db.write(() => changeChannel(db, accountId, id, update));
  }

  return {
    find,
    /** In the order of their ids. */
    list,
    /** `full`: the account has `channelsMax`. */
    add: ({ now, verified, ...channel }: NewChannel): Promise<Channel | "full"> =>
      db.write(() => {
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
      }),
    /** Another target of a mail channel must be confirmed, and is enabled unless its owner disabled it. It gets another link that ends the mails. */
    change,
    /** The earlier secret stays valid beside the new one until the next rotation. Undefined unless it is a webhook. */
    rotateSecret: (accountId: number, id: number, secret: string): Promise<Channel | undefined> =>
      db.write(() => rotateSecret(db, accountId, id, secret)),
    /** Also leaves the rules without it, and gives up its deliveries. False for an unknown channel. */
    remove: (accountId: number, id: number): Promise<boolean> => db.write(() => removeChannel(db, accountId, id)),
    /** Disabling gives up what waits for the channel. */
    disable: (accountId: number, id: number, because: ChannelDisabling, now: Date): Promise<Channel | undefined> =>
      db.write(() => disableChannel(db, { accountId, id, because, now })),
    /** Disabled channels of all accounts whose owner is not yet notified. */
    noticesDue: (): readonly Channel[] => db.channels.values().filter(({ disabled }) => disabled?.noticeDue === true),
    noteNotice: (accountId: number, id: number): Promise<Channel | undefined> =>
      change(accountId, id, ({ disabled }) => ({ disabled: disabled && { ...disabled, noticeDue: false } })),
    enable: (accountId: number, id: number): Promise<Channel | undefined> => change(accountId, id, () => ({ disabled: null })),

    /** Value of a new confirmation link, beside which the last sent one stays valid; undefined for an unknown channel. */
    issueConfirmation: (accountId: number, id: number, now: Date): Promise<string | undefined> =>
      db.write(() => issueConfirmation(db, accountId, id, now)),
    /** The mail with the link was sent, so that the earlier link is void. */
    noteConfirmationSent: (accountId: number, id: number, value: string): Promise<Channel | undefined> =>
      change(accountId, id, ({ confirmation }) =>
        confirmation?.hash === hashOfSecret(value) ? { confirmation: linkOf(confirmation) } : {},
      ),
    /** Undefined if the link is unknown, used or expired. */
    confirm: (accountId: number, id: number, value: string, now: Date): Promise<Channel | undefined> =>
      db.write(() => {
        const channel = find(accountId, id);
        if (channel === undefined || !canConfirm(channel, value, now)) return undefined;
        return changeChannel(db, accountId, id, () => ({ confirmation: null, verifiedAt: now.toISOString() }));
      }),
  };
}

function issueConfirmation(db: Db, accountId: number, id: number, now: Date): string | undefined {
  const value = newSecretValue(db.clock);
  const expiresAt = new Date(now.getTime() + confirmationHours * hourMs).toISOString();
  const changed = changeChannel(db, accountId, id, ({ confirmation }) => {
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

function removeChannel(db: Db, accountId: number, id: number): boolean {
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

function rotateSecret(db: Db, accountId: number, id: number, secret: string): Channel | undefined {
  if (db.channels.get([accountId, id])?.kind !== "webhook") return undefined;
  return changeChannel(db, accountId, id, ({ secrets }) => ({ secrets: [secret, ...secrets].slice(0, secretsMax) }));
}

/**
 * Another mail address has another reader, whom links in earlier mails must not end. That the earlier address failed, or its reader ended
 * the mails, says nothing about the new one.
 */
function newReader({ clock }: Db, { disabled }: Channel): Pick<Channel, "verifiedAt" | "confirmation" | "unsubscribeKey" | "disabled"> {
  return {
    verifiedAt: null,
    confirmation: null,
    unsubscribeKey: newSecretValue(clock),
    disabled: disabled?.because === "owner" ? disabled : null,
  };
}

/** Only within a transaction. */
function changeChannel(db: Db, accountId: number, id: number, update: (channel: Channel) => Partial<Channel>): Channel | undefined {
  const channel = db.channels.get([accountId, id]);
  if (channel === undefined) return undefined;
  const updated: Channel = { ...channel, ...update(channel) };
  const isMoved = channel.kind === "mail" && updated.target !== channel.target;
  const changed: Channel = isMoved ? { ...updated, ...newReader(db, updated) } : updated;
  db.channels.put([accountId, id], changed);
  if (changed.target !== channel.target || changed.secrets[0] !== channel.secrets[0]) noteChannel(db, changed, "channel.changed");
  return changed;
}

/** By its id: a target may be a mail address or hold a secret. */
function noteChannel(db: Db, { accountId, id, kind }: Channel, action: AuditAction): void {
  noteAccount(db, accountId, action, { by: "self", details: { channel: id, kind } });
}
