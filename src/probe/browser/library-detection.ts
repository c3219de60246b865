/** Recognises script libraries by URL, by the comment at the start of a file, and by variables of the page. */
import { parseLibraryVersion } from "../../parse/script-libraries.ts";
import { type LibraryPattern, libraryPatterns } from "./library-patterns.ts";

export interface DetectedLibrary {
  readonly name: string;
  readonly version: string;
}

/** Characters of a version; longer ones are not versions. */
const versionCharsMax = 40;
/** Components of a version in a URL: `jquery@3.5` is an alias of the latest 3.5.x. */
const urlComponentsMin = 3;
/** Components of a version that a library states itself: jQuery 1.7.0 calls itself 1.7. */
const statedComponentsMin = 2;

/** Limit for a path segment; later characters are ignored. */
const segmentCharsMax = 200;

/** Words after the name of a file that do not change its library. */
const variants =
  /[-._](?:min|slim|pack|packed|compressed|custom|bundle|full|all|core|prod|production|dev|development|global|runtime|browser|esm|umd|iife|cjs|module|compat|legacy|debug|src|source)$/;
/** Hash that build tools add to the name of a file. */
const fingerprint = /[-._](?=[0-9a-f]*[a-f])[0-9a-f]{8,64}$/;
const scriptEnding = /\.[cm]?js$/;
const versionAtEnd = /^(.{1,80}?)[-._@]v?(\d{1,9}(?:\.\d{1,9}){2,3}(?:[-.]?(?:alpha|beta|rc|pre|next|canary)[-.]?\d{0,9})?)$/;

/** Libraries that the URL names with a complete version, as `jquery-3.5.1.min.js` does; `jquery.menu-1.2.0.js` is another library. */
export function librariesInUrl(url: string): readonly DetectedLibrary[] {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return [];
  const segments = parsed.pathname.toLowerCase().split("/");
  const file = fileNameOf(segments.pop() ?? "");
  return libraryPatterns.flatMap((pattern) => {
    const version = versionInFile(pattern, file) ?? versionInFolders(pattern, file, segments);
    return version === null ? [] : detected(pattern, version, urlComponentsMin);
  });
}

interface FileName {
  /** Name without version and variants. */
  readonly stem: string;
  readonly version: string | null;
  /** True for the address of a package, whose main file is served: `/npm/jquery@3.5.1`. */
  readonly isPackage: boolean;
}

function fileNameOf(segment: string): FileName {
  const isPackage = /^@?[^@]+@[^@]+$/.test(segment) && !scriptEnding.test(segment);
  const name = withoutVariants(segment.slice(0, segmentCharsMax).replace(scriptEnding, ""));
  const [, stem, version] = versionAtEnd.exec(name) ?? [];
  if (stem === undefined || version === undefined) return { stem: name, version: null, isPackage };
  return { stem: withoutVariants(stem), version, isPackage };
}

/** Name without fingerprint and variants: `jquery.slim.min` becomes `jquery`. */
function withoutVariants(name: string): string {
  let stem = name.replace(fingerprint, "");
  while (variants.test(stem)) stem = stem.replace(variants, "");
  return stem;
}

function versionInFile({ files, packages, sharesFileNames }: LibraryPattern, { stem, version, isPackage }: FileName): string | null {
  const isOwn = isPackage ? packages.includes(stem) && files.length > 0 : files.includes(stem) && sharesFileNames !== true;
  return isOwn ? version : null;
}

/** Version of the last folder or package of the library above one of its files. */
function versionInFolders({ files, packages }: LibraryPattern, { stem, version }: FileName, folders: readonly string[]): string | null {
  if (version !== null || !files.includes(stem)) return null;
  for (let at = folders.length - 1; at >= 0; at--) {
    const folder = folders[at] ?? "";
    const separator = folder.indexOf("@", 1);
    if (separator > 0 && packages.includes(folder.slice(0, separator))) return folder.slice(separator + 1);
    if (packages.includes(folder) && /^v?\d/.test(folders[at + 1] ?? "")) return folders[at + 1] ?? null;
  }
  return null;
}

/** Libraries whose banner is in the first characters of the file. */
export function librariesInHead(head: string, url: string): readonly DetectedLibrary[] {
  const text = head.replaceAll("\r\n", "\n");
  return libraryPatterns.flatMap((pattern) => {
    if (pattern.bannerNotIn?.test(url)) return [];
    const version = (pattern.banners ?? []).map((banner) => banner.exec(text)?.[1]).find((found) => found !== undefined);
    return version === undefined ? [] : detected(pattern, version, statedComponentsMin);
  });
}

const asked = libraryPatterns.flatMap((pattern) => (pattern.expressions ?? []).map((expression) => ({ pattern, expression })));
/** Characters of an answer: a slim jQuery appends the names of the parts that it lacks. */
const answerCharsMax = 512;

/**
 * Script for the page that asks every library for its version and joins the answers by line feeds. The page is hostile: only primitive
 * strings of limited length leave it, and an exception is an empty answer.
 */
export const versionsExpression = `(() => {
  const answer = (ask) => {
    try {
      const version = ask();
      return typeof version === "string" && version.length <= ${answerCharsMax} ? version : "";
    } catch {
      return "";
    }
  };
  return ${asked.map(({ expression }) => `answer(() => ${expression})`).join(' + "\\n" + ')};
})()`;

/** Result of `versionsExpression`; null if the page returned something else. */
export function librariesInAnswers(answers: unknown): readonly DetectedLibrary[] | null {
  if (typeof answers !== "string" || answers.length > asked.length * (answerCharsMax + 1)) return null;
  const versions = answers.split("\n");
  if (versions.length !== asked.length) return null;
  return asked.flatMap(({ pattern }, at) => detected(pattern, (versions[at] ?? "").split(" ", 1)[0] ?? "", statedComponentsMin));
}

/** Empty if the text is not a precise version of the library. */
function detected({ name, versions }: LibraryPattern, text: string, componentsMin: number): readonly DetectedLibrary[] {
  const version = text.replace(/^v/i, "");
  const parsed = version.length <= versionCharsMax ? parseLibraryVersion(version) : null;
  if (parsed === null || parsed.numbers.length < componentsMin || versions?.test(version) === false) return [];
  return [{ name, version }];
}
