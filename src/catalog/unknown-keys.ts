/** Names keys of a plugin that no check has, with the key that was probably meant. */
import type { CheckTexts, FindingDefinition, FindingTexts } from "../check/check.ts";
import { locales } from "../check/check.ts";
import type { AnyCheck } from "../check/registry.ts";
import { nearest } from "../parse/nearest.ts";
import type { DeclarationFault } from "./fault.ts";

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
export function unknownKeysOf(check: AnyCheck): readonly DeclarationFault[] {
  const warnings = [
    ...unknownIn(check, checkKeys, []),
    ...entriesOf(check.findings).flatMap(([code, finding]) => unknownIn(finding, findingKeys, ["findings", code])),
    ...unknownIn(check.texts, Object.fromEntries(locales.map((locale) => [locale, true])), ["texts"]),
    ...locales.flatMap((locale) => unknownInTexts(check.texts?.[locale], ["texts", locale])),
  ];
  return warnings.slice(0, warningsMax);
}

function unknownInTexts(texts: CheckTexts | undefined, path: readonly string[]): readonly DeclarationFault[] {
  return [
    ...unknownIn(texts, textKeys, path),
    ...entriesOf(texts?.findings).flatMap(([code, finding]) => unknownIn(finding, findingTextKeys, [...path, "findings", code])),
  ];
}

function unknownIn(given: unknown, known: Readonly<Record<string, true>>, path: readonly string[]): readonly DeclarationFault[] {
  return entriesOf(given)
    .filter(([key]) => !Object.hasOwn(known, key))
    .map(([key]) => {
      const name = key.slice(0, keyCharsShownMax);
      const meant = nearest(name, Object.keys(known));
      const reason = `unknown key ${writtenPath([...path, name])}`;
      return { path: [...path, key], reason: meant === null ? reason : `${reason}: did you mean ${meant}?` };
    });
}

/** As an author writes it: `texts["en-gb"].methd`. */
function writtenPath(path: readonly string[]): string {
  return path.reduce((written, name) => {
    if (!/^\w+$/.test(name)) return `${written}[${JSON.stringify(name)}]`;
    return written === "" ? name : `${written}.${name}`;
  }, "");
}

/** Plugins are not type-checked: anything may stand where an object belongs. */
function entriesOf(given: unknown): readonly (readonly [string, unknown])[] {
  return typeof given === "object" && given !== null ? Object.entries(given) : [];
}
