/** Names keys of a plugin that no check has, with the key that was probably meant. */
import type { CheckTexts, FindingDefinition, FindingTexts } from "../check/check.ts";
import { locales } from "../check/check.ts";
import type { AnyCheck } from "../check/registry.ts";
import { nearest } from "../parse/nearest.ts";

/** Records, so that the compiler reports missing keys. */
const checkKeys: Readonly<Record<keyof AnyCheck, true>> = {
  key: true,
  weight: true,
  area: true,
  standards: true,
  appliesTo: true,
  reads: true,
  consults: true,
  headers: true,
  headersFrom: true,
  findings: true,
  fixes: true,
  judge: true,
  texts: true,
};
const findingKeys: Readonly<Record<keyof FindingDefinition, true>> = {
  severity: true,
  riskLevel: true,
  effort: true,
  weight: true,
  scoreCap: true,
  cwe: true,
};
const textKeys: Readonly<Record<keyof CheckTexts, true>> = { label: true, reason: true, method: true, notApplicable: true, findings: true };
const findingTextKeys: Readonly<Record<keyof FindingTexts, true>> = { title: true, detail: true, riskStatement: true, remediation: true };

const warningsMax = 20;
const keyCharsShownMax = 64;

/** One entry per unknown key, as in `wieght: did you mean weight?`. An unknown key has no effect, so it does not stop the start. */
export function unknownKeysOf(check: AnyCheck): readonly string[] {
  const warnings = [
    ...unknownIn(check, checkKeys, ""),
    ...entriesOf(check.findings).flatMap(([code, finding]) => unknownIn(finding, findingKeys, `findings["${code}"].`)),
    ...unknownIn(check.texts, Object.fromEntries(locales.map((locale) => [locale, true])), "texts."),
    ...locales.flatMap((locale) => unknownInTexts(check.texts?.[locale], `texts["${locale}"].`)),
  ];
  return warnings.slice(0, warningsMax);
}

function unknownInTexts(texts: CheckTexts | undefined, path: string): readonly string[] {
  return [
    ...unknownIn(texts, textKeys, path),
    ...entriesOf(texts?.findings).flatMap(([code, finding]) => unknownIn(finding, findingTextKeys, `${path}findings["${code}"].`)),
  ];
}

function unknownIn(given: unknown, known: Readonly<Record<string, true>>, path: string): readonly string[] {
  return entriesOf(given)
    .filter(([key]) => !Object.hasOwn(known, key))
    .map(([key]) => {
      const shown = `${path}${key.slice(0, keyCharsShownMax)}`;
      const meant = nearest(key.slice(0, keyCharsShownMax), Object.keys(known));
      return meant === null ? `unknown key ${shown}` : `unknown key ${shown}: did you mean ${meant}?`;
    });
}

/** Plugins are not type-checked: anything may stand where an object belongs. */
function entriesOf(given: unknown): readonly (readonly [string, unknown])[] {
  return typeof given === "object" && given !== null ? Object.entries(given) : [];
}
