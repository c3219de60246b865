/** `/account/deliveries`: what was sent to the account's channels in the last days, and what waits. */
import { recordIdOf } from "../../base/record-id.ts";
import { retryDelivery, retryRefusalOf } from "../../channels/rule-operations.ts";
import { Instant } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Account } from "../../store/accounts.ts";
import { type Delivery, deliveriesKeptDays } from "../../store/deliveries.ts";
import type { StoredEvent } from "../../store/site-events.ts";
import { RowAction } from "../components/forms.tsx";
import { Pagination } from "../components/navigation.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { EmptyState, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor, PostFor } from "../guards.ts";
import { accountPage, deliveriesPagePath } from "../private-page.tsx";
import { cursorOf, listPath } from "../scans/list-query.ts";
import { sitePath } from "../sites/site-access.ts";
import { AttemptText } from "./channel-words.tsx";

const rowsPerPage = 50;
/** Events of one delivery that are named. */
const eventsShown = 5;
const outcomes = outcomesOf(deliveriesPagePath, ["retried", "refused"], (outcome) => `channels.deliveries.${outcome}`, ["refused"]);

/** Makes a delivery that has failed wait again. */
export const postDeliveries: PostFor<"accounts"> = async (visit, account, fields) => {
  const retried = await retryDelivery(visit.settings, account, recordIdOf(fields.text("delivery")));
  return redirectWith(visit, outcomes, "done" in retried ? "retried" : "refused");
};

export const getDeliveries: GetFor<"accounts"> = (visit, account) =>
  accountPage(visit, {
    title: "channels.deliveries.title",
    lead: visit.i18n.t("channels.deliveries.lead", { days: visit.i18n.number(deliveriesKeptDays) }),
    outcomes,
    children: <DeliveryTable account={account} />,
  });

function DeliveryTable({ account }: { readonly account: Account }) {
  const { i18n, settings, url } = useVisit();
  const cursor = cursorOf(url.searchParams);
  const { items, nextCursor } = settings.store.deliveries.list(account.id, { limit: rowsPerPage, cursor });
  if (items.length === 0) return <EmptyState title={i18n.t("channels.deliveries.none")} />;
  return (
    <>
      <TextTable
        caption="channels.deliveries.title"
        rows={items}
        columns={{
          "channels.deliveries.time": ({ createdAt }) => <Instant at={createdAt} />,
          "channels.deliveries.channel": (delivery) => <ChannelName delivery={delivery} />,
          "channels.deliveries.events": (delivery) => <Events delivery={delivery} />,
          "channels.deliveries.attempts": (delivery) => <Attempts delivery={delivery} />,
          "channels.deliveries.state": (delivery) => <State delivery={delivery} />,
        }}
      />
      <Pagination cursor={cursor} next={nextCursor} pathOf={(at) => listPath(deliveriesPagePath, {}, at)} />
    </>
  );
}

/** State, next attempt, and the button of a delivery that may be sent again. */
function State({ delivery }: { readonly delivery: Delivery }) {
  const { i18n, settings } = useVisit();
  const { id, accountId, channelId, createdAt, state, nextAttemptAt } = delivery;
  const of = { name: settings.store.channels.find(accountId, channelId)?.name ?? "", time: i18n.dateTime(createdAt) };
  return (
    <>
      {i18n.t(`channels.deliveries.states.${state}`)}
      {nextAttemptAt !== null && (
        <>
          <br />
          {i18n.t("channels.deliveries.next")} <Instant at={nextAttemptAt} />
        </>
      )}
      {retryRefusalOf(settings.store, delivery) === null && (
        <>
          {" "}
          <RowAction action={deliveriesPagePath} hidden={{ delivery: id }} kind="plain" submit="channels.deliveries.retry" of={of} />
        </>
      )}
    </>
  );
}

/** Its name only: an address of a webhook can hold a secret. */
function ChannelName({ delivery: { accountId, channelId } }: { readonly delivery: Delivery }) {
  const { i18n, settings } = useVisit();
  const channel = settings.store.channels.find(accountId, channelId);
  return <span>{channel === undefined ? i18n.t("channels.deliveries.channelGone") : <UntrustedText>{channel.name}</UntrustedText>}</span>;
}

function Events({ delivery: { accountId, eventSeqs } }: { readonly delivery: Delivery }) {
  const { i18n, settings } = useVisit();
  const events = eventSeqs.slice(0, eventsShown).flatMap((seq) => settings.store.events.find(accountId, seq) ?? []);
  const more = eventSeqs.length - events.length;
  return (
    <ul class="plain">
      {events.map((event) => (
        <li key={event.seq}>
          <EventName event={event} />
        </li>
      ))}
      {more > 0 && <li class="muted">{i18n.count("channels.deliveries.more", more)}</li>}
    </ul>
  );
}

function EventName({ event: { accountId, type, site } }: { readonly event: StoredEvent }) {
  const { i18n, settings } = useVisit();
  if (site === null) return <>{i18n.t(`channels.events.${type}`)}</>;
  const name = <UntrustedText>{site.name}</UntrustedText>;
  const isWatched = settings.store.sites.find(accountId, site.id) !== undefined;
  return (
    <>
      {i18n.t(`channels.events.${type}`)}: {isWatched ? <a href={sitePath(site)}>{name}</a> : name}
    </>
  );
}

/** Number of attempts, and how the last one ended. */
function Attempts({ delivery: { attempts } }: { readonly delivery: Delivery }) {
  const { i18n } = useVisit();
  const last = attempts.at(-1);
  if (last === undefined) return <>{i18n.number(0)}</>;
  return (
    <>
      {i18n.number(attempts.length)}
      <br />
      <Instant at={last.at} />
      <br />
      <AttemptText {...last} />
    </>
  );
}
