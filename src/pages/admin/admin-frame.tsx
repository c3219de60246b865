/** What the pages of administrators have in common: who may see them, and the way from one to the next. */
import type { Account } from "../../store/accounts.ts";
import { withAccount } from "../account/signing-in.ts";
import { type PageGiven, page } from "../answer.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Tabs } from "../components/tabs.tsx";
import { adminOnly, signInFirst } from "../errors.ts";
import type { Visit } from "../visit.ts";
import type { TextPath } from "../words.ts";

/** A page for administrators: nobody signs in first and comes back. @throws PageError 403 for everybody else. */
export function withAdmin(visit: Visit, answer: () => Response): Response | Promise<Response> {
  return withAccount(visit, () => {
    adminOf(visit);
    return answer();
  });
}

/** Who sent a form. @throws PageError 401 for nobody, 403 for everybody who is no administrator. */
export function adminOf({ account }: Visit): Account {
  if (account === null) throw signInFirst();
  if (!account.admin) throw adminOnly();
  return account;
}

const places: readonly (readonly [string, TextPath])[] = [
  ["/admin", "admin.nav.overview"],
  ["/admin/users", "admin.nav.users"],
  ["/admin/settings", "admin.nav.settings"],
  ["/admin/checks", "admin.nav.checks"],
];

interface AdminPage extends Omit<PageGiven, "title" | "noIndex" | "secret"> {
  readonly title: TextPath;
  readonly lead?: TextPath;
}

export function adminPage(visit: Visit, { title, lead, children, ...given }: AdminPage): Response {
  const { words } = visit;
  const heading = words.say(title);
  return page(visit, {
    ...given,
    title: heading,
    noIndex: true,
    // Of other people's addresses, and of what is set: on a shared computer, going back must not show it again.
    secret: true,
    children: (
      <>
        <PageHead title={heading} {...(lead === undefined ? {} : { lead: words.say(lead) })} />
        <Tabs label={words.say("admin.nav.label")} places={places} />
        {children}
      </>
    ),
  });
}
