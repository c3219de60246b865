/** Operations on channels that notify the account: webhooks, chat services and mail addresses. A secret is in the answer that creates it, and in no other. */

import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import type { Outcome } from "../../base/outcome.ts";
import {
  addChannel,
  type ChannelNameFault,
  type ChannelTargetFault,
  confirmChannel,
  disableOwnChannel,
  enableOwnChannel,
  type FaultyChannel,
  parseChannelTarget,
  removeChannel,
  rotateChannelSecret,
  type SavedChannel,
  testChannel,
  updateChannel,
} from "../../channels/channel-operations.ts";
import { chatServices, shownTarget } from "../../channels/chat-services.ts";
import { webhookUrlCharsMax } from "../../parse/scan-url.ts";
import {
  type Channel,
  type ChannelKind,
  channelDisablings,
  channelKinds,
  channelNameCharsMax,
  channelsMax,
  isChatKind,
} from "../../store/channels.ts";
import { rulesMax } from "../../store/notification-rules.ts";
import { jsonBody } from "../body.ts";
import { ApiError, invalidFields, recordNotFound, recordsExceeded } from "../errors.ts";
import { type Call, forAccounts, JsonAnswer, operation, ownRecord } from "../operation.ts";
import { answered, badBody, badField, locationHeader, refused, retryAfter } from "../responses.ts";
import { bodyOf, closed, example, exampleOf, instantOf, model, nullable, nullExample, oneOfValues, recordId, worded } from "../schemas.ts";
import type { BodyFields } from "../validation.ts";

const ofNotifications = forAccounts("notifications");
const channelsPath = "/api/v1/channels";
/** Retry-After of tests and confirmations beyond their limit. */
const retrySeconds = 3_600;

const name = Type.Optional(
  nullable(Type.String({ maxLength: channelNameCharsMax, description: "The host, the mail address or the chat service without one." }), {
    examples: ["Chat"],
  }),
);
const target = worded(
  Type.String({
    description:
      "https URL of a webhook or of a chat service, or a mail address. http needs webhooks.allow_http, a private address webhooks.allow_cidrs.",
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

const ChannelBody = model(
  "Channel",
  Type.Object({
    id: recordId("Names the channel.", { [example]: 3 }),
    kind: oneOfValues(channelKinds, { [example]: "webhook" }),
    name: Type.String({ [example]: "Chat" }),
    target: Type.String({
      description: "Of a chat service, the server alone: the URL is a secret.",
      [example]: "https://hooks.example/assay",
    }),
    createdAt: instantOf("When it was added.", "2026-02-01T08:00:00.000Z"),
    verifiedAt: nullable(
      instantOf("When the mail address was confirmed; null before. Other kinds need no confirmation.", "2026-02-01T08:00:00.000Z"),
    ),
    confirmationExpiresAt: nullable(instantOf("End of the open link of confirmation."), nullExample),
    disabled: nullable(
      Type.Object(
        { at: instantOf("Since when."), because: oneOfValues(channelDisablings) },
        {
          description:
            "A disabled channel gets nothing: `gone` after 410, or 404 of Discord, `failed` after the last attempt of a delivery, or when a mail server refuses the address.",
        },
      ),
      nullExample,
    ),
    secretCount: Type.Integer({
      minimum: 0,
      description: "Secrets that sign the events of a webhook: two while one is rotated. Other kinds have none.",
      [example]: 1,
    }),
    ruleCount: Type.Integer({
      minimum: 0,
      maximum: rulesMax,
      description: "Rules that name the channel. With 0 it is notified of nothing.",
      [example]: 1,
    }),
  }),
);
const confirmation = nullable(oneOfValues(["sent", "failed", "too-many"]), nullExample);
/** Zeros in the example: no scanner of sources must take it for a secret that is in use. */
const secret = Type.String({
  description: "Secret of the webhook, whsec_ and base64. It is shown here only.",
  [example]: `whsec_${"A".repeat(43)}=`,
});

const channelWith = (name: string, fields: TProperties) => model(name, Type.Object({ ...ChannelBody.properties, ...fields }));
const ChannelAdded = channelWith("ChannelAdded", { secret: nullable(secret), confirmation });
const ChannelWithSecret = channelWith("ChannelWithSecret", { secret });
const ChannelConfirmation = channelWith("ChannelConfirmation", { confirmation });
const ChannelList = model("ChannelList", Type.Object({ items: Type.Array(ChannelBody) }));
const ChannelTest = model(
  "ChannelTest",
  Type.Object({
    result: oneOfValues(["delivered", "failed"], { [example]: "failed" }),
    status: nullable(Type.Integer({ description: "Status of HTTP, or reply code of SMTP; null without an answer.", [example]: 500 })),
    ms: Type.Number({ minimum: 0, [example]: 83 }),
    because: nullable(Type.String({ description: "Code of the failure; null for a success.", [example]: "status" })),
  }),
);
const saved = answered("The channel as it is now.", ChannelConfirmation);

/** Example of a channel with other values in some fields. */
const shownWith = (body: TObject, fields: object) => ({ ...(exampleOf(body) as object), ...fields });
const mailExample = shownWith(ChannelConfirmation, {
  kind: "mail",
  name: "Team",
  target: "team@agency.example",
  verifiedAt: null,
  confirmationExpiresAt: "2026-03-08T09:30:00.000Z",
  secretCount: 0,
  confirmation: "sent",
});

const tooMany = {
  429: refused(
    "Too many requests, or too many tests or confirmations of channels in this hour.",
    tooManyMessages().message,
    undefined,
    retryAfter,
  ),
};
type ChannelRefusal = "unknown" | "full" | "no-mail" | "no-secret" | "confirmed" | "unconfirmed" | "unsubscribed";

const refusalTexts: Readonly<Record<Exclude<ChannelRefusal, "unknown" | "full">, string>> = {
  "no-mail": "This appliance cannot send mail: its operator has not set smtp.url.",
  "no-secret": "Only a webhook has a secret.",
  confirmed: "The channel is confirmed already.",
  unconfirmed: "The mail address is not confirmed yet.",
  unsubscribed: "The reader has ended the mails of this channel.",
};

const noMail = { 409: refused("The appliance cannot send mail.", channelRefused("no-mail").message) };
const badTarget = badField(badBody, "target", "must be a mail address");
const ofChannel = { ...ofNotifications, ...ownRecord("channel", 3, (store, accountId, id) => store.channels.find(accountId, id)) };

export const channelOperations = [
  operation({
    id: "listChannels",
    route: "GET /api/v1/channels",
    ...ofNotifications,
    summary: "List your account's channels",
    answers: { 200: answered("All channels, oldest first.", ChannelList) },
    run: ({ account, api }) => ({ items: api.store.channels.list(account.id).map((channel) => channelBody(api, channel)) }),
  }),
  operation({
    id: "addChannel",
    route: "POST /api/v1/channels",
    ...ofNotifications,
    summary: "Add a channel",
    description: [
      "The secret of a webhook is in this answer, and only here. A mail address gets a link to confirm it,",
      "and nothing else before: `confirmation` says whether the mail was sent. The URL of a chat service is in no answer.",
    ].join(" "),
    body: jsonBody(ChannelRequest, { faultsOf: refusedTarget }),
    answers: { 201: answered("The channel.", ChannelAdded, locationHeader("channel")) },
    refusals: {
      ...badTarget,
      409: refused(`The appliance cannot send mail, or the account has ${channelsMax} channels.`, channelRefused("no-mail").message),
    },
    run: async ({ body, account, api }) => {
      const added = doneOrRefused(await addChannel(api, account, { ...body, name: body.name ?? "" }), api, body);
      const { channel, confirmation } = added;
      const answerBody = { ...channelBody(api, channel), secret: channel.secrets[0] ?? null, confirmation };
      return new JsonAnswer(answerBody, { location: `${channelsPath}/${channel.id}` });
    },
  }),
  operation({
    id: "readChannel",
    route: "GET /api/v1/channels/{id}",
    ...ofChannel,
    summary: "Read a channel",
    answers: { 200: answered("The channel, without its secret.", ChannelBody) },
    run: ({ record, api }) => channelBody(api, record),
  }),
  operation({
    id: "changeChannel",
    route: "PATCH /api/v1/channels/{id}",
    ...ofChannel,
    summary: "Change a channel",
    description: "A webhook keeps its secret. Another mail address must be confirmed anew, as in addChannel.",
    body: jsonBody(ChannelChange),
    answers: { 200: saved },
    refusals: { ...badTarget, ...noMail },
    run: async ({ record: { id, kind }, body: { name, ...target }, account, api }) => {
      const update = { id, ...target, ...(name !== undefined && { name: name ?? "" }) };
      return savedBody(api, doneOrRefused(await updateChannel(api, account, update), api, { kind, ...target }));
    },
  }),
  operation({
    id: "removeChannel",
    route: "DELETE /api/v1/channels/{id}",
    ...ofChannel,
    summary: "Remove a channel",
    description: "Gives up what waits for it, and removes it from all rules. A rule without a channel is removed too.",
    answers: { 204: { description: "The channel is gone." } },
    run: async ({ record, account, api }) => doneOrRefused(await removeChannel(api, account, record.id), api),
  }),
  operation({
    id: "testChannel",
    route: "POST /api/v1/channels/{id}/test",
    ...ofChannel,
    summary: "Test a channel",
    stores: false,
    description: "Sends one test message, without a retry, by the code that delivers events. The answer of the receiver is not shown.",
    answers: { 200: answered("How it went.", ChannelTest) },
    refusals: {
      409: refused(
        "The address is not confirmed, its reader has ended the mails, or the appliance cannot send mail.",
        "The mail address is not confirmed yet.",
      ),
      ...tooMany,
    },
    run: async ({ record, account, api }) => {
      const { result, status, ms, because } = doneOrRefused(await testChannel(api, account, record.id), api);
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
      200: answered(
        "The channel with its new secret, which is shown only here.",
        ChannelWithSecret,
        {},
        shownWith(ChannelWithSecret, { secretCount: 2 }),
      ),
    },
    refusals: { 409: refused("The channel is no webhook.", "Only a webhook has a secret.") },
    run: async ({ record, account, api }) => {
      const changed = doneOrRefused(await rotateChannelSecret(api, account, record.id), api);
      return { ...channelBody(api, changed), secret: changed.secrets[0] };
    },
  }),
  operation({
    id: "enableChannel",
    route: "POST /api/v1/channels/{id}/enable",
    ...ofChannel,
    summary: "Enable a channel that was disabled",
    description: "A reader who has ended the mails must confirm the address again. What was dropped meanwhile is not sent.",
    answers: { 200: saved },
    refusals: noMail,
    run: async ({ record, account, api }) => savedBody(api, doneOrRefused(await enableOwnChannel(api, account, record.id), api)),
  }),
  operation({
    id: "disableChannel",
    route: "POST /api/v1/channels/{id}/disable",
    ...ofChannel,
    summary: "Disable a channel",
    description: "Gives up what waits for it.",
    answers: {
      200: answered(
        "The channel as it is now.",
        ChannelBody,
        {},
        shownWith(ChannelBody, { disabled: { at: "2026-03-05T09:30:00.000Z", because: "owner" } }),
      ),
    },
    run: async ({ record, account, api }) => channelBody(api, doneOrRefused(await disableOwnChannel(api, account, record.id), api)),
  }),
  operation({
    id: "confirmChannel",
    route: "POST /api/v1/channels/{id}/confirmation",
    ...ofChannel,
    summary: "Send the link of confirmation again",
    description: "The new link voids the earlier one.",
    answers: { 200: answered("Whether the mail was sent.", ChannelConfirmation, {}, mailExample) },
    refusals: {
      409: refused("The channel is confirmed already, or the appliance cannot send mail.", "The channel is confirmed already."),
      ...tooMany,
    },
    run: async ({ record, account, api }) => {
      const asked = doneOrRefused(await confirmChannel(api, account, record.id), api);
      if (asked.confirmation === "too-many") throw tooManyMessages();
      return savedBody(api, asked);
    },
  }),
];

type Api = Call["api"];

/** `target`: as given. @throws ApiError 400, 404, 409 */
function doneOrRefused<Done>(
  outcome: Outcome<Done, ChannelRefusal> | FaultyChannel,
  { sites }: Api,
  { kind = "webhook", target = "" }: { readonly kind?: ChannelKind; readonly target?: string | undefined } = {},
): Done {
  if ("done" in outcome) return outcome.done;
  if ("refused" in outcome) throw channelRefused(outcome.refused);
  throw fieldRefused(outcome, kind, target, sites);
}

function channelRefused(refusal: ChannelRefusal): ApiError {
  if (refusal === "unknown") return recordNotFound("channel");
  if (refusal === "full") return recordsExceeded("channels", channelsMax);
  return new ApiError(409, refusalTexts[refusal]);
}

function savedBody(api: Api, { channel, confirmation }: SavedChannel): object {
  return { ...channelBody(api, channel), confirmation };
}

/** 429 for tests of channels, and for mails that ask to confirm an address. */
function tooManyMessages(): ApiError {
  return new ApiError(429, "Too many such messages in this hour; try again later.", { retrySeconds });
}

/** `text`: the target as given. */
function fieldRefused(
  { fault }: FaultyChannel,
  kind: ChannelKind,
  text: string,
  { webhooksAllowHttp, webhookTargetFault }: Api["sites"],
): ApiError {
  if (fault.at === "name") return invalidFields({ name: [nameFaults[fault.because]] });
  if (fault.because === "not-service" && isChatKind(kind))
    return invalidFields({ target: [`must look like ${chatServices[kind].url.example}`] });
  const because = targetFaults[fault.because] ?? webhookTargetFault(new URL(text.trim()).href) ?? targetFaults["not-url"];
  return invalidFields({ target: [because.replace("{schemes}", webhooksAllowHttp ? "https or http" : "https")] });
}

/** The target is judged before the name. @throws ApiError 400, 409 */
function refusedTarget({ kind, target }: BodyFields, { api: { sites } }: Call): null {
  const known = channelKinds.find((each) => each === kind);
  if (known === undefined) return null;
  if (known === "mail" && !sites.mailConfigured()) throw channelRefused("no-mail");
  const text = typeof target === "string" ? target : "";
  const parsed = parseChannelTarget(sites, known, text);
  if ("fault" in parsed) throw fieldRefused(parsed, known, text, sites);
  return null;
}

/** Complete "target ..."; null where the address itself says why. */
const targetFaults = {
  required: "is required",
  "not-mail": "must be a mail address",
  "not-url": `must be an absolute {schemes} URL of at most ${webhookUrlCharsMax} characters, without user name, password and fragment`,
  "not-service": null,
  refused: null,
} as const satisfies Record<ChannelTargetFault, string | null>;

const nameFaults: Readonly<Record<ChannelNameFault, string>> = {
  "too-long": `must be at most ${channelNameCharsMax} characters long`,
  characters: "must not contain control characters",
};

const channelFields = bodyOf(ChannelBody);

/** Without secrets. */
function channelBody({ store }: Api, channel: Channel): object {
  const { confirmation, disabled, secrets } = channel;
  return channelFields({
    ...channel,
    target: shownTarget(channel),
    confirmationExpiresAt: confirmation?.expiresAt ?? null,
    disabled: disabled === null ? null : { at: disabled.at, because: disabled.because },
    secretCount: secrets.length,
    ruleCount: store.rules.countOfChannel(channel.accountId, channel.id),
  });
}
