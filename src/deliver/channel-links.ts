/** Links of channels that mails carry. They work without signing in, because the reader may have no account. */
import type { Channel } from "../store/channels.ts";

/** Pages that the links lead to; each takes `<accountId>-<channelId>` as a part of its path and the secret as `key`. */
export const unsubscribePath = "/unsubscribe";
export const confirmChannelPath = "/confirm-channel";

type ChannelKey = Pick<Channel, "accountId" | "id">;

/** Null for a channel that has no such link. `address`: URL of the appliance without a slash at its end. */
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
