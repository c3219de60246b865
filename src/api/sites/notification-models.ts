/** Bodies of channels, rules, deliveries and events, for the OpenAPI description. */
import { Type } from "@sinclair/typebox";
import { severities } from "../../check/check.ts";
import { channelDisablings, channelKinds, channelNameCharsMax } from "../../store/channels.ts";
import { deliveryStates } from "../../store/deliveries.ts";
import { eventTypes } from "../../store/event-types.ts";
import { scopeKinds } from "./rule-handlers.ts";
import { instantOf, nextCursorField, nullable, oneOfValues, recordId, scanStatusUrl } from "./site-models.ts";

const closed = { additionalProperties: false } as const;
const channelName = Type.String({
  maxLength: channelNameCharsMax,
  description: "The host or the mail address without one.",
  examples: ["Chat"],
});
const target = Type.String({
  description: "https URL of a webhook, or a mail address. http needs webhooks.allow_http, a private address webhooks.allow_cidrs.",
  examples: ["https://hooks.example/assay"],
});
const oneKind = oneOfValues(channelKinds);

const channelFields = {
  id: recordId("Names the channel."),
  kind: oneKind,
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
const ChannelBody = Type.Object(channelFields);
const confirmation = nullable(oneOfValues(["sent", "failed", "too-many"]));
const secret = Type.String({ description: "Secret of the webhook, whsec_ and base64. It is shown here only." });

const scope = Type.Object(
  {
    kind: oneOfValues(scopeKinds),
    siteId: Type.Optional(Type.Integer({ minimum: 1, description: "With kind site." })),
    tag: Type.Optional(Type.String({ description: "With kind tag." })),
    client: Type.Optional(Type.String({ description: "With kind client." })),
  },
  {
    ...closed,
    description: "Sites that it is about; all without one. catalog.changed and scan.finished are about the account, whatever the scope.",
    examples: [{ kind: "tag", tag: "shop" }],
  },
);
const ruleEvents = Type.Array(oneOfValues(eventTypes), { minItems: 1, examples: [["finding.opened", "site.score_dropped"]] });
const severityMin = Type.Unsafe<(typeof severities)[number]>({
  ...oneOfValues(severities),
  description: "Findings below it are left out of the events finding.*; all are in without one.",
});
const channelIds = Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, description: "Channels of the account.", examples: [[3]] });

const Rule = Type.Object({
  id: recordId("Names the rule."),
  scope,
  events: ruleEvents,
  severityMin,
  channelIds,
  createdAt: instantOf("When it was added."),
});

const Event = Type.Object({
  id: Type.String({ description: "The webhook-id of every attempt." }),
  type: oneOfValues(eventTypes),
  at: instantOf("When it was noticed."),
  site: nullable(
    Type.Object(
      {
        id: Type.Integer({ minimum: 1 }),
        name: Type.String(),
        url: Type.String(),
        client: nullable(Type.String()),
        tags: Type.Array(Type.String()),
      },
      { description: "The site as it was named at the event; null for events of the account." },
    ),
  ),
  token: nullable(Type.String({ description: "Scan that showed it; null where no single scan did." })),
  statusUrl: nullable(scanStatusUrl),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: "Codes and values by type. The webhooks of this description explain them.",
  }),
});

const deliveryFields = {
  id: recordId("Names the delivery."),
  channelId: recordId("Channel that it is for."),
  state: oneOfValues(deliveryStates),
  createdAt: instantOf("When it was queued."),
  nextAttemptAt: nullable(instantOf("Null unless it waits.")),
  attempts: Type.Array(
    Type.Object({
      at: instantOf("Start of the attempt."),
      ms: Type.Number({ minimum: 0 }),
      status: nullable(Type.Integer({ description: "Status of HTTP, or reply code of SMTP; null without an answer." })),
      because: nullable(Type.String({ description: "Code of the failure; null for a success." })),
    }),
    { description: "Oldest first." },
  ),
  eventCount: Type.Integer({ minimum: 1, description: "One for a webhook; a mail reports several together." }),
};
const DeliveryBody = Type.Object({ ...deliveryFields, events: Type.Array(Event, { description: "Removed ones are left out." }) });

export const notificationModels = {
  ChannelRequest: Type.Object(
    { kind: Type.Unsafe<(typeof channelKinds)[number]>({ ...oneKind, examples: ["webhook"] }), name: Type.Optional(channelName), target },
    closed,
  ),
  ChannelChange: Type.Object({ name: Type.Optional(channelName), target: Type.Optional(target) }, { ...closed, minProperties: 1 }),
  Channel: ChannelBody,
  ChannelAdded: Type.Object({ ...channelFields, secret: nullable(secret), confirmation }),
  ChannelWithSecret: Type.Object({ ...channelFields, secret }),
  ChannelConfirmation: Type.Object({ ...channelFields, confirmation }),
  ChannelList: Type.Object({ items: Type.Array(ChannelBody) }),
  ChannelTest: Type.Object({
    result: oneOfValues(["delivered", "failed"]),
    status: nullable(Type.Integer({ description: "Status of HTTP, or reply code of SMTP; null without an answer." })),
    ms: Type.Number({ minimum: 0 }),
    because: nullable(Type.String({ description: "Code of the failure; null for a success." })),
  }),
  RuleRequest: Type.Object(
    { scope: Type.Optional(scope), events: ruleEvents, severityMin: Type.Optional(severityMin), channelIds },
    closed,
  ),
  RuleChange: Type.Object(
    {
      scope: Type.Optional(scope),
      events: Type.Optional(ruleEvents),
      severityMin: Type.Optional(severityMin),
      channelIds: Type.Optional(channelIds),
    },
    { ...closed, minProperties: 1 },
  ),
  Rule,
  RuleList: Type.Object({ items: Type.Array(Rule) }),
  Delivery: DeliveryBody,
  DeliveryList: Type.Object({
    items: Type.Array(Type.Object(deliveryFields), { description: "Newest first. Ended ones are kept for 30 days." }),
    nextCursor: nextCursorField,
  }),
  EventList: Type.Object({ items: Type.Array(Event, { description: "Newest first." }), nextCursor: nextCursorField }),
};
