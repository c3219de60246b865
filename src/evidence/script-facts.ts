/** Facts about the scripts that the page loaded. */
import type { LibraryAdvisory } from "../parse/script-advisories.ts";

/** Script file that the page's own frame loaded completely. */
export interface ScriptFile {
  /** URL that the page requested. */
  readonly url: string;
  /** URL that answered after redirects; null if it is the same. */
  readonly answeredBy: string | null;
  /** True if the URL that answered belongs to the registrable domain of the page. */
  readonly sameSite: boolean;
}

export interface ScriptsFacts {
  /** By URL, at most `scriptFilesMax`. Inline scripts and data: URLs are no files. */
  readonly files: readonly ScriptFile[];
  readonly filesDropped: number;
}

/** `url`: named by its URL. `banner`: comment in the first characters of the file. `page`: stated by a variable or attribute of the page. */
export type LibraryDetection = "url" | "banner" | "page";

/** One version of a library that the page loaded. */
export interface ScriptLibrary {
  /** Name in the list of advisories, such as `jquery`. */
  readonly name: string;
  readonly version: string;
  readonly detectedBy: readonly LibraryDetection[];
  /** First file by URL; null if only the page names the library. */
  readonly url: string | null;
  /** Advisories that end above this version, whether or not they affect it. */
  readonly advisories: readonly LibraryAdvisory[];
}

export interface ScriptLibrariesFacts {
  /** Date of the list of advisories, as in `2026-08-22`. */
  readonly advisoriesDate: string;
  /** By name and version, at most `scriptLibrariesMax`. */
  readonly libraries: readonly ScriptLibrary[];
  readonly librariesDropped: number;
  /** Number of script files whose first characters were not read, for example because of their size. */
  readonly bannersUnread: number;
  /** False if the variables of the page were not read. */
  readonly variablesRead: boolean;
}
