/** Frames of personal pages: the account's and the administrator's. They are not indexed and not cached, and have tabs. */
import type { ComponentChildren } from "preact";
import type { TextPath } from "../text/translator.ts";
import { Tabs } from "./components/navigation.tsx";
import { OutcomeNotice, type Outcomes } from "./components/outcome.tsx";
import { type PageContent, page } from "./page.tsx";
import type { Visit } from "./visit.ts";

/** Paths of the pages on notifications. */
export const channelsPagePath = "/account/channels";
export const rulesPagePath = "/account/rules";
export const deliveriesPagePath = "/account/deliveries";

export const accountPage = frameWithTabs("account.nav.label", [
  ["/account", "account.nav.profile"],
  ["/account/second-factor", "account.nav.secondFactor"],
  ["/account/tokens", "account.nav.tokens"],
  ["/account/scans", "account.nav.scans"],
  ["/account/proofs", "account.nav.proofs"],
  [channelsPagePath, "account.nav.channels"],
  [rulesPagePath, "account.nav.rules"],
  [deliveriesPagePath, "account.nav.deliveries"],
  ["/account/members", "account.nav.members"],
  ["/account/brand", "account.nav.brand"],
]);

export const adminPage = frameWithTabs("admin.nav.label", [
  ["/admin", "admin.nav.overview"],
  ["/admin/users", "admin.nav.users"],
  ["/admin/workers", "admin.nav.workers"],
  ["/admin/settings", "admin.nav.settings"],
  ["/admin/checks", "admin.nav.checks"],
  ["/admin/audit", "admin.nav.audit"],
]);

interface PrivatePage extends Omit<PageContent, "title" | "noIndex" | "secret"> {
  readonly title: TextPath;
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  /** Outcomes of the forms of the page. They are not shown where a form was refused. */
  readonly outcomes?: Outcomes;
}

function frameWithTabs(label: TextPath, links: readonly (readonly [path: string, text: TextPath])[]) {
  return (visit: Visit, { title, lead, actions, outcomes, status = 200, children, ...given }: PrivatePage): Response => {
    const { i18n, url } = visit;
    const tabs = links.map(([href, text]) => ({ href, text: i18n.t(text), isCurrent: url.pathname === href }));
    return page(visit, {
      ...given,
      status,
      title: i18n.t(title),
      noIndex: true,
      // On a shared computer the back button must not show the page.
      secret: true,
      head: { lead, children: actions },
      children: (
        <>
          <Tabs label={i18n.t(label)} links={tabs} />
          {outcomes !== undefined && status === 200 && <OutcomeNotice of={outcomes} />}
          {children}
        </>
      ),
    });
  };
}
