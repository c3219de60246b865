/** The mail that asks its reader to confirm an address, and the page after an action on channels. */
import type { Channel } from "../../../store/channels.ts";
import { notFound } from "../../errors.ts";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import { channelsPagePath } from "./channel-paths.ts";
import type { ChannelsOutcome } from "./channels-page.tsx";

export function done(visit: Visit, outcome: ChannelsOutcome): Response {
  return redirect(visit, `${channelsPagePath}?done=${outcome}`);
}

/** Sends the link that confirms the address. */
export async function confirmAgain(visit: Visit, { accountId, id }: Channel): Promise<Response> {
  const { settings, now } = visit;
  if (!settings.sites.mailConfigured()) return done(visit, "no-mail");
  const value = await settings.store.channels.issueConfirmation(accountId, id, now);
  const channel = settings.store.channels.find(accountId, id);
  // Another request may have removed the channel.
  if (value === undefined || channel === undefined) throw notFound();
  const outcome = await settings.sites.sendConfirmation(channel, value);
  return done(visit, outcome === "failed" ? "unsent" : outcome);
}
