/** Versions of script libraries: Semantic Versioning 2.0.0, and the older forms that libraries used before it. */
import { libraryVersionCharsMax } from "../evidence/limits.ts";

export interface LibraryVersion {
  /** At least one component; `3.5` and `3.5.0` are equal. */
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
/** Kinds of pre-releases that have two names. */
const longForms: Readonly<Record<string, string>> = { a: "alpha", b: "beta" };
/** Component in place of "every later version": `2.999.999` ends all of version 2. */
const endless = 999;

/** Null for a text of another form, and for an unknown suffix such as `-patched`: its order is unknown. */
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
