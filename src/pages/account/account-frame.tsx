/** What the pages of an account have in common: the way from one to the next, and what was just done. */
import type { ComponentChildren } from "preact";
import { type PageGiven, page } from "../answer.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import type { Visit } from "../visit.ts";
import type { TextPath } from "../words.ts";

interface AccountPage extends Omit<PageGiven, "children" | "title" | "noIndex" | "secret"> {
  readonly title: TextPath;
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  /** What was just done; screen readers say it. */
  readonly done?: string | null;
  readonly children: ComponentChildren;
}

export function accountPage(visit: Visit, { title, lead, actions, done = null, children, ...given }: AccountPage): Response {
  const words = visit.words.say(title);
  return page(visit, {
    ...given,
    title: words,
    noIndex: true,
    // On a shared computer, going back must not show it again.
    secret: true,
    children: (
      <>
        <PageHead title={words} {...(lead === undefined ? {} : { lead })}>
          {actions}
        </PageHead>
        <AccountNavigation />
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

const places: readonly (readonly [string, TextPath])[] = [
  ["/account", "account.nav.profile"],
  ["/account/second-factor", "account.nav.secondFactor"],
  ["/account/tokens", "account.nav.tokens"],
  ["/account/scans", "account.nav.scans"],
];

function AccountNavigation() {
  const { words, url } = useVisit();
  return (
    <nav class="tabs" aria-label={words.say("account.nav.label")}>
      <ul>
        {places.map(([href, text]) => (
          <li key={href}>
            <a href={href} aria-current={url.pathname === href ? "page" : undefined}>
              {words.say(text)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
