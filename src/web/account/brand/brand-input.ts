/** Fields of a brand as typed. */
import type { GivenBrand } from "../../../account/brand-operations.ts";
import type { StoredBrand } from "../../../store/site-accounts.ts";
import type { Fields } from "../../form.tsx";

/** `#rrggbb`, with a blank at either end. */
export const accentCharsMax = 9;

export interface TypedBrand extends GivenBrand {
  /** Removes the stored logo. */
  readonly withoutLogo: boolean;
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
