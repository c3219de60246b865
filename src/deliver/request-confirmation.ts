/** Asks the reader of a mail channel to confirm the address. */
import type { Channel } from "../store/channels.ts";
import type { Store } from "../store/store.ts";

/** `send`: sends the link with the value. Undefined for a channel that is unknown, or was removed meanwhile. */
export async function requestConfirmation<Outcome>(
  { channels }: Pick<Store, "channels">,
  { accountId, id }: Pick<Channel, "accountId" | "id">,
  now: Date,
  send: (channel: Channel, value: string) => Promise<Outcome | "sent">,
): Promise<Outcome | "sent" | undefined> {
  const value = await channels.issueConfirmation(accountId, id, now);
  // Another request may have given the channel another address: the link must not confirm one that does not get it.
  const current = channels.find(accountId, id);
  if (value === undefined || current === undefined) return undefined;
  const outcome = await send(current, value);
  if (outcome === "sent") await channels.noteConfirmationSent(accountId, id, value);
  return outcome;
}
