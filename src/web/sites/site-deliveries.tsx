/** Last notifications about a watched site. */
import { Instant } from "../../report/components/instant.tsx";
import { DataTable } from "../../report/components/table.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Delivery } from "../../store/deliveries.ts";
import type { StoredEvent } from "../../store/site-events.ts";
import type { Store } from "../../store/store.ts";
import { useVisit } from "../context.ts";

/** Newest deliveries of the owner in which those of the site are looked for. */
const deliveriesReadMax = 300;
const deliveriesShown = 10;

/** `events`: of the site. */
export function deliveriesOfSite(
  { deliveries }: Pick<Store, "deliveries">,
  ownerId: number,
  events: readonly StoredEvent[],
): readonly Delivery[] {
  const seqs = new Set(events.map(({ seq }) => seq));
  return deliveries
    .list(ownerId, { limit: deliveriesReadMax, cursor: null })
    .items.filter(({ eventSeqs }) => eventSeqs.some((seq) => seqs.has(seq)))
    .slice(0, deliveriesShown);
}

/** Names of channels only: an address of a webhook can hold a secret. */
export function SiteDeliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const { i18n, settings } = useVisit();
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{i18n.t("sites.deliveries.title")}</h2>
      {deliveries.length === 0 ? (
        <p>{i18n.t("sites.deliveries.none")}</p>
      ) : (
        <DataTable
          caption={i18n.t("sites.deliveries.title")}
          captionUnseen
          rows={deliveries}
          columns={[
            { label: i18n.t("sites.deliveries.time"), cell: ({ createdAt }) => <Instant at={createdAt} /> },
            {
              label: i18n.t("sites.deliveries.channel"),
              cell: ({ accountId, channelId }) => {
                const channel = settings.store.channels.find(accountId, channelId);
                return channel === undefined ? i18n.t("sites.deliveries.gone") : <UntrustedText>{channel.name}</UntrustedText>;
              },
            },
            { label: i18n.t("sites.deliveries.events"), numeric: true, cell: ({ eventSeqs }) => i18n.number(eventSeqs.length) },
            { label: i18n.t("sites.deliveries.attempts"), numeric: true, cell: ({ attempts }) => i18n.number(attempts.length) },
            { label: i18n.t("sites.deliveries.state"), cell: ({ state }) => i18n.t(`sites.deliveries.states.${state}`) },
          ]}
        />
      )}
    </section>
  );
}
