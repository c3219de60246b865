/** Frame and auth guard of the administration pages. */
import type { Account } from "../../store/accounts.ts";
import { withAccount } from "../account/sign-in/session-cookie.ts";
import { adminOnly, signInFirst } from "../errors.ts";
import { type PrivatePage, type PrivateTabs, privatePage } from "../private-page.tsx";
import type { Visit } from "../visit.ts";

/** Redirects guests to sign in. @throws PageError 403 for other accounts. */
export function withAdmin(visit: Visit, answer: () => Response): Response | Promise<Response> {
  return withAccount(visit, () => {
    adminOf(visit);
    return answer();
  });
}

/** Administrator who sent a form. @throws PageError 401 for guests, 403 for other accounts. */
export function adminOf({ account }: Visit): Account {
  if (account === null) throw signInFirst();
  if (!account.admin) throw adminOnly();
  return account;
}

const tabs: PrivateTabs = {
  label: "admin.nav.label",
  links: [
    ["/admin", "admin.nav.overview"],
    ["/admin/users", "admin.nav.users"],
    ["/admin/workers", "admin.nav.workers"],
    ["/admin/settings", "admin.nav.settings"],
    ["/admin/checks", "admin.nav.checks"],
    ["/admin/audit", "admin.nav.audit"],
  ],
};

export function adminPage(visit: Visit, given: PrivatePage): Response {
  return privatePage(visit, tabs, given);
}
