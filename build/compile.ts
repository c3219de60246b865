/** Compiles dist/assay, one file for linux-x64 that contains everything; `--slim` leaves the browser out. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { compileProgram } from "./program.ts";
import { sourceState } from "./source-state.ts";

const slim = process.argv.includes("--slim");
const name = `dist/assay${slim ? "-slim" : ""}`;
// reads: dist/
const outfile = resolve(import.meta.dirname, "..", name);
const { version, commit } = sourceState();
await compileProgram({ outfile, slim, version, commit });
console.log(`${name}: ${(statSync(outfile).size / 1e6).toFixed(0)} MB`);
