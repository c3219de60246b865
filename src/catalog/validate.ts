/** Validates checks before any scan. A fault stops the start, because a silently missing check would change every score. */
import {
  areaOf,
  areas,
  type CheckTexts,
  type Condition,
  efforts,
  type FindingDefinition,
  type FindingTexts,
  fixesByCode,
  type HeaderSource,
  isFindingCode,
  type Locale,
  locales,
  riskLevels,
  severities,
} from "../check/check.ts";
import type { CookieAttribute, Fix, FixedCookies } from "../check/fix.ts";
import type { AnyCheck } from "../check/registry.ts";
import { readingNames } from "../evidence/facts.ts";
import { nearest } from "../parse/text.ts";
import type { DeclarationFault } from "./fault.ts";

// Names keys of a plugin that no check has, with the key that was probably meant.

/** Records instead of lists, so that the compiler reports missing keys. */
type KeysOf<T> = Readonly<Record<keyof T, true>>;
const checkKeys: KeysOf<AnyCheck> = {
  ...{ key: true, weight: true, area: true, standards: true, appliesTo: true, reads: true, consults: true },
  ...{ headers: true, headersFrom: true, findings: true, fixes: true, judge: true, texts: true },
};
const findingKeys: KeysOf<FindingDefinition> = { severity: true, riskLevel: true, effort: true, weight: true, scoreCap: true, cwe: true };
const textKeys: KeysOf<CheckTexts> = { label: true, reason: true, method: true, notApplicable: true, findings: true };
const findingTextKeys: KeysOf<FindingTexts> = { title: true, detail: true, riskStatement: true, remediation: true, plain: true };

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

// Validates the fixes of a check, because plugins are not type-checked and lines are rendered long after the start.

const fixesMax = 20;

type Fields<F> = { readonly [P in Exclude<keyof F, "kind">]: (value: unknown) => boolean };
type FieldsByKind = { readonly [K in Fix["kind"]]: Fields<Extract<Fix, { readonly kind: K }>> };

const attributes: readonly CookieAttribute[] = ["Secure", "HttpOnly", "SameSite=Lax"];

const fieldsByKind: FieldsByKind = {
  header: { name: isText, value: isText, replaces: isBoolean, optional: isBoolean },
  "remove-header": { name: isText },
  policy: { directives: isText, present: isOneOf("none", "kept", "weak"), cures: isBoolean, reportsFirst: isLeftOut },
  "new-policy": { needed: isBoolean, directives: isLeftOut },
  cookie: { cookies: isCookies, attributes: (list) => Array.isArray(list) && list.every((word) => attributes.includes(word)) },
  certificate: { host: isText, also: isOneOf("listen", "name", null) },
  "https-redirect": { host: isText },
  "tls-protocols": {},
  "tls-ciphers": {},
  "tls-curves": {},
  charset: {},
  "server-version": {},
  "no-listing": {},
  "forwarded-scheme": {},
  "path-redirect": { from: isText, to: isText },
  "path-type": { path: isText, type: isText },
  "text-file": { path: isText, folder: isText },
};

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Only scans set these fields. */
function isLeftOut(value: unknown): boolean {
  return value === undefined;
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isOneOf(...words: readonly (string | null)[]): (value: unknown) => boolean {
  return (value) => words.some((word) => word === value);
}

function isCookies(value: unknown): boolean {
  const { names } = Object(value) as Partial<Exclude<FixedCookies, string>>;
  return value === "all" || value === "prefixed" || isText(names);
}

export function faultsOfFixes({ fixes = {}, findings }: Pick<AnyCheck, "fixes" | "findings">): readonly DeclarationFault[] {
  if (typeof fixes !== "object" || fixes === null) return [{ path: ["fixes"], reason: "fixes is not an object" }];
  return Object.entries<unknown>(fixesByCode({ fixes, findings })).flatMap(([code, list]) => {
    const reasons = Object.hasOwn(findings, code)
      ? faultsOfFixList(code, list)
      : [`fixes name "${code}", which the check does not declare`];
    return reasons.map((reason) => ({ path: Array.isArray(fixes) ? ["fixes"] : ["fixes", code], reason }));
  });
}

function faultsOfFixList(code: string, list: unknown): readonly string[] {
  if (!Array.isArray(list) || list.length > fixesMax) return [`fixes of "${code}" are not a list of at most ${fixesMax}`];
  return list.flatMap((fix) => faultsOfFix(code, fix));
}

function faultsOfFix(code: string, fix: unknown): readonly string[] {
  const given = Object(fix) as Readonly<Record<string, unknown>>;
  const { kind } = given;
  if (typeof kind !== "string" || !Object.hasOwn(fieldsByKind, kind))
    return [`fixes of "${code}" contain ${JSON.stringify(fix)}; use the functions of assay/check`];
  const fields = Object.entries<(value: unknown) => boolean>(fieldsByKind[kind as Fix["kind"]]);
  return fields
    .filter(([field, isValid]) => !isValid(given[field]))
    .map(([field]) => `fixes of "${code}": ${field} of "${kind}" is ${JSON.stringify(given[field])}`);
}

const keyPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const keyCharsMax = 64;
const weightMax = 10;
/** A presence row charges what the rows behind it would charge. */
const findingWeightMax = 30;
/** Far above the highest number that the CWE list has given out. */
const cweMax = 9_999;
const standardsMax = 20;
const standardCharsMax = 200;
const paragraphCharsMax = 1_000;
/** Records instead of lists, so that the compiler reports missing keys. */
const conditions: Readonly<Record<Condition, true>> = { https: true, html: true, "public-name": true };
const headerSources: Readonly<Record<HeaderSource, true>> = { page: true, "first-https": true };
/** Placeholders that every finding fills automatically. */
const placeholdersAlwaysFilled = ["host", "url"];

/** A word, or words joined by hyphens, in lower case. */
export function isCheckKey(key: unknown): boolean {
  return typeof key === "string" && key.length <= keyCharsMax && keyPattern.test(key);
}

type TextsByLocale = { readonly [L in Locale]?: CheckTexts | undefined };

/** Faults of one check. Also validates types, because plugins are not type-checked. `texts`: the texts of a plugin are part of its check. */
export function faultsOfCheck(check: AnyCheck, texts: TextsByLocale = check.texts ?? {}): readonly DeclarationFault[] {
  const faults = [
    ...unless(
      isCheckKey(check.key),
      ["key"],
      `key ${JSON.stringify(check.key)} is not lower-case words joined by hyphens, at most ${keyCharsMax} characters`,
    ),
    ...unless(
      Number.isFinite(check.weight) && check.weight >= 0 && check.weight <= weightMax,
      ["weight"],
      `weight ${JSON.stringify(check.weight)} is not from 0 to ${weightMax}`,
    ),
    ...unless(typeof check.judge === "function", ["judge"], "judge is not a function"),
    ...unless(!isAsync(check.judge), ["judge"], "judge is async, but must return its verdict at once"),
    ...faultsOfDeclarations(check),
    ...faultsOfReference(check),
  ];
  if (typeof check.findings !== "object" || check.findings === null || Object.keys(check.findings).length === 0)
    return [...faults, { path: ["findings"], reason: "findings declares no code" }];
  return [
    ...faults,
    ...Object.entries<FindingDefinition>(check.findings).flatMap(([code, finding]) => faultsOfFinding(check, code, finding)),
    ...faultsOfFixes(check),
    ...faultsOfTexts(Object.keys(check.findings), texts),
  ];
}

function isAsync(judge: unknown): boolean {
  return typeof judge === "function" && judge.constructor.name === "AsyncFunction";
}

/** A plugin may declare null or a number in place of a finding. */
function faultsOfFinding({ weight: checkWeight }: AnyCheck, code: string, finding: unknown): readonly DeclarationFault[] {
  const { severity, riskLevel, effort, weight, scoreCap, cwe } = Object(finding) as FindingDefinition;
  const path = ["findings", code];
  const isWholeTo = (max: number, number: number) => Number.isInteger(number) && number >= 0 && number <= max;
  return [
    ...unless(isFindingCode(code), path, `code "${code}" is not of the form security.<kind>.<name>`),
    ...unless(severities.includes(severity), [...path, "severity"], `severity of "${code}" is not one of ${severities.join(", ")}`),
    ...unless(riskLevels.includes(riskLevel), [...path, "riskLevel"], `riskLevel of "${code}" is not one of ${riskLevels.join(", ")}`),
    ...unless(efforts.includes(effort), [...path, "effort"], `effort of "${code}" is not one of ${efforts.join(", ")}`),
    ...unless(
      weight === undefined || isWholeTo(findingWeightMax, weight),
      [...path, "weight"],
      `weight of "${code}" is not a whole number from 0 to ${findingWeightMax}`,
    ),
    ...unless(
      checkWeight !== 0 || (severity === "info" && scoreCap === undefined && (weight ?? 0) <= 0),
      path,
      `"${code}" belongs to a check of weight 0: its severity is info, and it has neither weight nor scoreCap`,
    ),
    ...unless(
      scoreCap === undefined || isWholeTo(100, scoreCap),
      [...path, "scoreCap"],
      `scoreCap of "${code}" is not a whole number from 0 to 100`,
    ),
    ...unless(
      cwe === undefined || (isWholeTo(cweMax, cwe) && cwe >= 1),
      [...path, "cwe"],
      `cwe of "${code}" is not a number of the CWE list, such as 319`,
    ),
  ];
}

function unless(holds: boolean, path: readonly string[], reason: string): readonly DeclarationFault[] {
  return holds ? [] : [{ path, reason }];
}

/** Wrong declarations would fail every scan, or silently disable the check. */
function faultsOfDeclarations({
  reads,
  consults = [],
  appliesTo = [],
  headers = [],
  headersFrom = "page",
}: AnyCheck): readonly DeclarationFault[] {
  return [
    ...faultsOfList("reads", reads, readingNames),
    ...faultsOfList("consults", consults, readingNames),
    ...faultsOfList("appliesTo", appliesTo, Object.keys(conditions)),
    ...faultsOfList("headersFrom", [headersFrom], Object.keys(headerSources)),
    ...faultsOfHeaders(headers),
  ];
}

function faultsOfList(field: string, given: unknown, allowed: readonly string[]): readonly DeclarationFault[] {
  if (!Array.isArray(given)) return [{ path: [field], reason: `${field} is not a list` }];
  const invalid = given.filter((word) => typeof word !== "string" || !allowed.includes(word));
  return invalid.map((word) => {
    return { path: [field], reason: `${field} contains ${JSON.stringify(word)}; allowed are ${allowed.join(", ")}` };
  });
}

function faultsOfHeaders(headers: unknown): readonly DeclarationFault[] {
  const path = ["headers"];
  if (!Array.isArray(headers)) return [{ path, reason: "headers is not a list" }];
  const invalid = headers.filter((name) => typeof name !== "string" || name !== name.toLowerCase());
  return invalid.map((name) => ({ path, reason: `headers contains ${JSON.stringify(name)}; names must be in lower case` }));
}

function faultsOfReference(check: AnyCheck): readonly DeclarationFault[] {
  const ofArea = unless(areas.includes(areaOf(check)), ["area"], `area ${JSON.stringify(check.area)} is not one of ${areas.join(", ")}`);
  const { standards = [] } = check;
  const path = ["standards"];
  if (!Array.isArray(standards)) return [...ofArea, { path, reason: "standards is not a list" }];
  const invalid = standards.filter((name) => isBlank(name) || name.length > standardCharsMax);
  return [
    ...ofArea,
    ...unless(standards.length <= standardsMax, path, `standards has ${standards.length} entries; at most ${standardsMax} are shown`),
    ...invalid.map((name) => {
      return {
        path,
        reason: `standards contains ${JSON.stringify(name)}; entries must be texts of at most ${standardCharsMax} characters`,
      };
    }),
  ];
}

function faultsOfTexts(codes: readonly string[], texts: TextsByLocale): readonly DeclarationFault[] {
  const faults = [...locales.flatMap((locale) => faultsOfLocale(codes, locale, texts[locale])), ...faultsOfParagraphs(texts)];
  return faults.length > 0 ? faults : faultsOfPlaceholders(codes, texts);
}

function faultsOfLocale(codes: readonly string[], locale: Locale, own: CheckTexts | undefined): readonly DeclarationFault[] {
  if (typeof own !== "object" || own === null) return [{ path: ["texts", locale], reason: `no texts for ${locale}` }];
  const path = ["texts", locale];
  const written: Readonly<Record<string, FindingTexts>> = Object(own.findings ?? {});
  return [
    ...(["label", "reason"] as const).flatMap((field) => {
      return unless(!isBlank(own[field]), [...path, field], `${locale}: no ${field}`);
    }),
    ...Object.keys(written).flatMap((code) => {
      return unless(codes.includes(code), [...path, "findings", code], `${locale}: texts for "${code}", which the check does not declare`);
    }),
    ...codes.flatMap((code) => {
      const finding = written[code];
      const ofFinding = [...path, "findings", code];
      if (typeof finding !== "object" || finding === null) return [{ path: ofFinding, reason: `${locale}: no texts for "${code}"` }];
      return findingFields.flatMap((field) => {
        return unless(!isBlank(finding[field]), [...ofFinding, field], `${locale}: no ${field} for "${code}"`);
      });
    }),
  ];
}

/** Optional paragraphs must exist in all locales or in none, and must not quote finding values. */
function faultsOfParagraphs(texts: TextsByLocale): readonly DeclarationFault[] {
  return (["method", "notApplicable"] as const).flatMap((field) => {
    const pathIn = (locale: Locale) => ["texts", locale, field];
    const written = locales.map((locale) => texts[locale]?.[field]);
    if (written.every((text) => text === undefined)) return [];
    const missing = locales.filter((_locale, at) => isBlank(written[at]));
    if (missing.length > 0) return missing.map((locale) => ({ path: pathIn(locale), reason: `${locale}: no ${field}` }));
    return locales.flatMap((locale, at) => {
      return faultsOfParagraph(`${locale}: ${field}`, written[at] ?? "").map((reason) => ({ path: pathIn(locale), reason }));
    });
  });
}

function faultsOfParagraph(label: string, text: string): readonly string[] {
  if (text.length > paragraphCharsMax) return [`${label} has ${text.length} characters; at most ${paragraphCharsMax} are shown`];
  return text.includes("{{") ? [`${label} quotes a value, but only findings have values`] : [];
}

/** Different placeholders between locales indicate a translation error. */
function faultsOfPlaceholders(codes: readonly string[], texts: TextsByLocale): readonly DeclarationFault[] {
  return codes.flatMap((code) => {
    const quoted = locales.map((locale) => placeholdersOf(texts[locale]?.findings[code] as FindingTexts));
    const [first, other] = quoted.map((names) => names.join(" "));
    if (first === other) return [];
    const listed = locales.map((locale, at) => `${locale} ${quoted[at]?.map((name) => `{{${name}}}`).join(" ") || "none"}`);
    return [
      { path: ["texts", locales[1], "findings", code], reason: `the locales quote different values for "${code}": ${listed.join(", ")}` },
    ];
  });
}

const findingFields = ["title", "detail", "riskStatement", "remediation"] as const;

/** Placeholders of a finding's texts, sorted, without those filled automatically. */
function placeholdersOf(texts: FindingTexts): readonly string[] {
  const names = findingFields.flatMap((field) => [...texts[field].matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] ?? ""));
  return [...new Set(names)].filter((name) => !placeholdersAlwaysFilled.includes(name)).sort();
}

function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}
