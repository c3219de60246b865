/** Who may see and change which watched sites: their owner, and the members who share them. */
import { recordIdOf } from "../../base/record-id.ts";
import type { SiteActor } from "../../sites/site-operations.ts";
import type { Account } from "../../store/accounts.ts";
import type { MemberRole } from "../../store/site-accounts.ts";
import type { Site } from "../../store/sites.ts";
import { notFound } from "../errors.ts";
import type { SignedInVisit, Visit } from "../visit.ts";

/** Sites of one owner, as the visitor may use them. */
export interface SiteAccess {
  readonly owner: Account;
  readonly role: "owner" | MemberRole;
}

/** Access of those who may change the sites. */
export interface EditorAccess extends SiteAccess {
  readonly role: "owner" | "editor";
}

export interface SharedSite<Access extends SiteAccess = SiteAccess> {
  readonly site: Site;
  readonly access: Access;
}

/** Query parameter with the id of the owner; absent for own sites. */
const ownerParam = "of";

/** Own sites first, then the sites of owners who share them. A disabled account shares nothing. */
export function siteAccesses({ settings: { store } }: Pick<Visit, "settings">, account: Account): readonly SiteAccess[] {
  const shared = store.members.owners(account.id).flatMap(({ ownerId, role }): readonly SiteAccess[] => {
    const owner = store.accounts.findById(ownerId);
    return owner === undefined || owner.disabled ? [] : [{ owner, role }];
  });
  return [{ owner: account, role: "owner" }, ...shared];
}

export function mayEdit(access: SiteAccess): access is EditorAccess {
  return access.role !== "viewer";
}

export function siteActor({ account }: SignedInVisit, { owner }: SiteAccess): SiteActor {
  return { owner, by: account };
}

/** Access to the sites of the owner that `?of=` names. @throws PageError 404 for an owner who shares nothing with the visitor. */
export function accessNamed(visit: SignedInVisit): SiteAccess {
  const { account, url } = visit;
  const named = url.searchParams.get(ownerParam) ?? String(account.id);
  const access = siteAccesses(visit, account).find(({ owner }) => String(owner.id) === named);
  if (access === undefined) throw notFound();
  return access;
}

/** @throws PageError 404, the same for an unknown site and for one of another account. */
export function siteNamed(visit: SignedInVisit, id: string | null): SharedSite {
  const siteId = recordIdOf(id);
  for (const access of siteAccesses(visit, visit.account)) {
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

export function clientReportPath(
  client: string,
  access: SiteAccess,
  extension: "html" | "pdf",
  query: Readonly<Record<string, string>> = {},
): string {
  return ownerPath(`/clients/${encodeURIComponent(client)}/report.${extension}`, access, query);
}
