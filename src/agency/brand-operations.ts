/** Brand of an account: fields from outside, and use cases for pages and API. Each use case writes a log line. */

import { planTerms } from "../accounts/account-operations.ts";
import type { DecodeLogo, LogoFault } from "../base/documents.ts";
import { type Outcome, refuse } from "../base/outcome.ts";
import { parseAccent } from "../parse/accent-color.ts";
import { isTextLine } from "../parse/text.ts";
import type { Account, RecordOwner } from "../store/accounts.ts";
import type { StoredBrand } from "../store/site-accounts.ts";
import { logoText } from "../store/site-accounts.ts";
import type { Store, UseCase } from "../store/store.ts";

export const brandNameCharsMax = 60;
export const brandFooterCharsMax = 200;

type BrandFields = Omit<StoredBrand, "logoPng">;
/** Fields as typed; an empty text means that the field is absent. */
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

type PlanOwner = Pick<Account, "id" | "plan">;

/** Brand of an account; undefined without one, and while the plan includes no brand. */
export function usableBrand({ brands }: Pick<Store, "brands">, { id, plan }: PlanOwner): StoredBrand | undefined {
  return planTerms[plan].brand ? brands.find(id) : undefined;
}

interface BrandContext extends UseCase<"brands"> {
  readonly decodeLogo: DecodeLogo;
}

interface FaultyBrand {
  readonly faults: BrandFaults;
}

export interface BrandFaults extends BrandFieldFaults {
  readonly logo?: LogoFault;
}

/** File of a new logo, or what becomes of the stored one. */
type GivenLogo = Uint8Array | "kept" | "removed";

/** The logo is decoded only if the other fields are right. */
export async function saveBrand(
  context: BrandContext,
  owner: PlanOwner,
  { logo, ...given }: GivenBrand & { readonly logo: GivenLogo },
): Promise<Outcome<StoredBrand, "not-in-plan"> | FaultyBrand> {
  if (!planTerms[owner.plan].brand) return refuse("not-in-plan");
  const fields = parseBrandFields(given);
  if ("faults" in fields) return fields;
  const drawn = await pngOf(context, logo);
  if ("faults" in drawn) return drawn;
  const { png } = drawn;
  const brand = await context.store.brands.change(owner.id, (stored) => ({
    ...fields,
    logoPng: png === undefined ? (stored?.logoPng ?? null) : png,
  }));
  return { done: logSaved(context, owner, brand) };
}

/** `no-brand`: the other fields come first. `no-logo`: the brand has no logo to remove. */
export async function saveLogo(
  context: BrandContext,
  owner: PlanOwner,
  logo: Uint8Array | "removed",
): Promise<Outcome<StoredBrand, "not-in-plan" | "no-brand" | "no-logo"> | FaultyBrand> {
  const { brands } = context.store;
  if (!planTerms[owner.plan].brand) return refuse("not-in-plan");
  const before = brands.find(owner.id);
  if (before === undefined) return refuse("no-brand");
  if (logo === "removed" && before.logoPng === null) return refuse("no-logo");
  const drawn = await pngOf(context, logo);
  if ("faults" in drawn) return drawn;
  const { png = null } = drawn;
  try {
    const brand = await brands.change(owner.id, (stored) => {
      // Another request may have removed it while the logo was decoded.
      if (stored === undefined) throw new NoBrandError();
      return { ...stored, logoPng: png };
    });
    return { done: logSaved(context, owner, brand) };
  } catch (error) {
    if (error instanceof NoBrandError) return refuse("no-brand");
    throw error;
  }
}

class NoBrandError extends Error {}

/** Decoded logo; undefined keeps the stored one, null removes it. */
async function pngOf({ decodeLogo }: BrandContext, logo: GivenLogo): Promise<{ readonly png: string | null | undefined } | FaultyBrand> {
  if (typeof logo === "string") return { png: logo === "kept" ? undefined : null };
  const drawn = await decodeLogo(logo);
  return typeof drawn === "string" ? { faults: { logo: drawn } } : { png: logoText(drawn.png) };
}

function logSaved({ log }: BrandContext, { id }: RecordOwner, brand: StoredBrand): StoredBrand {
  log.info("brand saved", { account: id, logo: brand.logoPng !== null });
  return brand;
}

/** Removes the brand on every plan: an account may always remove what it stored. */
export async function removeBrand({ store: { brands }, log }: UseCase<"brands">, owner: RecordOwner): Promise<Outcome<null, "unknown">> {
  if (brands.find(owner.id) === undefined) return refuse("unknown");
  await brands.remove(owner.id);
  log.info("brand removed", { account: owner.id });
  return { done: null };
}
