/** Operations on channels that notify the account: webhooks and mail addresses. A secret is in the answer that creates it, and in no other. */

import { Type } from "@sinclair/typebox";
import { recordIdOf } from "../../base/record-id.ts";
import { type ChannelNameFault, type ChannelTargetFault, parseChannelLabel, parseChannelTarget } from "../../deliver/channel-fields.ts";
import { requestConfirmation } from "../../deliver/request-confirmation.ts";
import { newWebhookSecret } from "../../deliver/webhook-signature.ts";
import { webhookUrlCharsMax } from "../../parse/webhook-url.ts";
import type { ConfirmationOutcome } from "../../sites/site-services.ts";
import { type Channel, type ChannelKind, channelDisablings, channelKinds, channelNameCharsMax, channelsMax } from "../../store/channels.ts";
import { jsonBody } from "../body.ts";
import { ApiError, invalidFields, recordNotFound, recordsExceeded } from "../errors.ts";
import { type Call, forAccounts, JsonAnswer, operation } from "../operation.ts";
import { answered, badBody, badField, diskFull, locationHeader, refused, retryAfter, unknownRecord } from "../responses.ts";
import { closed, idParams, instantOf, model, nullable, oneOfValues, recordId, worded } from "../schemas.ts";
import type { BodyFields } from "../validation.ts";

const ofNotifications = forAccounts("notifications");
const channelsPath = "/api/v1/channels";
/** Retry-After of tests and confirmations beyond their limit. */
const retrySeconds = 3_600;

const name = Type.Optional(
  nullable(Type.String({ maxLength: channelNameCharsMax, description: "The host or the mail address without one." }), {
    examples: ["Chat"],
  }),
);
const target = worded(
  Type.String({
    description: "https URL of a webhook, or a mail address. http needs webhooks.allow_http, a private address webhooks.allow_cidrs.",
    examples: ["https://hooks.example/assay"],
  }),
  { wrong: "is required" },
);
const kindTexts = `must be one of ${channelKinds.join(", ")}`;
const kind = worded(Type.Unsafe<ChannelKind>({ ...oneOfValues(channelKinds), examples: ["webhook"] }), {
  wrong: kindTexts,
  required: kindTexts,
});

const ChannelRequest = model("ChannelRequest", Type.Object({ kind, target, name }, closed));
const ChannelChange = model("ChannelChange", Type.Object({ name, target: Type.Optional(target) }, { ...closed, minProperties: 1 }));

const channelFields = {
  id: recordId("Names the channel."),
  kind: oneOfValues(channelKinds),
  name: Type.String(),
  target: Type.String(),
  createdAt: instantOf("When it was added."),
  verifiedAt: nullable(instantOf("When the mail address was confirmed; null before. A webhook needs no confirmation.")),
  confirmationExpiresAt: nullable(instantOf("End of the open link of confirmation.")),
  disabled: nullable(
    Type.Object(
      { at: instantOf("Since when."), because: oneOfValues(channelDisablings) },
      {
        description:
          "A disabled channel gets nothing: `gone` after 410, `failed` after the last attempt of a delivery, or when a mail server refuses the address.",
      },
    ),
  ),
  secretCount: Type.Integer({ minimum: 0, description: "Secrets that sign: two while one is rotated, none for mail." }),
};
const confirmation = nullable(oneOfValues(["sent", "failed", "too-many"]));
const secret = Type.String({ description: "Secret of the webhook, whsec_ and base64. It is shown here only." });

const ChannelBody = model("Channel", Type.Object(channelFields));
const ChannelAdded = model("ChannelAdded", Type.Object({ ...channelFields, secret: nullable(secret), confirmation }));
const ChannelWithSecret = model("ChannelWithSecret", Type.Object({ ...channelFields, secret }));
const ChannelConfirmation = model("ChannelConfirmation", Type.Object({ ...channelFields, confirmation }));
const ChannelList = model("ChannelList", Type.Object({ items: Type.Array(ChannelBody) }));
const ChannelTest = model(
  "ChannelTest",
  Type.Object({
    result: oneOfValues(["delivered", "failed"]),
    status: nullable(Type.Integer({ description: "Status of HTTP, or reply code of SMTP; null without an answer." })),
    ms: Type.Number({ minimum: 0 }),
    because: nullable(Type.String({ description: "Code of the failure; null for a success." })),
  }),
);

const channelExample = {
  id: 3,
  kind: "webhook",
  name: "Chat",
  target: "https://hooks.example/assay",
  createdAt: "2026-02-01T08:00:00.000Z",
  verifiedAt: "2026-02-01T08:00:00.000Z",
  confirmationExpiresAt: null,
  disabled: null,
  secretCount: 1,
};
/** Zeros: no scanner of sources must take it for a secret that is in use. */
const secretExample = `whsec_${"A".repeat(43)}=`;
const mailExample = {
  ...channelExample,
  kind: "mail",
  name: "Team",
  target: "team@agency.example",
  verifiedAt: null,
  confirmationExpiresAt: "2026-03-08T09:30:00.000Z",
  secretCount: 0,
  confirmation: "sent",
};

const tooMany = {
  429: refused(
    "Too many requests, or too many tests or confirmations of channels in this hour.",
    tooManyMessages().message,
    undefined,
    retryAfter,
  ),
};
const noMail = { 409: refused("The appliance cannot send mail.", mailNotConfigured().message) };
const badTarget = badField(badBody, "target", "must be a mail address");
const ofChannel = { params: idParams("channel", 3), ...ofNotifications, record: ownChannel } as const;

export const channelOperations = [
  operation({
    id: "listChannels",
    route: "GET /api/v1/channels",
    ...ofNotifications,
    summary: "List your account's channels",
    answers: { 200: answered("All channels, oldest first.", ChannelList, { items: [channelExample] }) },
    run: ({ account, api }) => ({ items: api.store.channels.list(account.id).map(channelBody) }),
  }),
  operation({
    id: "addChannel",
    route: "POST /api/v1/channels",
    ...ofNotifications,
    summary: "Add a channel",
    description: [
      "The secret of a webhook is in this answer, and only here. A mail address gets a link to confirm it,",
      "and nothing else before: `confirmation` says whether the mail was sent.",
    ].join(" "),
    body: jsonBody(ChannelRequest, { faultsOf: refusedTarget }),
    answers: {
      201: answered(
        "The channel.",
        ChannelAdded,
        { ...channelExample, secret: secretExample, confirmation: null },
        locationHeader("channel"),
      ),
    },
    refusals: {
      ...badTarget,
      409: refused(`The appliance cannot send mail, or the account has ${channelsMax} channels.`, mailNotConfigured().message),
      ...diskFull,
    },
    run: async ({ body, account, api }) => {
      const { store, now } = api;
      const isWebhook = body.kind === "webhook";
      if (!isWebhook) assertMailConfigured(api);
      const newTarget = targetOf(api, body.kind, body.target);
      const newSecret = isWebhook ? newWebhookSecret() : null;
      const added = await store.channels.add({
        accountId: account.id,
        kind: body.kind,
        name: nameOf(body.name, newTarget),
        target: newTarget,
        secrets: newSecret === null ? [] : [newSecret],
        verified: isWebhook,
        now: now(),
      });
      if (added === "full") throw recordsExceeded("channels", channelsMax);
      const asked = isWebhook ? null : await sendConfirmation(api, added);
      const answerBody = { ...channelBody(asStored(api, added)), secret: newSecret, confirmation: asked };
      return new JsonAnswer(answerBody, { location: `${channelsPath}/${added.id}` });
    },
  }),
  operation({
    id: "readChannel",
    route: "GET /api/v1/channels/{id}",
    ...ofChannel,
    summary: "Read a channel",
    answers: { 200: answered("The channel, without its secret.", ChannelBody, channelExample) },
    refusals: unknownRecord("channel"),
    run: ({ record }) => channelBody(record),
  }),
  operation({
    id: "changeChannel",
    route: "PATCH /api/v1/channels/{id}",
    ...ofChannel,
    summary: "Change a channel",
    description: "A webhook keeps its secret. Another mail address must be confirmed anew, as in addChannel.",
    body: jsonBody(ChannelChange),
    answers: { 200: answered("The channel as it is now.", ChannelConfirmation, { ...channelExample, confirmation: null }) },
    refusals: { ...badTarget, ...unknownRecord("channel"), ...noMail, ...diskFull },
    run: async ({ record, body, api }) => {
      const newTarget = body.target === undefined ? undefined : targetOf(api, record.kind, body.target);
      if (record.kind === "mail" && newTarget !== undefined && newTarget !== record.target) assertMailConfigured(api);
      const newName = body.name === undefined ? undefined : nameOf(body.name, newTarget ?? record.target);
      let isMoved = false;
      // The stored channel decides: another request may have changed and confirmed its address while this body arrived.
      const changed = await changeChannel(api, record, (stored) => {
        isMoved = stored.kind === "mail" && newTarget !== undefined && newTarget !== stored.target;
        return { ...(newName !== undefined && { name: newName }), ...(newTarget !== undefined && { target: newTarget }) };
      });
      const asked = isMoved ? await sendConfirmation(api, changed) : null;
      return { ...channelBody(asStored(api, changed)), confirmation: asked };
    },
  }),
  operation({
    id: "removeChannel",
    route: "DELETE /api/v1/channels/{id}",
    ...ofChannel,
    summary: "Remove a channel",
    description: "Gives up what waits for it, and removes it from all rules. A rule without a channel is removed too.",
    answers: { 204: { description: "The channel is gone." } },
    refusals: { ...unknownRecord("channel"), ...diskFull },
    run: async ({ record: { accountId, id }, api }) => {
      if (!(await api.store.channels.remove(accountId, id))) throw recordNotFound("channel");
    },
  }),
  operation({
    id: "testChannel",
    route: "POST /api/v1/channels/{id}/test",
    ...ofChannel,
    summary: "Test a channel",
    description: "Sends one test message, without a retry, by the code that delivers events. The answer of the receiver is not shown.",
    answers: { 200: answered("How it went.", ChannelTest, { result: "failed", status: 500, ms: 83, because: "status" }) },
    refusals: {
      ...unknownRecord("channel"),
      409: refused(
        "The address is not confirmed, its reader has ended the mails, or the appliance cannot send mail.",
        "The mail address is not confirmed yet.",
      ),
      ...tooMany,
    },
    run: async ({ record, api }) => {
      if (record.verifiedAt === null) throw new ApiError(409, "The mail address is not confirmed yet.");
      if (hasEnded(record)) throw new ApiError(409, "The reader has ended the mails of this channel.");
      if (record.kind === "mail") assertMailConfigured(api);
      const { result, status, ms, because } = await api.sites.testChannel(record);
      if (because === "too-many") throw tooManyMessages();
      return { result, status, ms, because };
    },
  }),
  operation({
    id: "rotateSecret",
    route: "POST /api/v1/channels/{id}/rotate-secret",
    ...ofChannel,
    summary: "Rotate the secret of a webhook",
    description: "Requests have the signatures of the new secret and of the one before it, until the next rotation.",
    answers: {
      200: answered("The channel with its new secret, which is shown only here.", ChannelWithSecret, {
        ...channelExample,
        secretCount: 2,
        secret: secretExample,
      }),
    },
    refusals: { ...unknownRecord("channel"), 409: refused("The channel is a mail address.", "Only a webhook has a secret."), ...diskFull },
    run: async ({ record, api }) => {
      if (record.kind !== "webhook") throw new ApiError(409, "Only a webhook has a secret.");
      const newSecret = newWebhookSecret();
      const changed = await api.store.channels.rotateSecret(record.accountId, record.id, newSecret);
      if (changed === undefined) throw recordNotFound("channel");
      return { ...channelBody(changed), secret: newSecret };
    },
  }),
  operation({
    id: "enableChannel",
    route: "POST /api/v1/channels/{id}/enable",
    ...ofChannel,
    summary: "Enable a channel that was disabled",
    description: "A reader who has ended the mails must confirm the address again. What was dropped meanwhile is not sent.",
    answers: { 200: answered("The channel as it is now.", ChannelConfirmation, { ...channelExample, confirmation: null }) },
    refusals: { ...unknownRecord("channel"), ...noMail, ...diskFull },
    run: async ({ record, api }) => {
      if (hasEnded(record)) assertMailConfigured(api);
      let isAsked = false;
      // The stored channel decides: its reader may have ended the mails since it was read.
      const changed = await changeChannel(api, record, (stored) => {
        isAsked = hasEnded(stored);
        return { disabled: null, ...(isAsked && { verifiedAt: null, confirmation: null }) };
      });
      const asked = isAsked ? await sendConfirmation(api, changed) : null;
      return { ...channelBody(asStored(api, changed)), confirmation: asked };
    },
  }),
  operation({
    id: "disableChannel",
    route: "POST /api/v1/channels/{id}/disable",
    ...ofChannel,
    summary: "Disable a channel",
    description: "Gives up what waits for it.",
    answers: {
      200: answered("The channel as it is now.", ChannelBody, {
        ...channelExample,
        disabled: { at: "2026-03-05T09:30:00.000Z", because: "owner" },
      }),
    },
    refusals: { ...unknownRecord("channel"), ...diskFull },
    run: async ({ record, api: { store, now } }) => {
      const changed = await store.channels.disable(record.accountId, record.id, "owner", now());
      if (changed === undefined) throw recordNotFound("channel");
      return channelBody(changed);
    },
  }),
  operation({
    id: "confirmChannel",
    route: "POST /api/v1/channels/{id}/confirmation",
    ...ofChannel,
    summary: "Send the link of confirmation again",
    description: "The new link voids the earlier one.",
    answers: { 200: answered("Whether the mail was sent.", ChannelConfirmation, mailExample) },
    refusals: {
      ...unknownRecord("channel"),
      409: refused("The channel is confirmed already, or the appliance cannot send mail.", "The channel is confirmed already."),
      ...tooMany,
      ...diskFull,
    },
    run: async ({ record, api }) => {
      if (record.verifiedAt !== null) throw new ApiError(409, "The channel is confirmed already.");
      assertMailConfigured(api);
      const asked = await sendConfirmation(api, record);
      if (asked === "too-many") throw tooManyMessages();
      return { ...channelBody(asStored(api, record)), confirmation: asked };
    },
  }),
];

type Api = Call["api"];

/** @throws ApiError 404, the same for a channel of another account. */
function ownChannel({ account, params, api }: Call): Channel {
  const channel = api.store.channels.find(account.id, recordIdOf(params.id));
  if (channel === undefined) throw recordNotFound("channel");
  return channel;
}

/** `update` sees the channel as it is stored then. @throws ApiError 404 */
async function changeChannel({ store }: Api, { accountId, id }: Channel, update: (stored: Channel) => Partial<Channel>): Promise<Channel> {
  const changed = await store.channels.change(accountId, id, update);
  if (changed === undefined) throw recordNotFound("channel");
  return changed;
}

/** The channel after a confirmation was sent; as given if another request has removed it. */
function asStored({ store }: Api, channel: Channel): Channel {
  return store.channels.find(channel.accountId, channel.id) ?? channel;
}

function hasEnded({ disabled }: Channel): boolean {
  return disabled?.because === "unsubscribed";
}

/** `failed` also for a channel that another request has removed. */
async function sendConfirmation({ store, sites, now }: Api, channel: Channel): Promise<ConfirmationOutcome> {
  return (await requestConfirmation(store, channel, now(), sites.sendConfirmation)) ?? "failed";
}

function mailNotConfigured(): ApiError {
  return new ApiError(409, "This appliance cannot send mail: its operator has not set smtp.url.");
}

/** @throws ApiError 409 */
function assertMailConfigured({ sites }: Api): void {
  if (!sites.mailConfigured()) throw mailNotConfigured();
}

/** Of tests of channels, and of mails of confirmation. */
function tooManyMessages(): ApiError {
  return new ApiError(429, "Too many such messages in this hour; try again later.", { retrySeconds });
}

/** Stored form of the target. @throws ApiError 400 */
function targetOf({ sites }: Api, channelKind: ChannelKind, text: string): string {
  const { webhooksAllowHttp: allowHttp, webhookTargetFault: targetFault } = sites;
  const parsed = parseChannelTarget(channelKind, text, { allowHttp, targetFault });
  if ("target" in parsed) return parsed.target;
  const fault = targetFaults[parsed.fault] ?? targetFault(new URL(text.trim()).href) ?? targetFaults["not-url"];
  throw invalidFields({ target: [fault.replace("{schemes}", allowHttp ? "https or http" : "https")] });
}

/** The target is judged before the name. @throws ApiError 400, 409 */
function refusedTarget({ kind, target }: BodyFields, { api }: Call): null {
  const known = channelKinds.find((each) => each === kind);
  if (known === "mail") assertMailConfigured(api);
  if (known !== undefined) targetOf(api, known, typeof target === "string" ? target : "");
  return null;
}

/** Complete "target ..."; null where the address itself says why. */
const targetFaults = {
  required: "is required",
  "not-mail": "must be a mail address",
  "not-url": `must be an absolute {schemes} URL of at most ${webhookUrlCharsMax} characters, without user name, password and fragment`,
  refused: null,
} as const satisfies Record<ChannelTargetFault, string | null>;

/** @throws ApiError 400 */
function nameOf(text: string | null | undefined, ofTarget: string): string {
  const parsed = parseChannelLabel(text ?? "", ofTarget);
  if ("name" in parsed) return parsed.name;
  throw invalidFields({ name: [nameFaults[parsed.fault]] });
}

const nameFaults: Readonly<Record<ChannelNameFault, string>> = {
  "too-long": `must be at most ${channelNameCharsMax} characters long`,
  characters: "must not contain control characters",
};

/** Without secrets. */
function channelBody({ id, kind, name, target, secrets, createdAt, verifiedAt, confirmation, disabled }: Channel): object {
  return {
    ...{ id, kind, name, target, createdAt, verifiedAt },
    confirmationExpiresAt: confirmation?.expiresAt ?? null,
    disabled: disabled === null ? null : { at: disabled.at, because: disabled.because },
    secretCount: secrets.length,
  };
}
