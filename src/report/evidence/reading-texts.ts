/**
 * Localized names of readings and reasons of failures. Results of other versions may contain unknown names, which are shown as they are.
 */
import { probeFailures } from "../../evidence/evidence.ts";
import { isReadingName } from "../../evidence/facts.ts";
import type { ResultBasis } from "../../judge/result.ts";
import type { I18n } from "../../text/translator.ts";

const ledgerReasons = ["header-truncated", "headers-dropped", "check-undecided", "check-failed"] as const;

export function failureText(i18n: I18n, because: string): string {
  const known = probeFailures.find((failure) => failure === because);
  return known === undefined ? i18n.t("evidence.failures.unknown", { because }) : i18n.t(`evidence.failures.${known}`);
}

export function readingName(i18n: I18n, name: string): string {
  return isReadingName(name) ? i18n.t(`evidence.readings.${name}`) : name;
}

/** Reason of a `notChecked` row: a reason of the ledger itself, or `<reading>: <failure>`. */
export function whyNotChecked(i18n: I18n, because: string | undefined, basis: ResultBasis | undefined): string {
  if (because === "header-truncated" && basis !== undefined)
    return i18n.t("evidence.reasons.headerLimit", { charsMax: i18n.number(basis.headerValueCharsMax) });
  if (because === undefined) return i18n.t("evidence.reasons.unknown");
  const ofLedger = ledgerReasons.find((reason) => reason === because);
  if (ofLedger !== undefined) return i18n.t(`evidence.reasons.${ofLedger}`);
  const [reading = "", failure = ""] = because.split(": ");
  return i18n.t("evidence.reasons.reading", { reading: readingName(i18n, reading), because: failureText(i18n, failure) });
}
