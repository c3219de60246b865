/**
 * Measures the cost of the appliance beyond the unavoidable work. Prints a table and writes dist/bench.json.
 * `--full` measures longer. `--scans <n>` is the number of scans before memory is read.
 * `--only <names>` runs only the named parts (api, pages, preload, queue, scan, start, memory).
 */
import { mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchApi } from "./api.ts";
import { benchPages } from "./pages.ts";
import { benchPreloadList } from "./preload-list.ts";
import { benchMemory, benchStart } from "./process.ts";
import { benchQueue } from "./queue.ts";
import { type Row, tableOf } from "./report.ts";
import { benchScan } from "./scan.ts";

const { values } = parseArgs({
  options: { full: { type: "boolean", default: false }, scans: { type: "string" }, only: { type: "string" } },
});
const { full } = values;
const scans = Number(values.scans ?? (full ? 500 : 50));

const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  api: () => benchApi({ rounds: full ? 15 : 7 }),
  pages: () => benchPages({ rounds: full ? 15 : 5 }),
  preload: () => Promise.resolve(benchPreloadList({ rounds: full ? 31 : 9 })),
  queue: () => benchQueue({ rounds: full ? 101 : 31 }),
  scan: () => benchScan({ pairs: full ? 100 : 20 }),
  start: () => benchStart({ starts: full ? 31 : 9 }),
  memory: () => benchMemory({ scans }),
};
const selected = values.only?.split(",") ?? Object.keys(parts);

const rows: Row[] = [];
for (const name of selected) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part "${name}"; choose from ${Object.keys(parts).join(", ")}`);
  process.stderr.write(`${name} ...\n`);
  rows.push(...(await part()));
}

const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, bun: Bun.version };
console.log(`${machine.cpu}, ${machine.cores} cores, bun ${machine.bun}\n\n${tableOf(rows)}`);
const dist = join(import.meta.dirname, "../../dist");
mkdirSync(dist, { recursive: true });
await Bun.write(join(dist, "bench.json"), `${JSON.stringify({ takenAt: new Date().toISOString(), machine, rows }, null, 2)}\n`);
process.exit(0);
