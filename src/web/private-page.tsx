/** Frame of personal pages: not indexed, not cached, with tabs and the outcome of the last form. */
import type { ComponentChildren } from "preact";
import type { TextPath } from "../text/translator.ts";
import { Tabs } from "./components/navigation.tsx";
import { OutcomeNotice, type Outcomes } from "./components/outcome.tsx";
import { type PageContent, page } from "./page.tsx";
import type { Visit } from "./visit.ts";

export interface PrivatePage extends Omit<PageContent, "title" | "noIndex" | "secret"> {
  readonly title: TextPath;
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  /** Outcomes of the forms of the page. They are not shown where a form was refused. */
  readonly outcomes?: Outcomes;
}

export interface PrivateTabs {
  readonly label: TextPath;
  readonly links: readonly (readonly [path: string, text: TextPath])[];
}

export function privatePage(
  visit: Visit,
  { label, links }: PrivateTabs,
  { title, lead, actions, outcomes, status = 200, children, ...given }: PrivatePage,
): Response {
  const { i18n, url } = visit;
  const heading = i18n.t(title);
  return page(visit, {
    ...given,
    status,
    title: heading,
    noIndex: true,
    // On a shared computer the back button must not show the page.
    secret: true,
    head: { lead, children: actions },
    children: (
      <>
        <Tabs label={i18n.t(label)} links={links.map(([href, text]) => ({ href, text: i18n.t(text), isCurrent: url.pathname === href }))} />
        {outcomes !== undefined && status === 200 && <OutcomeNotice of={outcomes} />}
        {children}
      </>
    ),
  });
}
