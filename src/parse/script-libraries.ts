/** Versions of script libraries, and advisories for them. */
import { isObject } from "../base/is-object.ts";
import { tryOr } from "../base/try-or.ts";
import {
  advisoriesPerLibraryMax,
  advisoryExcludesMax,
  advisoryIdentifiersMax,
  advisorySeverities,
  libraryNameCharsMax,
  libraryVersionCharsMax,
} from "../evidence/limits.ts";
import type { LibraryAdvisory } from "../evidence/page-facts.ts";

export interface LibraryVersion {
  /** Numeric components, at least one; `3.5` and `3.5.0` are equal. */
  readonly numbers: readonly number[];
  /** Identifiers of a pre-release, such as `rc` and `1`; empty for a release. */
  readonly prerelease: readonly (string | number)[];
}

/** Range of versions. `atOrAbove` is part of it, `below` is not. */
export interface VersionRange {
  readonly atOrAbove: string | null;
  readonly below: string;
  readonly excludes: readonly string[];
}

const componentsMax = 5;
/** Version before an optional pre-release (`1.9.0b1`, `1.0RC2`, `3.0.0-rc.1`) and optional build metadata, which does not count. */
const versionText =
  /^v?(\d{1,9}(?:\.\d{1,9})*)(?:[-.]?((?:alpha|beta|rc|pre|preview|next|canary|dev|snapshot|nightly|experimental|insiders|[abm])(?![a-z])[-.0-9a-z]*))?(?:\+[-.0-9a-z]+)?$/;
/** Separates identifiers, and letters from digits: `rc1` and `rc.1` are equal. */
const identifierEnds = /[-.]|(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/;
/** Pre-release names with a synonym. */
const longForms: Readonly<Record<string, string>> = { a: "alpha", b: "beta" };
/** Component that means "every later version": `2.999.999` ends all of version 2. */
const endless = 999;

/** Parsed version; null for another form or an unknown suffix such as `-patched`, whose order is unknown. */
export function parseLibraryVersion(text: string): LibraryVersion | null {
  if (text.length > libraryVersionCharsMax) return null;
  const [, numbers, suffix = ""] = versionText.exec(text.toLowerCase()) ?? [];
  if (numbers === undefined) return null;
  const components = numbers.split(".").map(Number);
  if (components.length > componentsMax) return null;
  const [kind = "", ...others] = suffix.split(identifierEnds).filter((part) => part !== "");
  return { numbers: components, prerelease: kind === "" ? [] : [longForms[kind] ?? kind, ...others.map(numberOrWord)] };
}

function numberOrWord(part: string): string | number {
  return /^\d{1,15}$/.test(part) ? Number(part) : part;
}

/** Negative if the first version is older, 0 if both are equal. Semantic Versioning section 11. */
export function compareLibraryVersions(one: LibraryVersion, other: LibraryVersion): number {
  for (let at = 0; at < Math.max(one.numbers.length, other.numbers.length); at++) {
    const difference = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.prerelease.length === 0 || other.prerelease.length === 0) return other.prerelease.length - one.prerelease.length;
  for (let at = 0; at < Math.min(one.prerelease.length, other.prerelease.length); at++) {
    const difference = compareIdentifiers(one.prerelease[at] ?? 0, other.prerelease[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.prerelease.length - other.prerelease.length;
}

/** Numbers precede words. */
function compareIdentifiers(one: string | number, other: string | number): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}

/** False if a bound is unreadable. */
export function isVersionIn(version: LibraryVersion, { atOrAbove, below, excludes }: VersionRange): boolean {
  const until = parseLibraryVersion(below);
  if (until === null || compareLibraryVersions(version, until) >= 0) return false;
  const from = atOrAbove === null ? null : parseLibraryVersion(atOrAbove);
  if (atOrAbove !== null && (from === null || compareLibraryVersions(version, from) < 0)) return false;
  return !excludes.some((text) => {
    const excluded = parseLibraryVersion(text);
    return excluded !== null && compareLibraryVersions(version, excluded) === 0;
  });
}

/** First release after `version` in none of the ranges; null if the ranges name none. */
export function firstVersionOutside(version: LibraryVersion, ranges: readonly VersionRange[]): string | null {
  const candidates = ranges.flatMap(({ below }) => releaseAfter(below)).filter((release) => compareLibraryVersions(release, version) > 0);
  const outside = candidates.filter((release) => !ranges.some((range) => isVersionIn(release, range)));
  const [first] = outside.sort(compareLibraryVersions);
  return first === undefined ? null : first.numbers.join(".");
}

/** Release at which a range ends: 3.0.0 for `3.0.0-beta1` and for `2.999.999`; none for `999.999.999`. */
function releaseAfter(below: string): readonly LibraryVersion[] {
  const end = parseLibraryVersion(below);
  if (end === null) return [];
  const at = end.numbers.indexOf(endless);
  if (at === 0) return [];
  const kept = at < 0 ? end.numbers : end.numbers.slice(0, at);
  const numbers = at < 0 ? kept : [...kept.slice(0, -1), (kept.at(-1) ?? 0) + 1, ...end.numbers.slice(at).map(() => 0)];
  return [{ numbers, prerelease: [] }];
}

// Advisories for script libraries: the file of an operator, and the compact lines that the program holds.

/** Advisories by library, each as one line: `>=1.12.0 <3.5.0 medium CVE-2020-11022`. */
type AdvisoryLines = Readonly<Record<string, readonly string[]>>;

/** A dated list of advisories. */
export interface ScriptAdvisories {
  /** As in `2026-08-22`. */
  readonly date: string;
  readonly libraries: AdvisoryLines;
}

/** Libraries in a file; the collection of August 2026 has 68. */
const librariesMax = 1_000;

const cveNumber = /^CVE-\d{4}-\d{4,9}$/;
const otherIdentifier = /^GHSA(?:-[0-9a-z]{4}){3}$/;

/** `fault` names the place of the first mistake, as the end of a sentence that begins with "it". */
export function parseAdvisoriesFile(text: string): { readonly libraries: AdvisoryLines } | { readonly fault: string } {
  const parsed: unknown = tryOr(() => JSON.parse(text), undefined);
  if (parsed === undefined) return { fault: "is not JSON" };
  if (!isObject(parsed)) return { fault: "must hold an object with the names of libraries" };
  const libraries = Object.entries(parsed);
  if (libraries.length === 0 || libraries.length > librariesMax) return { fault: `must name 1 to ${librariesMax} libraries` };
  const lines: [name: string, lines: readonly string[]][] = [];
  for (const [name, library] of libraries) {
    if (name.length > libraryNameCharsMax) return { fault: `has a name of more than ${libraryNameCharsMax} characters` };
    const advisories = isObject(library) ? library.advisories : null;
    if (!Array.isArray(advisories) || advisories.length > advisoriesPerLibraryMax)
      return { fault: `needs a list "advisories" of at most ${advisoriesPerLibraryMax} entries for ${JSON.stringify(name)}` };
    const read = advisories.map(advisoryOf);
    const wrong = read.find((advisory) => typeof advisory === "string");
    if (wrong !== undefined) return { fault: `needs ${wrong} in advisory ${read.indexOf(wrong) + 1} of ${JSON.stringify(name)}` };
    lines.push([name, read.map((advisory) => advisoryLine(advisory as LibraryAdvisory))]);
  }
  // A name such as "__proto__" stays a plain key.
  return { libraries: Object.fromEntries(lines) };
}

/** Text of one line; `parseAdvisoryLine` reads it. */
export function advisoryLine({ atOrAbove, below, excludes, severity, identifiers }: LibraryAdvisory): string {
  const from = atOrAbove === null ? [] : [`>=${atOrAbove}`];
  return [...from, `<${below}`, ...excludes.map((version) => `!=${version}`), severity, ...identifiers].join(" ");
}

export function parseAdvisoryLine(line: string): LibraryAdvisory | null {
  const words = line.split(" ");
  const versions = (sign: string) => words.filter((word) => word.startsWith(sign)).map((word) => word.slice(sign.length));
  const [below] = versions("<");
  const severity = advisorySeverities.find((word) => words.includes(word));
  if (below === undefined || severity === undefined) return null;
  const identifiers = words.filter((word) => cveNumber.test(word) || otherIdentifier.test(word));
  return { atOrAbove: versions(">=")[0] ?? null, below, excludes: versions("!="), severity, identifiers };
}

/** The advisory, or the reason why it is invalid. */
function advisoryOf(entry: unknown): LibraryAdvisory | string {
  if (!isObject(entry)) return "an object";
  const { atOrAbove = null, below, excludes = [], severity, ids = [] } = entry;
  if (!isVersion(below)) return 'a version "below"';
  if (atOrAbove !== null && !isVersion(atOrAbove)) return 'a version "atOrAbove", or none';
  if (!isListOf(excludes, advisoryExcludesMax, isVersion)) return `a list "excludes" of at most ${advisoryExcludesMax} versions, or none`;
  const known = advisorySeverities.find((word) => word === severity);
  if (known === undefined) return `a "severity" out of ${advisorySeverities.join(", ")}`;
  if (!isListOf(ids, advisoryIdentifiersMax, isString)) return `a list "ids" of at most ${advisoryIdentifiersMax} texts, or none`;
  return { atOrAbove, below, excludes, severity: known, identifiers: identifiersOf(ids) };
}

/** CVE numbers, or else GHSA identifiers, because both name the same advisory. Malformed identifiers are left out. */
function identifiersOf(ids: readonly string[]): readonly string[] {
  const cves = ids.filter((id) => cveNumber.test(id));
  return cves.length > 0 ? cves : ids.filter((id) => otherIdentifier.test(id));
}

/** Only readable versions without white space, which separates the words of a line. */
function isVersion(value: unknown): value is string {
  return isString(value) && parseLibraryVersion(value) !== null;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf<T>(value: unknown, lengthMax: number, isPart: (part: unknown) => part is T): value is readonly T[] {
  return Array.isArray(value) && value.length <= lengthMax && value.every(isPart);
}
