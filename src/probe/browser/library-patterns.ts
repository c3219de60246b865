/** How each script library is recognised: by the names of its files, the comments at their start, and the variables that it sets. */
import { frameworkPatterns } from "./framework-patterns.ts";
import { toolPatterns } from "./tool-patterns.ts";
import { widgetPatterns } from "./widget-patterns.ts";

export interface LibraryPattern {
  /** Name in the list of advisories. */
  readonly name: string;
  /** Names of its own files, without version and `.min.js`, in lower case. */
  readonly files: readonly string[];
  /** Folders or packages whose name precedes the version: `/jquery/3.5.1/`, `/npm/jquery@3.5.1/`. In lower case. */
  readonly packages: readonly string[];
  /** Comments in its files. The first group is the version. A plugin that only mentions the library must not match. */
  readonly banners?: readonly RegExp[];
  /** Files that carry the banner of the library although they are only a part of it. */
  readonly bannerNotIn?: RegExp;
  /** JavaScript expressions for the page, of which each gives the version or another value. */
  readonly expressions?: readonly string[];
  /** Set if other libraries use the same file names: a version in the file's name says nothing then, only one in its folder. */
  readonly sharesFileNames?: true;
  /** Versions that exist: other libraries or later editions share the names. */
  readonly versions?: RegExp;
}

export const libraryPatterns: readonly LibraryPattern[] = [...frameworkPatterns, ...toolPatterns, ...widgetPatterns];
