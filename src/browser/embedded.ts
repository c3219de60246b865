/** The browser that travels inside: compressed packs of the headless shell, the libraries it needs, and fonts. */
// The package hides these files behind its `exports`; a path reaches them, and lets the bundler carry them along.

import libraries from "../../node_modules/@sparticuz/chromium/bin/al2023.tar.br" with { type: "file" };
import chromium from "../../node_modules/@sparticuz/chromium/bin/chromium.br" with { type: "file" };
import fonts from "../../node_modules/@sparticuz/chromium/bin/fonts.tar.br" with { type: "file" };
import about from "../../node_modules/@sparticuz/chromium/package.json" with { type: "json" };

export interface EmbeddedBrowser {
  readonly version: string;
  /** Paths of Brotli packs: the executable itself, a tar of `lib/`, a tar of `fonts/`. */
  readonly chromium: string;
  readonly libraries: string;
  readonly fonts: string;
}

/** Null in a slim binary, whose build puts nothing in the packs' place. */
export const embedded: EmbeddedBrowser | null =
  (chromium as string | null) === null ? null : { version: about.version, chromium, libraries, fonts };
