/** Last notifications about a watched site. */
import { dayMs } from "../../base/units.ts";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Channel } from "../../store/channels.ts";
import { deliveriesKeptDays } from "../../store/deliveries.ts";
import type { StoredEvent } from "../../store/site-events.ts";
import { useVisit } from "../context.ts";
import type { SiteAccess } from "./site-access.ts";

const deliveriesShown = 10;

interface SiteDeliveriesProps {
  readonly access: SiteAccess;
  /** Events of the site. */
  readonly events: readonly StoredEvent[];
}

export function SiteDeliveries({ access, events }: SiteDeliveriesProps) {
  const { i18n, settings, now } = useVisit();
  const recent = events.filter(({ at }) => now.getTime() - Date.parse(at) < deliveriesKeptDays * dayMs);
  const { items, isComplete } = settings.store.deliveries.ofEvents(access.owner.id, recent, deliveriesShown);
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{i18n.t("sites.deliveries.title")}</h2>
      {items.length === 0 ? (
        <p>{i18n.t(isComplete ? "sites.deliveries.none" : "sites.deliveries.noneRecent")}</p>
      ) : (
        <DataTable
          caption={i18n.t("sites.deliveries.title")}
          captionUnseen
          rows={items}
          columns={[
            { label: i18n.t("sites.deliveries.time"), cell: ({ createdAt }) => <Instant at={createdAt} /> },
            {
              label: i18n.t("sites.deliveries.channel"),
              cell: ({ accountId, channelId }) => (
                <ChannelName access={access} channel={settings.store.channels.find(accountId, channelId)} />
              ),
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

interface ChannelNameProps {
  readonly access: SiteAccess;
  /** Undefined for a removed one. */
  readonly channel: Channel | undefined;
}

/** The name at most: an address of a webhook can hold a secret. Members see the kind only, since a name can be a mail address. */
function ChannelName({ access, channel }: ChannelNameProps) {
  const { i18n } = useVisit();
  if (channel !== undefined && access.role === "owner") return <UntrustedText>{channel.name}</UntrustedText>;
  return <>{channel === undefined ? i18n.t("sites.deliveries.gone") : i18n.t(`channels.kinds.${channel.kind}`)}</>;
}
