/** Who may see and change which watched sites: their owner, and the members who share them. */
import type { Account } from "../../store/accounts.ts";
import type { MemberRole } from "../../store/site-accounts.ts";
import type { Site } from "../../store/sites.ts";
import { withAccount } from "../account/sign-in/session-cookie.ts";
import { notFound, sitesReadOnly } from "../errors.ts";
import { type Fields, readForm } from "../form.tsx";
import type { Visit } from "../visit.ts";

/** Sites of one owner, as the visitor may use them. */
export interface SiteAccess {
  readonly owner: Account;
  readonly role: "owner" | MemberRole;
}

export interface SharedSite {
  readonly site: Site;
  readonly access: SiteAccess;
}

/** Query parameter with the id of the owner; absent for own sites. */
const ownerParam = "of";
const idPattern = /^[1-9]\d{0,14}$/;

/** Own sites first, then those of owners who share theirs. A disabled account shares nothing. */
export function siteAccesses({ settings: { store } }: Visit, account: Account): readonly SiteAccess[] {
  const shared = store.members.owners(account.id).flatMap(({ ownerId, role }): readonly SiteAccess[] => {
    const owner = store.accounts.findById(ownerId);
    return owner === undefined || owner.disabled ? [] : [{ owner, role }];
  });
  return [{ owner: account, role: "owner" }, ...shared];
}

export function mayEdit({ role }: SiteAccess): boolean {
  return role !== "viewer";
}

/** Answers for the owner that `?of=` names. Guests sign in first. @throws PageError 404 for an owner who shares nothing with the visitor. */
export function withOwner(visit: Visit, answer: (access: SiteAccess) => Response | Promise<Response>): Response | Promise<Response> {
  return withAccount(visit, (account) => answer(accessNamed(visit, account)));
}

/** Answers for a site by its id. @throws PageError 404, the same for an unknown site and for one of another account. */
export function withSite(
  visit: Visit,
  id: string | null,
  answer: (shared: SharedSite) => Response | Promise<Response>,
): Response | Promise<Response> {
  return withAccount(visit, (account) => answer(siteNamed(visit, account, id)));
}

type Answer<T> = (shared: T, fields: Fields) => Response | Promise<Response>;

/** Like `withOwner`, for a form of those who may change sites. Rights are read after the form: an upload can be slow. */
export function withOwnerForm(visit: Visit, answer: Answer<SiteAccess>, bytesMax?: number): Response | Promise<Response> {
  return withAccount(visit, async (account) => {
    const fields = await readForm(visit, bytesMax);
    const access = accessNamed(visit, account);
    if (!mayEdit(access)) throw sitesReadOnly();
    return answer(access, fields);
  });
}

/** Like `withSite`, for a page of those who may change the site. @throws PageError 403 for others. */
export function withEditableSite(
  visit: Visit,
  id: string | null,
  answer: (shared: SharedSite) => Response | Promise<Response>,
): Response | Promise<Response> {
  return withSite(visit, id, (shared) => {
    if (!mayEdit(shared.access)) throw sitesReadOnly();
    return answer(shared);
  });
}

/** Like `withOwner`, for a page of those who may change sites. @throws PageError 403 for others. */
export function withEditableOwner(
  visit: Visit,
  answer: (access: SiteAccess) => Response | Promise<Response>,
): Response | Promise<Response> {
  return withOwner(visit, (access) => {
    if (!mayEdit(access)) throw sitesReadOnly();
    return answer(access);
  });
}

/** Like `withSite`, for a form of those who may change the site. */
export function withSiteForm(visit: Visit, id: string | null, answer: Answer<SharedSite>, bytesMax?: number): Response | Promise<Response> {
  return withAccount(visit, async (account) => {
    const fields = await readForm(visit, bytesMax);
    const shared = siteNamed(visit, account, id);
    if (!mayEdit(shared.access)) throw sitesReadOnly();
    return answer(shared, fields);
  });
}

function accessNamed(visit: Visit, account: Account): SiteAccess {
  const named = visit.url.searchParams.get(ownerParam) ?? String(account.id);
  const access = siteAccesses(visit, account).find(({ owner }) => String(owner.id) === named);
  if (access === undefined) throw notFound();
  return access;
}

function siteNamed(visit: Visit, account: Account, id: string | null): SharedSite {
  const siteId = id !== null && idPattern.test(id) ? Number(id) : 0;
  for (const access of siteAccesses(visit, account)) {
    const site = visit.settings.store.sites.find(access.owner.id, siteId);
    if (site !== undefined) return { site, access };
  }
  throw notFound();
}

/** Path with the owner in its query, and further parameters; empty ones are left out. */
export function ownerPath(
  path: string,
  { owner, role }: SiteAccess,
  params: Readonly<Record<string, string>> | URLSearchParams = {},
): string {
  const given = params instanceof URLSearchParams ? [...params] : Object.entries(params);
  const query = new URLSearchParams([
    ...(role === "owner" ? [] : [[ownerParam, String(owner.id)]]),
    ...given.filter(([, value]) => value !== ""),
  ]);
  return query.size === 0 ? path : `${path}?${query}`;
}

export function sitePath({ id }: Pick<Site, "id">, part: "" | "/edit" = ""): string {
  return `/sites/${id}${part}`;
}

export function clientPath(client: string, access: SiteAccess): string {
  return ownerPath(`/clients/${encodeURIComponent(client)}`, access);
}

export function clientReportPath(client: string, access: SiteAccess, extension: "html" | "pdf"): string {
  return ownerPath(`/clients/${encodeURIComponent(client)}/report.${extension}`, access);
}
