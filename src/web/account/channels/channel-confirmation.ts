/** The mail that asks its reader to confirm an address, and the page after an action on channels. */
import { requestConfirmation } from "../../../deliver/request-confirmation.ts";
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
export async function confirmAgain(visit: Visit, channel: Channel): Promise<Response> {
  const { store, sites } = visit.settings;
  if (!sites.mailConfigured()) return done(visit, "no-mail");
  const outcome = await requestConfirmation(store, channel, visit.now, sites.sendConfirmation);
  if (outcome === undefined) throw notFound();
  return done(visit, outcome === "failed" ? "unsent" : outcome);
}
