/** Points that a violation of a check charges, in words. */
import { chargeOf, type FindingDefinition } from "../check/check.ts";
import type { CheckDefinition } from "../check/registry.ts";
import type { I18n } from "./translator.ts";

/** Least and greatest charge of the findings of a check. */
function chargeRange(check: CheckDefinition): { readonly from: number; readonly to: number } {
  const charges = Object.values<FindingDefinition>(check.findings).map((finding) => chargeOf(check, finding));
  return charges.length === 0 ? { from: check.weight, to: check.weight } : { from: Math.min(...charges), to: Math.max(...charges) };
}

/** Cell of a table: a number, a range where findings differ, or a note. */
export function shortCharge(check: CheckDefinition, i18n: I18n): string {
  if (check.weight === 0) return i18n.t("checks.note");
  const { from, to } = chargeRange(check);
  return from === to ? i18n.number(to) : i18n.t("checks.pointsBetween", { from, to });
}

export function chargeSentence(check: CheckDefinition, i18n: I18n): string {
  if (check.weight === 0) return i18n.t("check.note");
  const { from, to } = chargeRange(check);
  return from === to ? i18n.count("check.charge", to) : i18n.t("check.chargeBetween", { from, to });
}

/** Null where every finding of the check charges the same. */
export function findingCharge(check: CheckDefinition, finding: FindingDefinition, i18n: I18n): string | null {
  const { from, to } = chargeRange(check);
  return from === to ? null : i18n.count("check.findingCharge", chargeOf(check, finding));
}
