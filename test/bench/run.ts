/**
 * Measures the cost of the appliance beyond the unavoidable work. Prints a table and writes dist/bench.json.
 * `--full` measures longer. `--scans <n>` is the number of scans of the parts memory and soak.
 * `--only <names>` runs only the named parts, as in `--only api,queue`; an unknown name lists them all. Those of the fleet, retention and soak run only
 * if they are named. Of the part fleet, `--workers <n>`, `--worker-slots <n>` and `--gather-ms <n>` set the simulated workers.
 */
import { mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchApi } from "./api.ts";
import { benchExports } from "./exports.ts";
import { benchFleet } from "./fleet.ts";
import { benchFleetScaling } from "./fleet-scaling.ts";
import { benchFleetSoak } from "./fleet-soak.ts";
import { benchMetrics } from "./metrics.ts";
import { benchPages } from "./pages.ts";
import { benchPreloadList } from "./preload-list.ts";
import { benchMemory, benchStart } from "./process.ts";
import { benchQueue } from "./queue.ts";
import { type Row, tableOf } from "./report.ts";
import { benchRetention } from "./retention.ts";
import { benchScan } from "./scan.ts";
import { benchSites } from "./sites.ts";
import { benchSlots } from "./slots.ts";
import { benchSoak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    scans: { type: "string" },
    only: { type: "string" },
    workers: { type: "string", default: "1" },
    "worker-slots": { type: "string", default: "32" },
    "gather-ms": { type: "string", default: "0" },
  },
});
const { full } = values;
const scans = (fallback: number) => Number(values.scans ?? fallback);
/** About 25 minutes on 2 cores. */
const soakScans = 5_000;
/** About 20 minutes on 2 cores. */
const fleetSoakScans = 2_000;
/** About 2 minutes on 2 cores. */
const fleetScans = 2_000;

const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  api: () => benchApi({ rounds: full ? 15 : 7 }),
  exports: () => Promise.resolve(benchExports({ rounds: full ? 101 : 31 })),
  metrics: () => benchMetrics({ rounds: full ? 301 : 101 }),
  pages: () => benchPages({ rounds: full ? 15 : 5 }),
  preload: () => Promise.resolve(benchPreloadList({ rounds: full ? 31 : 9 })),
  queue: () => benchQueue({ rounds: full ? 101 : 31 }),
  retention: () => benchRetention(),
  scan: () => benchScan({ pairs: full ? 100 : 20 }),
  sites: () => benchSites({ rounds: full ? 15 : 5 }),
  slots: () => benchSlots({ starts: full ? 31 : 9, rounds: full ? 7 : 3 }),
  start: () => benchStart({ starts: full ? 31 : 9 }),
  memory: () => benchMemory({ scans: scans(full ? 500 : 50) }),
  soak: () => benchSoak({ scans: scans(soakScans) }),
  fleet: () =>
    benchFleet({
      scans: scans(fleetScans),
      workers: Number(values.workers),
      slots: Number(values["worker-slots"]),
      gatherMs: Number(values["gather-ms"]),
      pairs: full ? 50 : 15,
    }),
  "fleet-scaling": () => benchFleetScaling({ workers: [1, 2, 4, 8] }),
  "fleet-soak": () => benchFleetSoak({ scans: scans(fleetSoakScans) }),
};
/** They take long, and those of the fleet need nats-server. */
const onlyIfNamed = ["soak", "retention", "fleet", "fleet-scaling", "fleet-soak"];
const selected = values.only?.split(",") ?? Object.keys(parts).filter((name) => !onlyIfNamed.includes(name));

const rows: Row[] = [];
for (const name of selected) {
  const part = parts[name];
  if (part === undefined) throw new Error(`there is no part "${name}"; choose from ${Object.keys(parts).join(", ")}`);
  process.stderr.write(`${name} ...\n`);
  rows.push(...(await part()));
}

const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, bun: Bun.version };
console.log(`${machine.cpu}, ${machine.cores} cores, bun ${machine.bun}\n\n${tableOf(rows)}`);
// reads: dist/
const dist = join(import.meta.dirname, "../../dist");
mkdirSync(dist, { recursive: true });
await Bun.write(join(dist, "bench.json"), `${JSON.stringify({ takenAt: new Date().toISOString(), machine, rows }, null, 2)}\n`);
process.exit(0);
