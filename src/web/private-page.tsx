/** Frame of personal pages: not indexed, not cached, with tabs. */
import type { ComponentChildren } from "preact";
import type { TextPath } from "../text/translator.ts";
import { Tabs } from "./components/tabs.tsx";
import { type PageContent, page } from "./page.tsx";
import type { Visit } from "./visit.ts";

export interface PrivatePage extends Omit<PageContent, "title" | "noIndex" | "secret"> {
  readonly title: TextPath;
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
}

export interface PrivateTabs {
  readonly label: TextPath;
  readonly links: readonly (readonly [path: string, text: TextPath])[];
}

export function privatePage(
  visit: Visit,
  { label, links }: PrivateTabs,
  { title, lead, actions, children, ...given }: PrivatePage,
): Response {
  const { i18n, url } = visit;
  const heading = i18n.t(title);
  return page(visit, {
    ...given,
    title: heading,
    noIndex: true,
    // On a shared computer the back button must not show the page.
    secret: true,
    head: { lead, children: actions },
    children: (
      <>
        <Tabs label={i18n.t(label)} links={links.map(([href, text]) => ({ href, text: i18n.t(text), isCurrent: url.pathname === href }))} />
        {children}
      </>
    ),
  });
}
