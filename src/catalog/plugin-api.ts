/** Lets a file beside the binary import "assay/check" by name, in every thread and in the compiled binary. */
import { plugin } from "bun";
import * as door from "../check/index.ts";

let opened = false;

/** Answers `import ... from "assay/check"` with this process's own door, so that dropped-in checks register where built-in ones do. */
export function installPluginApi(): void {
  if (opened) return;
  opened = true;
  plugin({
    name: "assay/check",
    setup(build) {
      build.module("assay/check", () => ({ exports: { ...door }, loader: "object" }));
    },
  });
}
