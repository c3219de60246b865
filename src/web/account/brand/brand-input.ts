/** Fields of a brand as typed, and what is wrong with them. */
import type { LogoFault } from "../../../base/documents.ts";
import { parseAccent } from "../../../parse/accent-color.ts";
import type { StoredBrand } from "../../../store/site-accounts.ts";
import type { Fields } from "../../form.tsx";
import type { Visit } from "../../visit.ts";

export const brandNameCharsMax = 60;
export const brandFooterCharsMax = 200;
/** `#rrggbb`, with a blank at either end. */
export const accentCharsMax = 9;
/** Besides control characters: separators of lines, and controls of the direction of text (Unicode UAX 9). */
const refusedCharacters = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

export interface TypedBrand {
  readonly name: string;
  readonly accent: string;
  readonly footer: string;
  /** Removes the stored logo. */
  readonly withoutLogo: boolean;
}

export interface BrandFaults {
  readonly name?: "noName" | "tooLong" | "characters";
  readonly accent?: "notColour" | "lowContrast";
  readonly footer?: "tooLong" | "characters";
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

/** The brand to store, or the faults of all fields. The logo is decoded only if the other fields are right. */
export async function parseBrand(
  { settings }: Visit,
  typed: TypedBrand,
  file: Uint8Array | null,
  stored: StoredBrand | undefined,
): Promise<StoredBrand | BrandFaults> {
  const accent = typed.accent === "" ? null : parseAccent(typed.accent);
  const [name, footer] = [lineFault(typed.name, brandNameCharsMax), lineFault(typed.footer, brandFooterCharsMax)];
  const faults: BrandFaults = {
    ...(typed.name === "" ? { name: "noName" } : name !== null && { name }),
    ...(typed.accent !== "" && accent === null && { accent: "notColour" }),
    ...(accent === "low-contrast" && { accent: "lowContrast" }),
    ...(footer !== null && { footer }),
  };
  if (Object.keys(faults).length > 0) return faults;
  const drawn = file === null ? null : await settings.decodeLogo(file);
  if (typeof drawn === "string") return { logo: drawn };
  const kept = typed.withoutLogo ? null : (stored?.logoPng ?? null);
  return {
    name: typed.name,
    logoPng: drawn === null ? kept : Buffer.from(drawn.png).toString("base64"),
    // `faults` is empty, so the colour is legible.
    accent: accent === "low-contrast" ? null : accent,
    footer: typed.footer === "" ? null : typed.footer,
  };
}

export function isStorable(parsed: StoredBrand | BrandFaults): parsed is StoredBrand {
  return "logoPng" in parsed;
}

function lineFault(text: string, charsMax: number): "tooLong" | "characters" | null {
  if (text.length > charsMax) return "tooLong";
  return refusedCharacters.test(text) || !text.isWellFormed() ? "characters" : null;
}
