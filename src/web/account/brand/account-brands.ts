/** Brands that a visitor may use: that of the own account, and those of owners who share their sites. */
import { planTerms } from "../../../account/plans.ts";
import { parseImageSize } from "../../../parse/image-size.ts";
import { type Brand, type BrandLogo, embeddedLogo } from "../../../report/brand.ts";
import type { Account } from "../../../store/accounts.ts";
import type { StoredBrand } from "../../../store/site-accounts.ts";
import { notFound, signInFirst } from "../../errors.ts";
import { siteAccesses } from "../../sites/site-access.ts";
import type { Visit } from "../../visit.ts";

/** Query parameter of downloads: `own`, or the id of the account that has the brand. */
const brandParam = "brand";
const ownBrand = "own";

/** Brand that files of a report can be downloaded with. */
export interface BrandChoice {
  /** Value of the query parameter. */
  readonly value: string;
  readonly name: string;
}

/** Undefined without one, and while the plan of the account includes none. */
export function usableBrand({ settings: { store } }: Visit, { id, plan }: Pick<Account, "id" | "plan">): StoredBrand | undefined {
  return planTerms[plan].brand ? store.brands.find(id) : undefined;
}

/** In the order of `siteAccesses`; none for guests. */
export function brandChoices(visit: Visit): readonly BrandChoice[] {
  const { account } = visit;
  if (account === null) return [];
  return siteAccesses(visit, account).flatMap(({ owner, role }) => {
    const brand = usableBrand(visit, owner);
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
  const brand = owner === undefined ? undefined : usableBrand(visit, owner);
  if (brand === undefined) throw notFound();
  return { name: brand.name, logo: logoInFile(brand), accent: brand.accent, footer: brand.footer };
}

/** Account with the brand; undefined if it shares nothing with the visitor. */
export function brandOwner(visit: Visit, account: Account, named: string | null): Account | undefined {
  const id = named === ownBrand ? String(account.id) : named;
  return siteAccesses(visit, account).find(({ owner }) => String(owner.id) === id)?.owner;
}

export function logoBytes({ logoPng }: StoredBrand): Uint8Array<ArrayBuffer> | null {
  return logoPng === null ? null : new Uint8Array(Buffer.from(logoPng, "base64"));
}

/** Logo on a page; null without one. */
export function logoOnPage(accountId: number, brand: StoredBrand): BrandLogo | null {
  const size = sizeOf(logoBytes(brand));
  return size === null ? null : { src: `/brands/${accountId}/logo.png`, ...size };
}

function logoInFile(brand: StoredBrand): BrandLogo | null {
  const png = logoBytes(brand);
  const size = sizeOf(png);
  return png === null || size === null ? null : embeddedLogo({ png, ...size });
}

function sizeOf(png: Uint8Array | null): { readonly width: number; readonly height: number } | null {
  const size = png === null ? null : parseImageSize(png);
  return size === null || size === "broken" ? null : { width: size.width, height: size.height };
}
