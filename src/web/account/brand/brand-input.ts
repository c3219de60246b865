/** Fields of a brand as typed, and what is wrong with them. */
import { type BrandFieldFaults, type GivenBrand, parseBrandFields } from "../../../account/brand-fields.ts";
import type { LogoFault } from "../../../base/documents.ts";
import { logoText } from "../../../store/brand-logo.ts";
import type { StoredBrand } from "../../../store/site-accounts.ts";
import type { Fields } from "../../form.tsx";
import type { Visit } from "../../visit.ts";

/** `#rrggbb`, with a blank at either end. */
export const accentCharsMax = 9;

export interface TypedBrand extends GivenBrand {
  /** Removes the stored logo. */
  readonly withoutLogo: boolean;
}

export interface BrandFaults extends BrandFieldFaults {
  readonly logo?: LogoFault;
}

export function typedBrand(fields: Fields): TypedBrand {
  return {
    name: fields.text("name").trim(),
    accent: fields.text("accent").trim().slice(0, accentCharsMax),
    footer: fields.text("footer").trim(),
    withoutLogo: fields.text("without-logo") !== "",
  };
}

export function typedOf(brand: StoredBrand | undefined): TypedBrand {
  return { name: brand?.name ?? "", accent: brand?.accent ?? "", footer: brand?.footer ?? "", withoutLogo: false };
}

/** What becomes of the brand as it is stored then. */
type BrandUpdate = (stored: StoredBrand | undefined) => StoredBrand;

/** The brand to store, or the faults of all fields. The logo is decoded only if the other fields are right. */
export async function parseBrand({ settings }: Visit, typed: TypedBrand, file: Uint8Array | null): Promise<BrandUpdate | BrandFaults> {
  const fields = parseBrandFields(typed);
  if ("faults" in fields) return fields.faults;
  const drawn = file === null ? null : await settings.decodeLogo(file);
  if (typeof drawn === "string") return { logo: drawn };
  if (drawn !== null) return () => ({ ...fields, logoPng: logoText(drawn.png) });
  return (stored) => ({ ...fields, logoPng: typed.withoutLogo ? null : (stored?.logoPng ?? null) });
}
