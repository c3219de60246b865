/** Frame of the account pages: tabs and the confirmation of the last action. */
import { Notice } from "../../report/components/notice.tsx";
import { type PrivatePage, type PrivateTabs, privatePage } from "../private-page.tsx";
import type { Visit } from "../visit.ts";
import { channelsPagePath, deliveriesPagePath, rulesPagePath } from "./channels/channel-paths.ts";

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

interface AccountPage extends PrivatePage {
  /** Confirmation of the last action, as a live region. */
  readonly done?: string | null;
}

export function accountPage(visit: Visit, { done = null, children, ...given }: AccountPage): Response {
  return privatePage(visit, tabs, {
    ...given,
    children: (
      <>
        {done !== null && (
          <Notice kind="good" alert>
            {done}
          </Notice>
        )}
        {children}
      </>
    ),
  });
}
