/** Creates or changes a channel by the fields of a form. */
import { parseChannelLabel, parseChannelTarget } from "../../../deliver/channel-fields.ts";
import { newWebhookSecret } from "../../../deliver/webhook-signature.ts";
import type { Account } from "../../../store/accounts.ts";
import { type Channel, type ChannelKind, channelKinds, channelNameCharsMax } from "../../../store/channels.ts";
import { eventTypes } from "../../../store/event-types.ts";
import { formMalformed, notFound } from "../../errors.ts";
import type { Fields } from "../../form.tsx";
import type { Visit } from "../../visit.ts";
import { confirmAgain, done } from "./channel-confirmation.ts";
import type { TypedChannel } from "./channel-fault.ts";
import { channelsPage, ownChannelOf } from "./channels-page.tsx";
import { webhookSecretPage } from "./secret-page.tsx";

/** Longest target of a refused form that is shown again. */
const typedCharsMax = 2_048;

export async function saveNewChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const { settings, now } = visit;
  const { store, sites, log } = settings;
  const kind = channelKinds.find((one) => one === fields.text("kind"));
  if (kind === undefined) throw formMalformed();
  if (kind === "mail" && !sites.mailConfigured()) return done(visit, "no-mail");
  const read = readChannel(visit, kind, fields);
  if ("fault" in read) return channelsPage(visit, account, { typed: read });
  const isFirst = store.channels.list(account.id).length === 0;
  const secrets = kind === "webhook" ? [newWebhookSecret()] : [];
  const added = await store.channels.add({ accountId: account.id, kind, ...read, secrets, verified: kind === "webhook", now });
  if (added === "full") return channelsPage(visit, account, { typed: refused(kind, fields, { at: "target", because: "full" }) });
  if (isFirst && reportsAll(fields)) await reportAll(visit, added);
  log.info("channel added", { account: account.id, channel: added.id, kind });
  return kind === "webhook" ? webhookSecretPage(visit, added) : confirmAgain(visit, added);
}

/** A webhook keeps its secret. Another mail address must be confirmed. */
export async function saveChannel(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const { store, sites, log } = visit.settings;
  const edited = ownChannelOf(visit, account, fields.text("channel"));
  const read = readChannel(visit, edited.kind, fields);
  if ("fault" in read) return channelsPage(visit, account, { typed: read, edited });
  if (edited.kind === "mail" && read.target !== edited.target && !sites.mailConfigured()) return done(visit, "no-mail");
  let isMoved = false;
  // The stored channel decides: another request may have changed and confirmed its address meanwhile.
  const changed = await store.channels.change(account.id, edited.id, (stored) => {
    isMoved = stored.kind === "mail" && read.target !== stored.target;
    return read;
  });
  if (changed === undefined) throw notFound();
  log.info("channel changed", { account: account.id, channel: edited.id });
  return isMoved ? confirmAgain(visit, changed) : done(visit, "changed");
}

function readChannel({ settings }: Visit, kind: ChannelKind, fields: Fields): Pick<Channel, "name" | "target"> | TypedChannel {
  const { webhooksAllowHttp: allowHttp, webhookTargetFault: targetFault } = settings.sites;
  const parsed = parseChannelTarget(kind, fields.text("target"), { allowHttp, targetFault });
  if ("fault" in parsed) return refused(kind, fields, { at: "target", because: parsed.fault });
  const label = parseChannelLabel(fields.text("name"), parsed.target);
  return "fault" in label ? refused(kind, fields, { at: "name", because: label.fault }) : { ...label, ...parsed };
}

function refused(kind: ChannelKind, fields: Fields, fault: TypedChannel["fault"]): TypedChannel {
  const target = fields.text("target").slice(0, typedCharsMax);
  return { kind, target, name: fields.text("name").slice(0, channelNameCharsMax + 1), reportAll: reportsAll(fields), fault };
}

function reportsAll(fields: Fields): boolean {
  return fields.text("all") === "yes";
}

/** Rule of the first channel: all that happens to all sites. Ends of single scans would be too many. */
async function reportAll({ settings, now }: Visit, { accountId, id }: Channel): Promise<void> {
  const events = eventTypes.filter((type) => type !== "scan.finished");
  await settings.store.rules.add({ accountId, scope: { kind: "all" }, events, severityMin: "info", channelIds: [id], now });
}
