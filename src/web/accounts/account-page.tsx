/** Frame of the account pages, and parts that several of them have. */
import { useVisit } from "../context.ts";
import { type PrivatePage, type PrivateTabs, privatePage } from "../private-page.tsx";
import type { Visit } from "../visit.ts";

/** Paths of the pages on notifications. */
export const channelsPagePath = "/account/channels";
export const rulesPagePath = "/account/rules";
export const deliveriesPagePath = "/account/deliveries";

const tabs: PrivateTabs = {
  label: "account.nav.label",
  links: [
    ["/account", "account.nav.profile"],
    ["/account/second-factor", "account.nav.secondFactor"],
    ["/account/tokens", "account.nav.tokens"],
    ["/account/scans", "account.nav.scans"],
    [channelsPagePath, "account.nav.channels"],
    [rulesPagePath, "account.nav.rules"],
    [deliveriesPagePath, "account.nav.deliveries"],
    ["/account/members", "account.nav.members"],
    ["/account/brand", "account.nav.brand"],
  ],
};

export function accountPage(visit: Visit, given: PrivatePage): Response {
  return privatePage(visit, tabs, given);
}

/** `name`: of the row, for readers who hear the link alone. */
export function EditLink({ href, name }: { readonly href: string; readonly name: string }) {
  const { i18n } = useVisit();
  const action = i18n.t("channels.actions.edit");
  return (
    <a class="button compact" href={href} aria-label={i18n.t("channels.actions.of", { action, name })}>
      {action}
    </a>
  );
}
