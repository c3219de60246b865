/** The embedded browser: compressed archives of the headless shell, its libraries, and fonts. */
// The package does not export these files. Relative paths reach them, and make the bundler include them.
import libraries from "../../node_modules/@sparticuz/chromium/bin/al2023.tar.br" with { type: "file" };
import chromium from "../../node_modules/@sparticuz/chromium/bin/chromium.br" with { type: "file" };
import fonts from "../../node_modules/@sparticuz/chromium/bin/fonts.tar.br" with { type: "file" };
import about from "../../node_modules/@sparticuz/chromium/package.json" with { type: "json" };

export interface EmbeddedBrowser {
  readonly version: string;
  /** Paths of Brotli files: the executable itself, a tar of `lib/`, a tar of `fonts/`. */
  readonly chromium: string;
  readonly libraries: string;
  readonly fonts: string;
}

/** The archives have programs for this platform only. */
const runsHere = process.platform === "linux" && process.arch === "x64";

/** Null on other platforms, and in a slim binary, whose build omits the archives. */
export const embeddedBrowser: EmbeddedBrowser | null =
  runsHere && (chromium as string | null) !== null ? { version: about.version, chromium, libraries, fonts } : null;
