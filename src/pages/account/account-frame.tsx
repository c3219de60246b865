/** What the pages of an account have in common: the way from one to the next, and what was just done. */
import type { ComponentChildren } from "preact";
import { type PageGiven, page } from "../answer.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Tabs } from "../components/tabs.tsx";
import type { Visit } from "../visit.ts";
import type { TextPath } from "../words.ts";

const places: readonly (readonly [string, TextPath])[] = [
  ["/account", "account.nav.profile"],
  ["/account/second-factor", "account.nav.secondFactor"],
  ["/account/tokens", "account.nav.tokens"],
  ["/account/scans", "account.nav.scans"],
];

interface AccountPage extends Omit<PageGiven, "title" | "noIndex" | "secret"> {
  readonly title: TextPath;
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  /** What was just done; screen readers say it. */
  readonly done?: string | null;
}

export function accountPage(visit: Visit, { title, lead, actions, done = null, children, ...given }: AccountPage): Response {
  const { words } = visit;
  const heading = words.say(title);
  return page(visit, {
    ...given,
    title: heading,
    noIndex: true,
    // On a shared computer, going back must not show it again.
    secret: true,
    children: (
      <>
        <PageHead title={heading} {...(lead === undefined ? {} : { lead })}>
          {actions}
        </PageHead>
        <Tabs label={words.say("account.nav.label")} places={places} />
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
