/** Channels that the caller may read and change, and the fields of their bodies. */
import { recordIdOf } from "../../base/record-id.ts";
import { type ChannelTargetFault, parseChannelLabel, parseChannelTarget } from "../../deliver/channel-fields.ts";
import { requestConfirmation } from "../../deliver/request-confirmation.ts";
import { webhookUrlCharsMax } from "../../parse/webhook-url.ts";
import type { ConfirmationOutcome, SiteServices } from "../../sites/site-services.ts";
import { type Channel, type ChannelKind, channelKinds, channelNameCharsMax } from "../../store/channels.ts";
import type { Store } from "../../store/store.ts";
import { invalidFields } from "../errors.ts";
import { callingAccount } from "../own-scan.ts";
import { written } from "../writing.ts";
import type { AccountRequest, SiteApiSettings } from "./account-request.ts";
import { mailNotConfigured, recordNotFound } from "./site-errors.ts";

/** @throws ApiError 404, the same for a channel of another account. */
export function ownChannel({ channels }: Pick<Store, "channels">, { params, requestContext }: AccountRequest): Channel {
  const channel = channels.find(callingAccount(requestContext).id, recordIdOf(params.id));
  if (channel === undefined) throw recordNotFound("channel");
  return channel;
}

/** `update` sees the channel as it is stored then. @throws ApiError 404, 503 */
export async function changeChannel(
  { channels }: Pick<Store, "channels">,
  { accountId, id }: Channel,
  update: (stored: Channel) => Partial<Channel>,
): Promise<Channel> {
  const changed = await written(() => channels.change(accountId, id, update));
  if (changed === undefined) throw recordNotFound("channel");
  return changed;
}

/** State of a mail address that its reader must confirm again. */
export const unconfirmed: Partial<Channel> = { verifiedAt: null, confirmation: null };

/** `failed` also for a channel that another request has removed. @throws ApiError 503 */
export async function sendConfirmation({ store, sites, now }: SiteApiSettings, channel: Channel): Promise<ConfirmationOutcome> {
  return (await written(() => requestConfirmation(store, channel, now(), sites.sendConfirmation))) ?? "failed";
}

/** @throws ApiError 409 */
export function assertMailConfigured({ mailConfigured }: SiteServices): void {
  if (!mailConfigured()) throw mailNotConfigured();
}

/** Stored form of the target. @throws ApiError 400 */
export function targetOf(
  { webhooksAllowHttp: allowHttp, webhookTargetFault: targetFault }: SiteServices,
  kind: ChannelKind,
  given: unknown,
): string {
  const text = typeof given === "string" ? given : "";
  const parsed = parseChannelTarget(kind, text, { allowHttp, targetFault });
  if ("target" in parsed) return parsed.target;
  const refused = targetFaults[parsed.fault] ?? targetFault(new URL(text.trim()).href) ?? targetFaults["not-url"];
  throw invalidFields({ target: [refused.replace("{schemes}", allowHttp ? "https or http" : "https")] });
}

/** Complete "target ..."; null where the address itself says why. */
const targetFaults = {
  required: "is required",
  "not-mail": "must be a mail address",
  "not-url": `must be an absolute {schemes} URL of at most ${webhookUrlCharsMax} characters, without user name, password and fragment`,
  refused: null,
} as const satisfies Record<ChannelTargetFault, string | null>;

/** Without secrets. */
export function channelBody({ id, kind, name, target, secrets, createdAt, verifiedAt, confirmation, disabled }: Channel): object {
  return {
    ...{ id, kind, name, target, createdAt, verifiedAt },
    confirmationExpiresAt: confirmation?.expiresAt ?? null,
    disabled: disabled === null ? null : { at: disabled.at, because: disabled.because },
    secretCount: secrets.length,
  };
}

/** @throws ApiError 400 */
export function kindOf(given: unknown): ChannelKind {
  const kind = channelKinds.find((each) => each === given);
  if (kind === undefined) throw invalidFields({ kind: [`must be one of ${channelKinds.join(", ")}`] });
  return kind;
}

/** @throws ApiError 400 */
export function nameOf(given: unknown, target: string): string {
  if (given !== undefined && given !== null && typeof given !== "string") throw invalidFields({ name: ["must be a string"] });
  const parsed = parseChannelLabel(given ?? "", target);
  if ("name" in parsed) return parsed.name;
  const texts = { "too-long": `must be at most ${channelNameCharsMax} characters long`, characters: "must not contain control characters" };
  throw invalidFields({ name: [texts[parsed.fault]] });
}
