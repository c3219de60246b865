/** Fields of a brand from outside, for form and API. Faults are codes; each interface words them. */
import { parseAccent } from "../parse/accent-color.ts";
import { isTextLine } from "../parse/text.ts";
import type { StoredBrand } from "../store/site-accounts.ts";

export const brandNameCharsMax = 60;
export const brandFooterCharsMax = 200;

export type BrandFields = Omit<StoredBrand, "logoPng">;
/** As typed; empty texts are absent. */
export type GivenBrand = Readonly<Record<keyof BrandFields, string>>;

export interface BrandFieldFaults {
  readonly name?: "noName" | "tooLong" | "characters";
  readonly accent?: "notColour" | "lowContrast";
  readonly footer?: "tooLong" | "characters";
}

export function parseBrandFields(given: GivenBrand): BrandFields | { readonly faults: BrandFieldFaults } {
  const [name, footer] = [given.name.trim(), given.footer.trim()];
  const accent = given.accent.trim() === "" ? null : (parseAccent(given.accent) ?? "not-colour");
  const [nameFault, footerFault] = [lineFault(name, brandNameCharsMax), lineFault(footer, brandFooterCharsMax)];
  const faults: BrandFieldFaults = {
    ...(name === "" ? { name: "noName" } : nameFault !== null && { name: nameFault }),
    ...(accent === "not-colour" && { accent: "notColour" }),
    ...(accent === "low-contrast" && { accent: "lowContrast" }),
    ...(footerFault !== null && { footer: footerFault }),
  };
  return Object.keys(faults).length > 0 ? { faults } : { name, accent, footer: footer === "" ? null : footer };
}

function lineFault(text: string, charsMax: number): "tooLong" | "characters" | null {
  if (text.length > charsMax) return "tooLong";
  return isTextLine(text) ? null : "characters";
}
