/**
 * Measures the cost of the appliance beyond the unavoidable work. Prints each row as it is measured and writes dist/bench.json.
 * A part that fails is named at the end with its reason; the exit code is 1 then.
 * `--full` measures longer, `--short` only as long as it takes to see that a part works. `--scans <n>` is the number of scans of the parts memory and soak.
 * `--only <names>` runs only the named parts, as in `--only api,queue`; an unknown name lists them all. The parts of the fleet, retention and soak run only
 * if they are named. For the part fleet, `--workers <n>`, `--worker-slots <n>` and `--gather-ms <n>` set the simulated workers.
 */
import { mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchApi } from "./api.ts";
import { stopLeftChildren } from "./child.ts";
import { benchExports } from "./exports.ts";
import { benchFleet } from "./fleet.ts";
import { benchFleetScaling } from "./fleet-scaling.ts";
import { benchFleetSoak } from "./fleet-soak.ts";
import { benchMetrics } from "./metrics.ts";
import { benchPages } from "./pages.ts";
import { benchPreloadList } from "./preload-list.ts";
import { benchMemory, benchStart } from "./process.ts";
import { benchProof } from "./proof.ts";
import { benchQueue } from "./queue.ts";
import { benchRetention } from "./retention.ts";
import { type BenchParts, exitCodeOf, runParts, selectedParts } from "./runner.ts";
import { benchScan } from "./scan.ts";
import { benchSites } from "./sites.ts";
import { benchSlots } from "./slots.ts";
import { benchSoak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    scans: { type: "string" },
    only: { type: "string" },
    workers: { type: "string", default: "1" },
    "worker-slots": { type: "string", default: "32" },
    "gather-ms": { type: "string", default: "0" },
  },
});
const { full, short } = values;
const times = (usual: number, many: number) => (short ? 1 : full ? many : usual);
const scans = (fallback: number) => Number(values.scans ?? fallback);
/** About 25 minutes on 2 cores. */
const soakScans = 5_000;
/** About 20 minutes on 2 cores. */
const fleetSoakScans = 2_000;
/** About 2 minutes on 2 cores. */
const fleetScans = 2_000;

const parts: BenchParts = {
  api: () => benchApi({ rounds: times(7, 15) }),
  exports: () => benchExports({ rounds: times(31, 101) }),
  metrics: () => benchMetrics({ rounds: times(101, 301) }),
  pages: () => benchPages({ rounds: times(5, 15) }),
  preload: () => benchPreloadList({ rounds: times(9, 31) }),
  proof: () => benchProof({ rounds: times(5, 15), pages: short ? 2 : 25 }),
  queue: () => benchQueue({ rounds: times(31, 101) }),
  retention: () => benchRetention(),
  scan: () => benchScan({ pairs: times(20, 100) }),
  sites: () => benchSites({ rounds: times(5, 15) }),
  slots: () => benchSlots({ starts: times(9, 31), rounds: times(3, 7), short }),
  start: () => benchStart({ starts: times(9, 31) }),
  memory: () => benchMemory({ scans: scans(times(50, 500)) }),
  soak: () => benchSoak({ scans: scans(soakScans) }),
  fleet: () =>
    benchFleet({
      scans: scans(fleetScans),
      workers: Number(values.workers),
      slots: Number(values["worker-slots"]),
      gatherMs: Number(values["gather-ms"]),
      pairs: times(15, 50),
    }),
  "fleet-scaling": () => benchFleetScaling({ workers: [1, 2, 4, 8] }),
  "fleet-soak": () => benchFleetSoak({ scans: scans(fleetSoakScans) }),
};
/** These parts take long, and the parts of the fleet need nats-server. */
const onlyIfNamed = ["soak", "retention", "fleet", "fleet-scaling", "fleet-soak"];
const selected = selectedParts(parts, values.only, onlyIfNamed);

const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, bun: Bun.version };
console.log(`${machine.cpu}, ${machine.cores} cores, bun ${machine.bun}\n`);
const result = await runParts(parts, selected, { print: console.log, note: console.error, cleanUp: stopLeftChildren });
// reads: dist/
const dist = join(import.meta.dirname, "../../dist");
mkdirSync(dist, { recursive: true });
await Bun.write(join(dist, "bench.json"), `${JSON.stringify({ takenAt: new Date().toISOString(), machine, ...result }, null, 2)}\n`);
// A failed part may have left what keeps the process alive.
process.exit(exitCodeOf(result));
