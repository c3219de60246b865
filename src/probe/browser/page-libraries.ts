/** Names the script libraries of a page with their versions, and looks up the advisories for each. */

import type { CDPSession } from "../../browser/browser-page.ts";
import { type Reading, type Readings, read } from "../../evidence/evidence.ts";
import { scriptLibrariesMax } from "../../evidence/limits.ts";
import type { DomFacts, LibraryAdvisory, LibraryDetection, ScriptLibrariesFacts, ScriptLibrary } from "../../evidence/page-facts.ts";
import { compareLibraryVersions, parseLibraryVersion } from "../../parse/library-version.ts";
import { parseAdvisoryLine, type ScriptAdvisories } from "../../parse/script-advisories.ts";
import { type DetectedLibrary, librariesInAnswers, librariesInHead, librariesInUrl, versionsExpression } from "./library-detection.ts";
import { type LoadedScript, type LoadedScripts, type PageScripts, scriptsFactsOf } from "./page-scripts.ts";
import embedded from "./script-advisories.json" with { type: "json" };

/** Time for the page's variables: a getter of the page may never return. */
const variablesMs = 1_000;
/** The same, with the way to the browser and back. */
const answerMs = 3_000;

export interface ScriptsContext {
  readonly session: CDPSession;
  readonly scripts: PageScripts;
  readonly pageUrl: string;
  readonly dom: Reading<DomFacts>;
  /** Files that the browser loaded and did not run. */
  readonly integrityBlocked: readonly string[];
  /** Null for the list of the program. */
  readonly advisories: ScriptAdvisories | null;
}

/** Comes after all other readings, because it runs code of the page. */
export async function readScripts(context: ScriptsContext): Promise<Pick<Readings, "scripts" | "scriptLibraries">> {
  const { session, scripts, pageUrl, dom, integrityBlocked, advisories } = context;
  if (dom.status === "failed") return { scripts: dom, scriptLibraries: dom };
  const elements = dom.facts.subresources.filter(({ kind }) => kind === "script").map(({ url }) => url.replace(/#.*$/s, ""));
  const loaded = await scripts.loaded(pageUrl, new Set(elements));
  const run = { ...loaded, scripts: loaded.scripts.filter(({ url }) => !integrityBlocked.includes(url)) };
  const stated = await statedLibraries(session);
  return { scripts: read(scriptsFactsOf(run)), scriptLibraries: read(scriptLibrariesFactsOf(run, stated, advisories)) };
}

/** Versions that the page's own variables state; null if they cannot be read. */
async function statedLibraries(session: CDPSession): Promise<readonly DetectedLibrary[] | null> {
  try {
    const { result, exceptionDetails } = await session.send(
      "Runtime.evaluate",
      { expression: versionsExpression, returnByValue: true, timeout: variablesMs, silent: true, disableBreaks: true },
      { timeout: answerMs },
    );
    return exceptionDetails === undefined ? librariesInAnswers(result.value) : null;
  } catch {
    return null;
  }
}

/** Detection of one library in one place. `url` is null for statements of the page. */
interface Sighting extends DetectedLibrary {
  readonly by: LibraryDetection;
  readonly url: string | null;
}

export function scriptLibrariesFactsOf(
  { scripts, unrecorded }: LoadedScripts,
  stated: readonly DetectedLibrary[] | null,
  advisories: ScriptAdvisories | null,
): ScriptLibrariesFacts {
  const { date, libraries: lines } = advisories ?? (embedded as ScriptAdvisories);
  const ofPage = (stated ?? []).map((library): Sighting => ({ ...library, by: "page", url: null }));
  const ofFiles = scripts.flatMap(sightingsIn).filter((sighting) => sighting.by === "banner" || !isContradicted(sighting, ofPage));
  const libraries = merged([...ofFiles, ...ofPage]);
  return {
    advisoriesDate: date,
    libraries: libraries.slice(0, scriptLibrariesMax).map(
      (library): ScriptLibrary => ({
        ...library,
        advisories: advisoriesFor(library, Object.hasOwn(lines, library.name) ? lines[library.name] : []),
      }),
    ),
    librariesDropped: Math.max(0, libraries.length - scriptLibrariesMax),
    bannersUnread: scripts.filter(({ head }) => head === null).length + unrecorded,
    variablesRead: stated !== null,
  };
}

/** The content of a file decides over its name. */
function sightingsIn({ url, answeredBy, head }: LoadedScript): readonly Sighting[] {
  const address = answeredBy ?? url;
  const byBanner = librariesInHead(head ?? "", address);
  const byUrl = librariesInUrl(address).filter(({ name, version }) => !isContradicted({ name, version }, byBanner));
  return [
    ...byUrl.map((library): Sighting => ({ ...library, by: "url", url: address })),
    ...byBanner.map((library): Sighting => ({ ...library, by: "banner", url: address })),
  ];
}

/** True if the others name the library only with other versions. */
function isContradicted({ name, version }: DetectedLibrary, others: readonly DetectedLibrary[]): boolean {
  const same = others.filter((other) => other.name === name);
  return same.length > 0 && !same.some((other) => versionKey(other.version) === versionKey(version));
}

/** One text for all forms of a version: `3.5` and `3.5.0` are equal. */
function versionKey(text: string): string {
  const version = parseLibraryVersion(text);
  if (version === null) return text;
  return [version.numbers.join(".").replace(/(?:\.0)+$/, ""), ...version.prerelease].join("-");
}

/** One entry for each version of each library, by name and version. */
function merged(sightings: readonly Sighting[]): readonly Omit<ScriptLibrary, "advisories">[] {
  const groups = Map.groupBy(sightings, ({ name, version }) => `${name} ${versionKey(version)}`);
  const ways: readonly LibraryDetection[] = ["url", "banner", "page"];
  return [...groups.values()]
    .map((group) => {
      const { name } = group[0] as Sighting;
      // The longest form of equal versions: 3.5.0 rather than 3.5.
      const [version = ""] = group
        .map((sighting) => sighting.version)
        .sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
      const [url = null] = group.flatMap((sighting) => sighting.url ?? []).sort();
      return { name, version, detectedBy: ways.filter((way) => group.some(({ by }) => by === way)), url };
    })
    .sort((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1));
}

/** Advisories that end above the version: the others say nothing about it or about later versions. */
function advisoriesFor({ version }: DetectedLibrary, lines: readonly string[] = []): readonly LibraryAdvisory[] {
  const own = parseLibraryVersion(version);
  if (own === null) return [];
  return lines.flatMap((line) => {
    const advisory = parseAdvisoryLine(line);
    const end = advisory === null ? null : parseLibraryVersion(advisory.below);
    return advisory !== null && end !== null && compareLibraryVersions(end, own) > 0 ? [advisory] : [];
  });
}
