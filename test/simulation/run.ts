/** `npm run simulate -- --seeds N --seed S`: plays N days from seed S on, and prints the first one that breaks a law. */
import { parseArgs } from "node:util";
import { dayMs } from "../../src/base/units.ts";
import { planOf } from "./plan.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "1" }, seed: { type: "string", default: "1" }, trace: { type: "boolean" } },
});
const first = Number(values.seed);
let [events, simulatedMs] = [0, 0];
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const simulated = await simulate(planOf(seed));
  events += simulated.events;
  simulatedMs += simulated.simulatedMs;
  if (values.trace) for (const { atMs, text } of simulated.trace) console.log((atMs / 1000).toFixed(3), text);
  if (simulated.breach !== null) console.log(seed, simulated.breach);
}
console.log(`${events} events, ${(simulatedMs / dayMs).toFixed(1)} days, ${(process.cpuUsage().user / 1e6).toFixed(1)} CPU s`);
