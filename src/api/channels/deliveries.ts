/** Operations on events of the account, and on their deliveries to its channels. */

import { Type } from "@sinclair/typebox";
import { recordIdOf } from "../../base/record-id.ts";
import { type RetryRefusal, retryDelivery } from "../../deliver/rule-operations.ts";
import { type Delivery, deliveryStates } from "../../store/deliveries.ts";
import { ApiError, recordNotFound } from "../errors.ts";
import { type Call, forAccounts, operation } from "../operation.ts";
import { pageBody, pageQuery } from "../queries.ts";
import { answered, badListQuery, diskFull, refused, unknownRecord } from "../responses.ts";
import { idParams, instantOf, model, nextCursor, nullable, oneOfValues, pageRequestOf, recordId } from "../schemas.ts";
import { EventBody, EventList, eventBody, eventExample, eventListExample } from "../sites/models.ts";

const ofNotifications = forAccounts("notifications");

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
const DeliveryBody = model(
  "Delivery",
  Type.Object({ ...deliveryFields, events: Type.Array(EventBody, { description: "Removed ones are left out." }) }),
);
const DeliveryList = model(
  "DeliveryList",
  Type.Object({
    items: Type.Array(Type.Object(deliveryFields), { description: "Newest first. Ended ones are kept for 30 days." }),
    nextCursor,
  }),
);

const rowExample = {
  id: 40,
  channelId: 3,
  state: "waiting",
  createdAt: "2026-03-05T04:27:40.000Z",
  nextAttemptAt: "2026-03-05T04:32:45.000Z",
  attempts: [{ at: "2026-03-05T04:27:40.000Z", ms: 83, status: 500, because: "status" }],
  eventCount: 1,
};
const deliveryExample = { ...rowExample, events: [eventExample] };
const ofDelivery = { params: idParams("delivery", 40), ...ofNotifications, record: ownDelivery } as const;

export const deliveryOperations = [
  operation({
    id: "listDeliveries",
    route: "GET /api/v1/deliveries",
    ...ofNotifications,
    summary: "List your account's deliveries, newest first",
    query: pageQuery,
    answers: { 200: answered("A page of deliveries.", DeliveryList, { items: [rowExample], nextCursor: "40" }) },
    refusals: badListQuery,
    run: ({ account, query, api }) => pageBody(api.store.deliveries.list(account.id, pageRequestOf(query)), deliveryBody),
  }),
  operation({
    id: "readDelivery",
    route: "GET /api/v1/deliveries/{id}",
    ...ofDelivery,
    summary: "Read a delivery with its events",
    answers: { 200: answered("The delivery.", DeliveryBody, deliveryExample) },
    refusals: unknownRecord("delivery"),
    run: ({ record, api }) => withEvents(api, record),
  }),
  operation({
    id: "retryDelivery",
    route: "POST /api/v1/deliveries/{id}/retry",
    ...ofDelivery,
    summary: "Send a delivery again",
    description: "For a delivery that failed or was dropped. It keeps its webhook-id.",
    answers: { 200: answered("The delivery waits.", DeliveryBody, deliveryExample) },
    refusals: {
      ...unknownRecord("delivery"),
      409: refused("The delivery waits or was delivered, or its channel takes nothing.", notRetried("delivered").message),
      ...diskFull,
    },
    run: async ({ record: { id }, ...call }) => {
      const { account, api } = call;
      const retried = await retryDelivery(api, account, id);
      if ("done" in retried) return withEvents(api, retried.done);
      if (retried.refused === "not-ended") throw notRetried(ownDelivery(call).state);
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
    answers: { 200: answered("A page of events.", EventList, eventListExample) },
    refusals: badListQuery,
    run: ({ account, query, api }) => pageBody(api.store.events.list(account.id, pageRequestOf(query)), eventBody),
  }),
];

/** @throws ApiError 404, the same for a delivery of another account. */
function ownDelivery({ account, params, api }: Call): Delivery {
  const delivery = api.store.deliveries.find(account.id, recordIdOf(params.id));
  if (delivery === undefined) throw recordNotFound("delivery");
  return delivery;
}

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

function deliveryBody({ id, channelId, state, createdAt, nextAttemptAt, attempts, eventSeqs }: Delivery): object {
  const shown = attempts.map(({ at, ms, status, because }) => ({ at, ms, status, because }));
  return { id, channelId, state, createdAt, nextAttemptAt, attempts: shown, eventCount: eventSeqs.length };
}
