/** Readings, and why some gave nothing, in words. Results of other versions may name what this one does not know: that is told by its name. */
import { isReadingName, type ProbeFailure } from "../../../evidence/evidence.ts";
import type { I18n } from "../../i18n.ts";

/** What stands in the locale files; the compiler compares it with the types. */
const failures = {
  timeout: true,
  refused: true,
  unresolved: true,
  unreachable: true,
  blocked: true,
  tls: true,
  invalid: true,
  redirects: true,
  "server-error": true,
  challenged: true,
  "too-large": true,
  unsupported: true,
  crashed: true,
  "not-asked": true,
} as const satisfies Readonly<Record<ProbeFailure, true>>;

const ownReasons = { "header-truncated": true, "headers-dropped": true, "check-undecided": true, "check-failed": true } as const;

/** A sentence. */
export function failureText(i18n: I18n, because: string): string {
  return isNamed(failures, because) ? i18n.t(`evidence.failures.${because}`) : i18n.t("evidence.failures.unknown", { because });
}

export function readingName(i18n: I18n, name: string): string {
  return isReadingName(name) ? i18n.t(`evidence.readings.${name}`) : name;
}

/** Why a row of the ledger is `notChecked`: one of the ledger's own reasons, or `<reading>: <failure>`. */
export function whyNotChecked(i18n: I18n, because: string | undefined): string {
  if (because === undefined) return i18n.t("evidence.reasons.unknown");
  if (isNamed(ownReasons, because)) return i18n.t(`evidence.reasons.${because}`);
  const [reading = "", failure = ""] = because.split(": ");
  return i18n.t("evidence.reasons.reading", { reading: readingName(i18n, reading), because: failureText(i18n, failure) });
}

function isNamed<T extends object>(names: T, name: string): name is keyof T & string {
  return Object.hasOwn(names, name);
}
