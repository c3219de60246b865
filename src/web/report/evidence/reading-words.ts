/** Readings, and why some gave nothing, in words. Results of other versions may name what this one does not know: that is told by its name. */
import { isReadingName, type ProbeFailure } from "../../../evidence/evidence.ts";
import type { Words } from "../../words.ts";

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
export function failureText(words: Words, because: string): string {
  return isNamed(failures, because) ? words.say(`evidence.failures.${because}`) : words.say("evidence.failures.unknown", { because });
}

export function readingName(words: Words, name: string): string {
  return isReadingName(name) ? words.say(`evidence.readings.${name}`) : name;
}

/** Why a row of the ledger is `notChecked`: one of the ledger's own reasons, or `<reading>: <failure>`. */
export function whyNotChecked(words: Words, because: string | undefined): string {
  if (because === undefined) return words.say("evidence.reasons.unknown");
  if (isNamed(ownReasons, because)) return words.say(`evidence.reasons.${because}`);
  const [reading = "", failure = ""] = because.split(": ");
  return words.say("evidence.reasons.reading", { reading: readingName(words, reading), because: failureText(words, failure) });
}

function isNamed<T extends object>(names: T, name: string): name is keyof T & string {
  return Object.hasOwn(names, name);
}
