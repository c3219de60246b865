/** Makes dist/assay, one file for linux-x64 with store, worker, checks, locales and browser inside; `--slim` leaves the browser out. */
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { embedPackages, leaveBrowserOut, workerEntries } from "./embed.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const slim = process.argv.includes("--slim");
const outfile = `${root}dist/assay${slim ? "-slim" : ""}`;

mkdirSync(`${root}dist`, { recursive: true });
const { success, logs } = await Bun.build({
  root,
  entrypoints: [`${root}src/main.ts`, `${root}src/app/worker.ts`, ...workerEntries],
  plugins: slim ? [embedPackages, leaveBrowserOut] : [embedPackages],
  target: "bun",
  // Parsed at build time: the binary answers in a quarter of the time.
  bytecode: true,
  format: "esm",
  // Elysia reads the source of its handlers, and does not find its way in shortened names.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // A file in the folder that somebody happens to stand in must not run code or change settings.
  compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
});
if (!success) throw new AggregateError(logs, "the build failed");
console.log(`${outfile.slice(root.length)}: ${(statSync(outfile).size / 1e6).toFixed(0)} MB`);
