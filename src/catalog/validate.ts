/** Validates checks before any scan. A fault stops the start, because a silently missing check would change every score. */
import {
  areaOf,
  areas,
  type CheckTexts,
  type Condition,
  efforts,
  type FindingTexts,
  type HeaderSource,
  type Locale,
  locales,
  riskLevels,
  severities,
} from "../check/check.ts";
import type { AnyCheck } from "../check/registry.ts";
import { readingNames } from "../evidence/evidence.ts";
import { faultsOfFixes } from "./validate-fixes.ts";

const keyPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const codePattern = /^security\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/;
const keyCharsMax = 64;
const codeCharsMax = 128;
const weightMax = 10;
/** A presence row charges what the rows behind it would charge. */
const findingWeightMax = 30;
/** Far above the highest number that the CWE list has given out. */
const cweMax = 9_999;
const standardsMax = 20;
const standardCharsMax = 200;
const paragraphCharsMax = 1_000;
/** Records, so that the compiler reports missing keys. */
const conditions: Readonly<Record<Condition, true>> = { https: true, html: true, "public-name": true };
const headerSources: Readonly<Record<HeaderSource, true>> = { page: true, "first-https": true };
/** Placeholders that every finding fills automatically. */
const placeholdersAlwaysFilled = ["host", "url"];

/** A word, or words joined by hyphens, in lower case. */
export function isCheckKey(key: unknown): boolean {
  return typeof key === "string" && key.length <= keyCharsMax && keyPattern.test(key);
}

type TextsByLocale = { readonly [L in Locale]: CheckTexts | undefined };

/** Faults of one check, one sentence each. Also validates types, because plugins are not type-checked. */
export function faultsOfCheck(check: AnyCheck, texts: TextsByLocale): readonly string[] {
  const faults: string[] = [];
  if (!isCheckKey(check.key))
    faults.push(`key ${JSON.stringify(check.key)} is not lower-case words joined by hyphens, at most ${keyCharsMax} characters`);
  if (!Number.isFinite(check.weight) || check.weight < 0 || check.weight > weightMax)
    faults.push(`weight ${JSON.stringify(check.weight)} is not from 0 to ${weightMax}`);
  if (typeof check.judge !== "function") faults.push("judge is not a function");
  faults.push(...faultsOfDeclarations(check), ...faultsOfReference(check));
  if (typeof check.findings !== "object" || check.findings === null || Object.keys(check.findings).length === 0)
    return [...faults, "findings declares no code"];
  for (const [code, { severity, riskLevel, effort, weight, scoreCap, cwe }] of Object.entries(check.findings)) {
    if (!codePattern.test(code) || code.length > codeCharsMax) faults.push(`code "${code}" is not of the form security.<kind>.<name>`);
    if (!severities.includes(severity)) faults.push(`severity of "${code}" is not one of ${severities.join(", ")}`);
    if (!riskLevels.includes(riskLevel)) faults.push(`riskLevel of "${code}" is not one of ${riskLevels.join(", ")}`);
    if (!efforts.includes(effort)) faults.push(`effort of "${code}" is not one of ${efforts.join(", ")}`);
    if (weight !== undefined && !(Number.isInteger(weight) && weight >= 0 && weight <= findingWeightMax))
      faults.push(`weight of "${code}" is not a whole number from 0 to ${findingWeightMax}`);
    if (check.weight === 0 && (severity !== "info" || scoreCap !== undefined || (weight ?? 0) > 0))
      faults.push(`"${code}" belongs to a check of weight 0: its severity is info, and it has neither weight nor scoreCap`);
    if (scoreCap !== undefined && !(Number.isInteger(scoreCap) && scoreCap >= 0 && scoreCap <= 100))
      faults.push(`scoreCap of "${code}" is not a whole number from 0 to 100`);
    if (cwe !== undefined && !(Number.isInteger(cwe) && cwe >= 1 && cwe <= cweMax))
      faults.push(`cwe of "${code}" is not a number of the CWE list, such as 319`);
  }
  return [...faults, ...faultsOfFixes(check), ...faultsOfTexts(Object.keys(check.findings), texts)];
}

/** Wrong declarations would fail every scan, or silently disable the check. */
function faultsOfDeclarations({ reads, consults = [], appliesTo = [], headers = [], headersFrom = "page" }: AnyCheck): readonly string[] {
  return [
    ...faultsOfList("reads", reads, readingNames),
    ...faultsOfList("consults", consults, readingNames),
    ...faultsOfList("appliesTo", appliesTo, Object.keys(conditions)),
    ...faultsOfList("headersFrom", [headersFrom], Object.keys(headerSources)),
    ...faultsOfHeaders(headers),
  ];
}

function faultsOfList(field: string, given: unknown, allowed: readonly string[]): readonly string[] {
  if (!Array.isArray(given)) return [`${field} is not a list`];
  const invalid = given.filter((word) => typeof word !== "string" || !allowed.includes(word));
  return invalid.map((word) => `${field} contains ${JSON.stringify(word)}; allowed are ${allowed.join(", ")}`);
}

function faultsOfHeaders(headers: unknown): readonly string[] {
  if (!Array.isArray(headers)) return ["headers is not a list"];
  const invalid = headers.filter((name) => typeof name !== "string" || name !== name.toLowerCase());
  return invalid.map((name) => `headers contains ${JSON.stringify(name)}; names must be in lower case`);
}

function faultsOfReference(check: AnyCheck): readonly string[] {
  const faults: string[] = [];
  if (!areas.includes(areaOf(check))) faults.push(`area ${JSON.stringify(check.area)} is not one of ${areas.join(", ")}`);
  const { standards = [] } = check;
  if (!Array.isArray(standards)) return [...faults, "standards is not a list"];
  if (standards.length > standardsMax) faults.push(`standards has ${standards.length} entries; at most ${standardsMax} are shown`);
  const invalid = standards.filter((name) => isBlank(name) || name.length > standardCharsMax);
  return [
    ...faults,
    ...invalid.map((name) => `standards contains ${JSON.stringify(name)}; entries must be texts of at most ${standardCharsMax} characters`),
  ];
}

function faultsOfTexts(codes: readonly string[], texts: TextsByLocale): readonly string[] {
  const faults: string[] = [];
  for (const locale of locales) {
    const own = texts[locale];
    if (own === undefined) {
      faults.push(`no texts for ${locale}`);
      continue;
    }
    for (const field of ["label", "reason"] as const) if (isBlank(own[field])) faults.push(`${locale}: no ${field}`);
    const written = Object.keys(own.findings ?? {});
    for (const code of written) if (!codes.includes(code)) faults.push(`${locale}: texts for "${code}", which the check does not declare`);
    for (const code of codes) {
      const finding = own.findings?.[code];
      if (finding === undefined) faults.push(`${locale}: no texts for "${code}"`);
      else for (const field of findingFields) if (isBlank(finding[field])) faults.push(`${locale}: no ${field} for "${code}"`);
    }
  }
  faults.push(...faultsOfParagraphs(texts));
  return faults.length > 0 ? faults : faultsOfPlaceholders(codes, texts);
}

/** Optional paragraphs must exist in all locales or in none, and must not quote finding values. */
function faultsOfParagraphs(texts: TextsByLocale): readonly string[] {
  return (["method", "notApplicable"] as const).flatMap((field) => {
    const written = locales.map((locale) => texts[locale]?.[field]);
    if (written.every((text) => text === undefined)) return [];
    const missing = locales.filter((_locale, at) => isBlank(written[at])).map((locale) => `${locale}: no ${field}`);
    if (missing.length > 0) return missing;
    return locales.flatMap((locale, at) => faultsOfParagraph(`${locale}: ${field}`, written[at] ?? ""));
  });
}

function faultsOfParagraph(label: string, text: string): readonly string[] {
  if (text.length > paragraphCharsMax) return [`${label} has ${text.length} characters; at most ${paragraphCharsMax} are shown`];
  return text.includes("{{") ? [`${label} quotes a value, but only findings have values`] : [];
}

/** Different placeholders between locales indicate a translation error. */
function faultsOfPlaceholders(codes: readonly string[], texts: TextsByLocale): readonly string[] {
  return codes.flatMap((code) => {
    const [first, ...others] = locales.map((locale) => placeholdersOf(texts[locale]?.findings[code] as FindingTexts).join(" "));
    return others.some((other) => other !== first) ? [`the locales quote different values for "${code}"`] : [];
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

/** Finding codes that two checks declare, one sentence each. API consumers rely on codes, so each has one meaning. */
export function faultsBetweenChecks(checks: readonly AnyCheck[]): readonly string[] {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const check of checks) {
    for (const code of Object.keys(check.findings)) {
      const owner = owners.get(code);
      if (owner === undefined) owners.set(code, check.key);
      else faults.push(`"${owner}" and "${check.key}" both declare the code "${code}"`);
    }
  }
  return faults;
}
