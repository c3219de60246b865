/** Lets a file beside the binary import the plugin API by name, in every thread and in the compiled binary. */
import { plugin } from "bun";
import * as check from "../check/index.ts";
import * as parsers from "../check/parsers.ts";

const modules: Readonly<Record<string, object>> = { "assay/check": check, "assay/check/parsers": parsers };
let installed = false;

/** Serves these imports with this process's own modules, so that dropped-in checks register where built-in ones do. */
export function installPluginApi(): void {
  if (installed) return;
  installed = true;
  plugin({
    name: "assay/check",
    setup(build) {
      for (const [name, exports] of Object.entries(modules)) build.module(name, () => ({ exports: { ...exports }, loader: "object" }));
    },
  });
}
