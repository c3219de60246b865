/** `POST /account/channels`: creates, tests, changes and deletes channels, and issues the token for the metrics of sites. */
import { parseChannelLabel, parseChannelTarget } from "../../../deliver/channel-fields.ts";
import { newWebhookSecret } from "../../../deliver/webhook-signature.ts";
import type { Account } from "../../../store/accounts.ts";
import { type Channel, channelKinds, channelNameCharsMax } from "../../../store/channels.ts";
import { eventTypes } from "../../../store/event-types.ts";
import { formMalformed, notFound } from "../../errors.ts";
import { type Fields, readForm } from "../../form.tsx";
import { redirect } from "../../response.ts";
import type { PageHandler, Visit } from "../../visit.ts";
import { withAccount } from "../sign-in/session-cookie.ts";
import type { TypedChannel } from "./channel-fault.ts";
import { channelsPagePath, recordIdOf } from "./channel-paths.ts";
import { type ChannelAction, channelActions } from "./channel-table.tsx";
import { type ChannelsOutcome, channelDeletionPage, channelsPage } from "./channels-page.tsx";
import { metricsTokenPage, webhookSecretPage } from "./secret-page.tsx";

/** Longest target of a refused form that is shown again. */
const typedCharsMax = 2_048;

export const postChannels: PageHandler = (visit) =>
  withAccount(visit, async (account) => {
    const fields = await readForm(visit);
    const operation = fields.text("do");
    if (operation === "create") return create(visit, account, fields);
    if (operation === "issue") return issueMetricsToken(visit, account);
    if (operation === "revoke") return revokeMetricsToken(visit, account);
    const action = channelActions.find((one) => one === operation);
    if (action === undefined) throw formMalformed();
    const channel = visit.settings.store.channels.find(account.id, recordIdOf(fields.text("channel")));
    // The same for an unknown channel and for one of another account.
    if (channel === undefined) throw notFound();
    if (action === "delete" && fields.text("confirm") !== "yes") return channelDeletionPage(visit, channel);
    return changes[action](visit, account, channel);
  });

const changes: Readonly<Record<ChannelAction, (visit: Visit, account: Account, channel: Channel) => Response | Promise<Response>>> = {
  test: testChannel,
  confirm: (visit, _account, channel) => (channel.verifiedAt === null ? confirmAgain(visit, channel) : done(visit, "added")),
  rotate,
  enable,
  disable,
  delete: remove,
};

function done(visit: Visit, outcome: ChannelsOutcome): Response {
  return redirect(visit, `${channelsPagePath}?done=${outcome}`);
}

async function create(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const { settings, now } = visit;
  const { store, sites, log } = settings;
  const kind = channelKinds.find((one) => one === fields.text("kind"));
  if (kind === undefined) throw formMalformed();
  const typed = {
    kind,
    target: fields.text("target").slice(0, typedCharsMax),
    name: fields.text("name").slice(0, channelNameCharsMax + 1),
    reportAll: fields.text("all") === "yes",
  };
  const refuse = (fault: TypedChannel["fault"]) => channelsPage(visit, account, { typed: { ...typed, fault } });
  if (kind === "mail" && !sites.mailConfigured()) return done(visit, "no-mail");
  const parsed = parseChannelTarget(kind, typed.target, { allowHttp: sites.webhooksAllowHttp, targetFault: sites.webhookTargetFault });
  if ("fault" in parsed) return refuse({ at: "target", because: parsed.fault });
  const label = parseChannelLabel(typed.name, parsed.target);
  if ("fault" in label) return refuse({ at: "name", because: label.fault });
  const isFirst = store.channels.list(account.id).length === 0;
  const verified = kind === "webhook";
  const secrets = kind === "webhook" ? [newWebhookSecret()] : [];
  const added = await store.channels.add({ accountId: account.id, kind, ...label, ...parsed, secrets, verified, now });
  if (added === "full") return refuse({ at: "target", because: "full" });
  if (isFirst && typed.reportAll) await reportAll(visit, added);
  log.info("channel added", { account: account.id, channel: added.id, kind });
  if (kind === "webhook") return webhookSecretPage(visit, added);
  return confirmAgain(visit, added);
}

/** Rule of the first channel: all that happens to all sites. Ends of single scans would be too many. */
async function reportAll({ settings, now }: Visit, { accountId, id }: Channel): Promise<void> {
  const events = eventTypes.filter((type) => type !== "scan.finished");
  await settings.store.rules.add({ accountId, scope: { kind: "all" }, events, severityMin: "info", channelIds: [id], now });
}

async function testChannel(visit: Visit, account: Account, channel: Channel): Promise<Response> {
  if (channel.verifiedAt === null) return done(visit, "unsent");
  if (channel.kind === "mail" && !visit.settings.sites.mailConfigured()) return done(visit, "no-mail");
  const outcome = await visit.settings.sites.testChannel(channel);
  return channelsPage(visit, account, { tested: { channel, outcome } });
}

/** Sends the link that confirms the address. */
async function confirmAgain(visit: Visit, { accountId, id }: Channel): Promise<Response> {
  const { settings, now } = visit;
  if (!settings.sites.mailConfigured()) return done(visit, "no-mail");
  const value = await settings.store.channels.issueConfirmation(accountId, id, now);
  const channel = settings.store.channels.find(accountId, id);
  // Another request may have removed the channel.
  if (value === undefined || channel === undefined) throw notFound();
  const outcome = await settings.sites.sendConfirmation(channel, value);
  return done(visit, outcome === "failed" ? "unsent" : outcome);
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
