/** Advisories for script libraries: the file of an operator, and the compact lines that the program holds. */
import { isObject } from "../base/is-object.ts";
import {
  advisoriesPerLibraryMax,
  advisoryExcludesMax,
  advisoryIdentifiersMax,
  advisorySeverities,
  libraryNameCharsMax,
} from "../evidence/limits.ts";
import type { LibraryAdvisory } from "../evidence/page-facts.ts";
import { parseLibraryVersion } from "./library-version.ts";

/** Advisories by library, each as one line: `>=1.12.0 <3.5.0 medium CVE-2020-11022`. */
export type AdvisoryLines = Readonly<Record<string, readonly string[]>>;

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
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { fault: "is not JSON" };
  }
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

/** The advisory, or what it lacks. */
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

/** Both name the same advisory, so one kind is enough. Malformed identifiers are left out. */
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
