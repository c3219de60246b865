/** Events of the account, and their deliveries to its channels. */
import { recordIdOf } from "../../base/record-id.ts";
import type { Delivery } from "../../store/deliveries.ts";
import { callingAccount } from "../own-scan.ts";
import { written } from "../writing.ts";
import { type AccountRequest, answerJson, answerPage, pageRequestOf, type SiteApiSettings } from "./account-request.ts";
import { eventBody } from "./site-bodies.ts";
import { channelRefused, deliveryNotRetried, recordNotFound } from "./site-errors.ts";

export function createDeliveryHandlers({ store, sites, now }: SiteApiSettings) {
  return { events: listEvents, list, read, retry };

  function listEvents(given: AccountRequest): Response {
    return answerPage(given, store.events.list(callingAccount(given.requestContext).id, pageRequestOf(given.request)), eventBody);
  }

  function list(given: AccountRequest): Response {
    const page = store.deliveries.list(callingAccount(given.requestContext).id, pageRequestOf(given.request));
    return answerPage(given, page, deliveryBody);
  }

  function read(given: AccountRequest): Response {
    return answerDelivery(given, ownDelivery(given));
  }

  async function retry(given: AccountRequest): Promise<Response> {
    const { accountId, id, channelId } = ownDelivery(given);
    const channel = store.channels.find(accountId, channelId);
    if (channel === undefined) throw channelRefused("The channel of the delivery was removed.");
    if (channel.disabled !== null) throw channelRefused("The channel of the delivery is disabled; enable it first.");
    if (channel.verifiedAt === null) throw channelRefused("The mail address of the channel is not confirmed.");
    const waiting = await written(() => store.deliveries.retry(accountId, id, now()));
    if (waiting === undefined) throw deliveryNotRetried(ownDelivery(given).state);
    sites.wakeDeliveries();
    return answerDelivery(given, waiting);
  }

  /** @throws ApiError 404, the same for a delivery of another account. */
  function ownDelivery({ params, requestContext }: AccountRequest): Delivery {
    const delivery = store.deliveries.find(callingAccount(requestContext).id, recordIdOf(params.id));
    if (delivery === undefined) throw recordNotFound("delivery");
    return delivery;
  }

  function answerDelivery(given: AccountRequest, delivery: Delivery): Response {
    const events = delivery.eventSeqs.flatMap((seq) => store.events.find(delivery.accountId, seq) ?? []);
    return answerJson(given, 200, { ...deliveryBody(delivery), events: events.map(eventBody) });
  }
}

function deliveryBody({ id, channelId, state, createdAt, nextAttemptAt, attempts, eventSeqs }: Delivery): object {
  const shown = attempts.map(({ at, ms, status, because }) => ({ at, ms, status, because }));
  return { id, channelId, state, createdAt, nextAttemptAt, attempts: shown, eventCount: eventSeqs.length };
}
