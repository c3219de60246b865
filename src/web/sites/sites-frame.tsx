/** Frame of the pages of watched sites: personal, never indexed, with the way back to the list. */
import type { ComponentChildren } from "preact";
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Site } from "../../store/sites.ts";
import { Alert } from "../components/sections.tsx";
import { type PageContent, page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { mayEdit, ownerPath, type SiteAccess } from "./site-access.ts";

interface SitesPage extends Omit<PageContent, "noIndex" | "secret"> {
  /** Default: the title. */
  readonly heading?: ComponentChildren;
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  readonly access: SiteAccess;
  /** The list itself has no link to the list. */
  readonly isList?: boolean;
  /** Confirmation of the last action. */
  readonly done?: ComponentChildren;
}

export function sitesPage(visit: Visit, given: SitesPage): Response {
  return page(visit, sitesContent(visit, given));
}

export function sitesContent(
  { i18n }: Visit,
  { heading, lead, actions, access, isList = false, done, children, ...given }: SitesPage,
): PageContent {
  return {
    ...given,
    noIndex: true,
    // On a shared computer the back button must not show the page.
    secret: true,
    head: {
      title: heading ?? given.title,
      lead,
      breadcrumbs: isList ? [] : [{ href: ownerPath("/sites", access), text: i18n.t("sites.title") }],
      children: actions,
    },
    children: (
      <>
        <SharedNotice access={access} />
        <Alert kind="good">{done}</Alert>
        {children}
      </>
    ),
  };
}

/** Null for own sites. */
function SharedNotice({ access }: { readonly access: SiteAccess }) {
  const i18n = useI18n();
  if (access.role === "owner") return null;
  return (
    <p class="muted">
      {i18n.t(mayEdit(access) ? "sites.shared.editor" : "sites.shared.viewer")} <UntrustedText>{access.owner.email}</UntrustedText>
    </p>
  );
}

/** Sites that are named one by one. */
const namedMax = 100;

export function SiteNames({ sites }: { readonly sites: readonly Site[] }) {
  const i18n = useI18n();
  const more = sites.length - namedMax;
  return (
    <ul>
      {sites.slice(0, namedMax).map(({ id, name, url }) => (
        <li key={id}>
          <UntrustedText>{name}</UntrustedText>{" "}
          <span class="muted">
            <HostUrl url={url} short />
          </span>
        </li>
      ))}
      {more > 0 && <li>{i18n.count("sites.deletion.more", more)}</li>}
    </ul>
  );
}
