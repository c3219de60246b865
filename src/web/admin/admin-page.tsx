/** Frame of the administration pages. */
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { type PrivatePage, type PrivateTabs, privatePage } from "../private-page.tsx";
import type { Visit } from "../visit.ts";

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

export function EnglishQuote({ children }: { readonly children: string }) {
  return (
    <q lang="en" {...untranslated}>
      {children}
    </q>
  );
}
