/**
 * Localized names of readings and reasons of failures. Results of other versions may contain unknown names: these are shown as they are.
 */

import type { ProbeFailure } from "../../evidence/evidence.ts";
import { isReadingName } from "../../evidence/facts.ts";
import type { ResultBasis } from "../../judge/result.ts";
import type { I18n } from "../../text/translator.ts";

/** Failures with a text in the locale files; the compiler compares them with the type. */
const failures = {
  timeout: true,
  refused: true,
  unresolved: true,
  unreachable: true,
  blocked: true,
  tls: true,
  "tls-incompatible": true,
  invalid: true,
  redirects: true,
  "server-error": true,
  challenged: true,
  "client-error": true,
  "sign-in-required": true,
  "too-large": true,
  unsupported: true,
  crashed: true,
  "not-asked": true,
} as const satisfies Readonly<Record<ProbeFailure, true>>;

const ledgerReasons = { "header-truncated": true, "headers-dropped": true, "check-undecided": true, "check-failed": true } as const;

export function failureText(i18n: I18n, because: string): string {
  return isNamed(failures, because) ? i18n.t(`evidence.failures.${because}`) : i18n.t("evidence.failures.unknown", { because });
}

export function readingName(i18n: I18n, name: string): string {
  return isReadingName(name) ? i18n.t(`evidence.readings.${name}`) : name;
}

/** Reason of a `notChecked` row: a reason of the ledger itself, or `<reading>: <failure>`. */
export function whyNotChecked(i18n: I18n, because: string | undefined, basis: ResultBasis | undefined): string {
  if (because === "header-truncated" && basis !== undefined)
    return i18n.t("evidence.reasons.headerLimit", { charsMax: i18n.number(basis.headerValueCharsMax) });
  if (because === undefined) return i18n.t("evidence.reasons.unknown");
  if (isNamed(ledgerReasons, because)) return i18n.t(`evidence.reasons.${because}`);
  const [reading = "", failure = ""] = because.split(": ");
  return i18n.t("evidence.reasons.reading", { reading: readingName(i18n, reading), because: failureText(i18n, failure) });
}

function isNamed<T extends object>(names: T, name: string): name is keyof T & string {
  return Object.hasOwn(names, name);
}
