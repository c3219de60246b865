/** Operations on events of the account, and on their deliveries to its channels. */

import { Type } from "@sinclair/typebox";
import { type RetryRefusal, retryDelivery } from "../../channels/rule-operations.ts";
import { type Delivery, deliveryStates } from "../../store/deliveries.ts";
import { eventTypes } from "../../store/notification-rules.ts";
import type { StoredEvent } from "../../store/site-events.ts";
import { ApiError, recordNotFound } from "../errors.ts";
import { type Call, forAccounts, operation, ownRecord } from "../operation.ts";
import { pageBody, pageQuery } from "../queries.ts";
import { answered, badListQuery, refused } from "../responses.ts";
import { exampleToken, statusUrlOf } from "../scans/reads.ts";
import { bodyOf, example, exampleOf, instantOf, model, nextCursor, nullable, oneOfValues, pageRequestOf, recordId } from "../schemas.ts";

const ofNotifications = forAccounts("notifications");

export const eventSite = {
  id: Type.Integer({ minimum: 1, [example]: 12 }),
  name: Type.String({ [example]: "Bakery Miller" }),
  url: Type.String({ [example]: "https://bakery.example/" }),
  client: nullable(Type.String({ [example]: "Miller Ltd" })),
  tags: Type.Array(Type.String({ [example]: "shop" })),
};
const EventBody = Type.Object({
  id: Type.String({ description: "The webhook-id of every attempt.", [example]: "evt_4Zk0XyR7mQ2bVn9TsLw3Hd" }),
  type: oneOfValues(eventTypes, { [example]: "site.score_dropped" }),
  at: instantOf("When it was noticed.", "2026-03-05T04:27:40.000Z"),
  site: nullable(Type.Object(eventSite, { description: "The site as it was named at the event; null for events of the account." })),
  token: nullable(Type.String({ description: "Scan that showed it; null where no single scan did.", [example]: exampleToken })),
  statusUrl: nullable(Type.String({ description: "Relative path of the full report.", [example]: statusUrlOf(exampleToken) })),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: "Codes and values by type. The webhooks of this description explain them.",
    [example]: { from: 88, to: 61, band: "warn", rank: "weak" },
  }),
});
export const EventList = model("EventList", Type.Object({ items: Type.Array(EventBody, { description: "Newest first." }), nextCursor }));

const Attempt = Type.Object({
  at: instantOf("Start of the attempt.", "2026-03-05T04:27:40.000Z"),
  ms: Type.Number({ minimum: 0, [example]: 83 }),
  status: nullable(Type.Integer({ description: "Status of HTTP, or reply code of SMTP; null without an answer.", [example]: 500 })),
  because: nullable(Type.String({ description: "Code of the failure; null for a success.", [example]: "status" })),
});
const DeliveryRow = Type.Object({
  id: recordId("Names the delivery.", { [example]: 40 }),
  channelId: recordId("Channel that it is for.", { [example]: 3 }),
  state: oneOfValues(deliveryStates, { [example]: "waiting" }),
  createdAt: instantOf("When it was queued.", "2026-03-05T04:27:40.000Z"),
  nextAttemptAt: nullable(instantOf("Null unless it waits.", "2026-03-05T04:32:45.000Z")),
  attempts: Type.Array(Attempt, { description: "Oldest first." }),
  eventCount: Type.Integer({
    minimum: 1,
    description: "One for a webhook; a mail or chat message reports several together.",
    [example]: 1,
  }),
});
const DeliveryBody = model(
  "Delivery",
  Type.Object({ ...DeliveryRow.properties, events: Type.Array(EventBody, { description: "Removed ones are left out." }) }),
);
const DeliveryList = model(
  "DeliveryList",
  Type.Object({ items: Type.Array(DeliveryRow, { description: "Newest first. Ended ones are kept for 30 days." }), nextCursor }),
);

const ofDelivery = { ...ofNotifications, ...ownRecord("delivery", 40, (store, accountId, id) => store.deliveries.find(accountId, id)) };

export const deliveryOperations = [
  operation({
    id: "listDeliveries",
    route: "GET /api/v1/deliveries",
    ...ofNotifications,
    summary: "List your account's deliveries, newest first",
    query: pageQuery,
    answers: { 200: answered("A page of deliveries.", DeliveryList, {}, { items: [exampleOf(DeliveryRow)], nextCursor: "40" }) },
    refusals: badListQuery,
    run: ({ account, query, api }) => pageBody(api.store.deliveries.list(account.id, pageRequestOf(query)), deliveryBody),
  }),
  operation({
    id: "readDelivery",
    route: "GET /api/v1/deliveries/{id}",
    ...ofDelivery,
    summary: "Read a delivery with its events",
    answers: { 200: answered("The delivery.", DeliveryBody) },
    run: ({ record, api }) => withEvents(api, record),
  }),
  operation({
    id: "retryDelivery",
    route: "POST /api/v1/deliveries/{id}/retry",
    ...ofDelivery,
    summary: "Send a delivery again",
    description: "For a delivery that failed or was dropped. It keeps its webhook-id.",
    answers: { 200: answered("The delivery waits.", DeliveryBody) },
    refusals: { 409: refused("The delivery waits or was delivered, or its channel takes nothing.", notRetried("delivered").message) },
    run: async ({ record: { id }, ...call }) => {
      const { account, api } = call;
      const retried = await retryDelivery(api, account, id);
      if ("done" in retried) return withEvents(api, retried.done);
      if (retried.refused === "not-ended") throw notRetried(ofDelivery.record.find(call).state);
      throw retried.refused === "unknown" ? recordNotFound("delivery") : new ApiError(409, channelFaults[retried.refused]);
    },
  }),
  operation({
    id: "listEvents",
    route: "GET /api/v1/events",
    ...ofNotifications,
    summary: "List your account's events, newest first",
    description: "Events of all sites, and of the account itself.",
    query: pageQuery,
    answers: { 200: answered("A page of events.", EventList) },
    refusals: badListQuery,
    run: ({ account, query, api }) => pageBody(api.store.events.list(account.id, pageRequestOf(query)), eventBody),
  }),
];

const channelFaults: Readonly<Record<Exclude<RetryRefusal, "not-ended">, string>> = {
  "channel-removed": "The channel of the delivery was removed.",
  "channel-disabled": "The channel of the delivery is disabled; enable it first.",
  "channel-unconfirmed": "The mail address of the channel is not confirmed.",
};

function notRetried(state: string): ApiError {
  return new ApiError(409, `The delivery is ${state}; only one that failed or was dropped can be sent again.`);
}

function withEvents({ store }: Call["api"], delivery: Delivery): object {
  const events = delivery.eventSeqs.flatMap((seq) => store.events.find(delivery.accountId, seq) ?? []);
  return { ...deliveryBody(delivery), events: events.map(eventBody) };
}

const attemptBody = bodyOf(Attempt);
const deliveryRow = bodyOf(DeliveryRow);

function deliveryBody(delivery: Delivery): object {
  return deliveryRow({ ...delivery, attempts: delivery.attempts.map(attemptBody), eventCount: delivery.eventSeqs.length });
}

const eventFields = bodyOf(EventBody);

export function eventBody(event: StoredEvent): object {
  return eventFields({ ...event, statusUrl: event.token === null ? null : statusUrlOf(event.token) });
}
