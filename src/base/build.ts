/** Kind, version and commit of this program. The compiler replaces the names in capitals. */

import { fileURLToPath } from "node:url";
import { version as packageVersion } from "../../package.json" with { type: "json" };

declare const BUILD_VERSION: string;
declare const BUILD_COMMIT: string;

/** As in package.json, unless the build set another one. */
export const version: string = typeof BUILD_VERSION === "string" ? BUILD_VERSION : packageVersion;

/** Commit of the source, with "modified" after it if files were changed; null from source and where it is unknown. */
export const commit: string | null = typeof BUILD_COMMIT === "string" && BUILD_COMMIT !== "" ? BUILD_COMMIT : null;

/** False from source. */
export const isCompiled: boolean = typeof BUILD_VERSION === "string";

/** This program as a child process, to be followed by its arguments. */
export const ownProgram: readonly string[] = isCompiled
  ? [process.execPath]
  : [process.execPath, fileURLToPath(new URL("../main.ts", import.meta.url))];

/** This program as a user would type it. */
export function ownCommand(): string {
  if (isCompiled) return process.execPath;
  return process.env.npm_config_user_agent?.startsWith("npm/") ? "npm run --silent assay --" : "bun src/main.ts";
}
