/** Brands of the store as files show them. */
import { type Brand, embeddedLogo } from "../report/brand.tsx";
import { storedLogo } from "../store/brand-logo.ts";
import type { StoredBrand } from "../store/site-accounts.ts";

/** For a file, which loads nothing. */
export function brandInFile(brand: StoredBrand): Brand {
  const logo = storedLogo(brand);
  return { name: brand.name, logo: logo === null ? null : embeddedLogo(logo), accent: brand.accent, footer: brand.footer };
}
