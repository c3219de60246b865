/** Compiles dist/assay, one file for linux-x64 that contains everything; `--slim` leaves the browser out. */
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { embedChecks, embedPackages, excludeBrowser, workerEntries } from "./embed.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const slim = process.argv.includes("--slim");
/** Threads of the program, as in `src/app/placement.ts`. */
const workers = ["gather", "judge", "picture", "catalog", "author"];
const outfile = `${root}dist/assay${slim ? "-slim" : ""}`;

mkdirSync(`${root}dist`, { recursive: true });
const { success, logs } = await Bun.build({
  root,
  entrypoints: [...["main", ...workers.map((name) => `app/${name}-worker`)].map((name) => `${root}src/${name}.ts`), ...workerEntries],
  plugins: slim ? [embedChecks, embedPackages, excludeBrowser] : [embedChecks, embedPackages],
  target: "bun",
  // Parses the code at build time: the binary starts four times as fast.
  bytecode: true,
  format: "esm",
  // Elysia parses the source of its handlers, which shortened names would break.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // A file in the current folder must not run code or change settings.
  compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
});
if (!success) throw new AggregateError(logs, "the build failed");
console.log(`${outfile.slice(root.length)}: ${(statSync(outfile).size / 1e6).toFixed(0)} MB`);
