/** `POST /account/channels`: changes channels, and issues the token for the metrics of sites. */
import { issueMetricsToken, revokeMetricsToken } from "../../../account/token-operations.ts";
import {
  addChannel,
  confirmChannel,
  disableOwnChannel,
  enableOwnChannel,
  removeChannel,
  rotateChannelSecret,
  type SavedChannel,
  testChannel,
  updateChannel,
} from "../../../deliver/channel-operations.ts";
import type { Account } from "../../../store/accounts.ts";
import { type Channel, type ChannelKind, channelKinds, channelNameCharsMax } from "../../../store/channels.ts";
import { formMalformed, notFound } from "../../errors.ts";
import type { Fields } from "../../form.tsx";
import type { PostFor } from "../../guards.ts";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import type { TypedChannel } from "../channels.tsx";
import { type ChannelsOutcome, channelDeletionPage, channelsPage, ownChannelOf } from "../channels.tsx";
import { channelsPagePath } from "./channel-paths.ts";
import { type ChannelAction, channelActions } from "./channel-table.tsx";
import { metricsTokenPage, webhookSecretPage } from "./secret-page.tsx";

/** Longest target of a refused form that is shown again. */
const typedCharsMax = 2_048;

export const postChannels: PostFor<"accounts"> = async (visit, account, fields) => {
  const { settings } = visit;
  const operation = fields.text("do");
  if (operation === "create") return saveNewChannel(visit, account, fields);
  if (operation === "change") return saveChannel(visit, account, fields);
  if (operation === "issue") return metricsTokenPage(visit, await issueMetricsToken(settings, account));
  if (operation === "revoke") {
    await revokeMetricsToken(settings, account);
    return done(visit, "revoked");
  }
  const action = channelActions.find((one) => one === operation);
  if (action === undefined) throw formMalformed();
  const channel = ownChannelOf(visit, account, fields.text("channel"));
  if (action === "delete" && fields.text("confirm") !== "yes") return channelDeletionPage(visit, channel);
  return changes[action](visit, account, channel);
};

const changes: Readonly<Record<ChannelAction, (visit: Visit, account: Account, channel: Channel) => Promise<Response>>> = {
  test: async (visit, account, channel) => {
    const tested = await testChannel(visit.settings, account, channel.id);
    if ("done" in tested) return channelsPage(visit, account, { tested: { channel, outcome: tested.done } });
    return refused(
      visit,
      ({ unconfirmed: "unsent", unsubscribed: "ended", unknown: "unknown", "no-mail": "no-mail" } as const)[tested.refused],
    );
  },
  confirm: async (visit, account, { id }) => {
    const asked = await confirmChannel(visit.settings, account, id);
    if ("done" in asked) return saved(visit, asked.done, "sent");
    return refused(visit, asked.refused === "confirmed" ? "added" : asked.refused);
  },
  rotate: async (visit, account, { id }) => {
    const rotated = await rotateChannelSecret(visit.settings, account, id);
    if ("refused" in rotated) throw formMalformed();
    return webhookSecretPage(visit, rotated.done);
  },
  enable: async (visit, account, { id }) => {
    const enabled = await enableOwnChannel(visit.settings, account, id);
    return "done" in enabled ? saved(visit, enabled.done, "enabled") : refused(visit, enabled.refused);
  },
  disable: async (visit, account, { id }) => {
    await disableOwnChannel(visit.settings, account, id);
    return done(visit, "disabled");
  },
  delete: async (visit, account, { id }) => {
    await removeChannel(visit.settings, account, id);
    return done(visit, "deleted");
  },
};

async function saveNewChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const kind = channelKinds.find((one) => one === fields.text("kind"));
  if (kind === undefined) throw formMalformed();
  const given = { kind, target: fields.text("target"), name: fields.text("name"), reportAll: reportsAll(fields) };
  const added = await addChannel(visit.settings, account, given);
  if ("fault" in added) return channelsPage(visit, account, { typed: typedChannel(kind, fields, added.fault) });
  if ("done" in added) return kind === "webhook" ? webhookSecretPage(visit, added.done.channel) : saved(visit, added.done, "added");
  if (added.refused === "no-mail") return done(visit, "no-mail");
  return channelsPage(visit, account, { typed: typedChannel(kind, fields, { at: "target", because: "full" }) });
}

async function saveChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const edited = ownChannelOf(visit, account, fields.text("channel"));
  const given = { id: edited.id, target: fields.text("target"), name: fields.text("name") };
  const changed = await updateChannel(visit.settings, account, given);
  if ("fault" in changed) return channelsPage(visit, account, { typed: typedChannel(edited.kind, fields, changed.fault), edited });
  return "done" in changed ? saved(visit, changed.done, "changed") : refused(visit, changed.refused);
}

function done(visit: Visit, outcome: ChannelsOutcome): Response {
  return redirect(visit, `${channelsPagePath}?done=${outcome}`);
}

/** The outcome of a mail that asks to confirm is more important than what was saved. */
function saved(visit: Visit, { confirmation }: SavedChannel, outcome: ChannelsOutcome): Response {
  return done(visit, confirmation === null ? outcome : confirmation === "failed" ? "unsent" : confirmation);
}

/** @throws PageError 404 for a channel that another request has removed. */
function refused(visit: Visit, outcome: ChannelsOutcome | "unknown"): Response {
  if (outcome === "unknown") throw notFound();
  return done(visit, outcome);
}

function typedChannel(kind: ChannelKind, fields: Fields, fault: TypedChannel["fault"]): TypedChannel {
  const target = fields.text("target").slice(0, typedCharsMax);
  return { kind, target, name: fields.text("name").slice(0, channelNameCharsMax + 1), reportAll: reportsAll(fields), fault };
}

function reportsAll(fields: Fields): boolean {
  return fields.text("all") === "yes";
}
