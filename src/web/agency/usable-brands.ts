/** Brands that a visitor may use: the brand of the own account, and the brands of owners who share their sites. */
import { usableBrand } from "../../agency/brand-operations.ts";
import { brandInFile } from "../../export/export.ts";
import type { Brand, BrandLogo } from "../../report/brand.tsx";
import type { Account } from "../../store/accounts.ts";
import { type StoredBrand, storedLogo } from "../../store/site-accounts.ts";
import { notFound, signInFirst } from "../errors.ts";
import { respond } from "../response.ts";
import { siteAccesses } from "../sites/site-access.ts";
import type { Visit } from "../visit.ts";

/** Query parameter of downloads: `own`, or the id of the account that has the brand. */
const brandParam = "brand";
const ownBrand = "own";

/** Brand that files of a report can be downloaded with. */
export interface BrandChoice {
  /** Value of the query parameter. */
  readonly value: string;
  readonly name: string;
}

/** In the order of `siteAccesses`; none for guests. */
export function brandChoices(visit: Visit): readonly BrandChoice[] {
  const { account } = visit;
  if (account === null) return [];
  return siteAccesses(visit, account).flatMap(({ owner, role }) => {
    const brand = usableBrand(visit.settings.store, owner);
    return brand === undefined ? [] : [{ value: role === "owner" ? ownBrand : String(owner.id), name: brand.name }];
  });
}

export function brandQuery({ value }: BrandChoice): string {
  return `?${new URLSearchParams({ [brandParam]: value })}`;
}

/**
 * Brand that the query asks for; null without one.
 * @throws PageError 401 for guests, 404 for a brand that does not exist and for one that the visitor may not use.
 */
export function requestedBrand(visit: Visit): Brand | null {
  const named = visit.url.searchParams.get(brandParam) ?? "";
  if (named === "") return null;
  if (visit.account === null) throw signInFirst();
  const owner = brandOwner(visit, visit.account, named);
  const brand = owner === undefined ? undefined : usableBrand(visit.settings.store, owner);
  if (brand === undefined) throw notFound();
  return brandInFile(brand);
}

/** Account with the brand; undefined if it shares nothing with the visitor. */
export function brandOwner(visit: Visit, account: Account, named: string | null): Account | undefined {
  const id = named === ownBrand ? String(account.id) : named;
  return siteAccesses(visit, account).find(({ owner }) => String(owner.id) === id)?.owner;
}

/** Logo file of the account's brand. The policy of the pages allows no image within a page. @throws PageError 404 without a logo. */
export function logoAnswer(visit: Visit, owner: Account): Response {
  const brand = usableBrand(visit.settings.store, owner);
  const logo = brand === undefined ? null : storedLogo(brand);
  if (logo === null) throw notFound();
  return respond(visit, 200, logo.png, { "content-type": "image/png", "cache-control": "private, no-cache" });
}

/** Logo on a page; null without one. */
export function logoOnPage(accountId: number, brand: StoredBrand): BrandLogo | null {
  const logo = storedLogo(brand);
  return logo === null ? null : { src: `/brands/${accountId}/logo.png`, width: logo.width, height: logo.height };
}
