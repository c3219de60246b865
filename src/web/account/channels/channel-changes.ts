/** `POST /account/channels`: actions on channels, and issues the token for the metrics of sites. */
import { newWebhookSecret } from "../../../deliver/webhook-signature.ts";
import type { Account } from "../../../store/accounts.ts";
import type { Channel } from "../../../store/channels.ts";
import { formMalformed, notFound } from "../../errors.ts";
import type { PostFor } from "../../guards.ts";
import type { Visit } from "../../visit.ts";
import { confirmAgain, done } from "./channel-confirmation.ts";
import { type ChannelAction, channelActions } from "./channel-table.tsx";
import { channelDeletionPage, channelsPage, ownChannelOf } from "./channels-page.tsx";
import { saveChannel, saveNewChannel } from "./save-channel.ts";
import { metricsTokenPage, webhookSecretPage } from "./secret-page.tsx";

export const postChannels: PostFor<"accounts"> = (visit, account, fields) => {
  const operation = fields.text("do");
  if (operation === "create") return saveNewChannel(visit, account, fields);
  if (operation === "change") return saveChannel(visit, account, fields);
  if (operation === "issue") return issueMetricsToken(visit, account);
  if (operation === "revoke") return revokeMetricsToken(visit, account);
  const action = channelActions.find((one) => one === operation);
  if (action === undefined) throw formMalformed();
  const channel = ownChannelOf(visit, account, fields.text("channel"));
  if (action === "delete" && fields.text("confirm") !== "yes") return channelDeletionPage(visit, channel);
  return changes[action](visit, account, channel);
};

const changes: Readonly<Record<ChannelAction, (visit: Visit, account: Account, channel: Channel) => Response | Promise<Response>>> = {
  test: testChannel,
  confirm: (visit, _account, channel) => (channel.verifiedAt === null ? confirmAgain(visit, channel) : done(visit, "added")),
  rotate,
  enable,
  disable,
  delete: remove,
};

async function testChannel(visit: Visit, account: Account, channel: Channel): Promise<Response> {
  if (channel.verifiedAt === null) return done(visit, "unsent");
  if (channel.disabled?.because === "unsubscribed") return done(visit, "ended");
  if (channel.kind === "mail" && !visit.settings.sites.mailConfigured()) return done(visit, "no-mail");
  const outcome = await visit.settings.sites.testChannel(channel);
  return channelsPage(visit, account, { tested: { channel, outcome } });
}

async function rotate(visit: Visit, account: Account, { id }: Channel): Promise<Response> {
  const { settings } = visit;
  const changed = await settings.store.channels.rotateSecret(account.id, id, newWebhookSecret());
  if (changed === undefined) throw formMalformed();
  settings.log.info("secret of a channel rotated", { account: account.id, channel: id });
  return webhookSecretPage(visit, changed);
}

/** A reader who has ended the mails must confirm the address again. */
async function enable(visit: Visit, account: Account, channel: Channel): Promise<Response> {
  const { settings } = visit;
  const hasEnded = ({ disabled }: Channel) => disabled?.because === "unsubscribed";
  if (hasEnded(channel) && !settings.sites.mailConfigured()) return done(visit, "no-mail");
  // The stored channel decides: its reader may have ended the mails since it was read.
  const changed = await settings.store.channels.change(account.id, channel.id, (stored) => ({
    disabled: null,
    ...(hasEnded(stored) && { verifiedAt: null, confirmation: null }),
  }));
  if (changed === undefined) throw notFound();
  return channel.verifiedAt !== null && changed.verifiedAt === null ? confirmAgain(visit, changed) : done(visit, "enabled");
}

async function disable(visit: Visit, account: Account, { id }: Channel): Promise<Response> {
  await visit.settings.store.channels.disable(account.id, id, "owner", visit.now);
  return done(visit, "disabled");
}

async function remove(visit: Visit, account: Account, { id }: Channel): Promise<Response> {
  const { store, log } = visit.settings;
  if (await store.channels.remove(account.id, id)) log.info("channel removed", { account: account.id, channel: id });
  return done(visit, "deleted");
}

async function issueMetricsToken(visit: Visit, account: Account): Promise<Response> {
  const value = await visit.settings.store.metricsTokens.issue(account.id);
  visit.settings.log.info("token for metrics of sites issued", { account: account.id });
  return metricsTokenPage(visit, value);
}

async function revokeMetricsToken(visit: Visit, account: Account): Promise<Response> {
  await visit.settings.store.metricsTokens.revoke(account.id);
  visit.settings.log.info("token for metrics of sites revoked", { account: account.id });
  return done(visit, "revoked");
}
