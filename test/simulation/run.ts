/** `npm run simulate -- --seeds N --seed S`: plays N days from seed S on, and prints the shortest trace of the first that breaks a law. */
import { parseArgs } from "node:util";
import { dayMs } from "../../src/base/units.ts";
import type { Law } from "./law.ts";
import { laws } from "./laws.ts";
import { planOf } from "./plan.ts";
import { plantAll } from "./planted.ts";
import type { Protection } from "./protections.ts";
import { shrink } from "./shrink.ts";
import { type Breach, type Simulated, simulate } from "./simulate.ts";
import { breachLine, commandFor, traceOf } from "./trace.ts";

const usage = `Usage: npm run simulate -- [options]

  --seeds N   days to play; 150 by default
  --seed S    the first seed; 1 by default
  --whole     prints what happened on each day, also without a breach
  --as-is     does not look for a shorter trace
  --log       also prints the last lines of the log of the server
  --check LAW checks this law alone
  --laws      prints the names of the laws
  --without   takes the protections of test/simulation/protections.ts out of a copy of the tree, one at a time, and prints
              which seed notices it; with --check LAW those of one law`;

/** Returns whether every law was kept. */
async function play(
  first: number,
  count: number,
  options: {
    readonly whole?: boolean | undefined;
    readonly asIs?: boolean | undefined;
    readonly log?: boolean | undefined;
    readonly checked: readonly Law[];
  },
): Promise<boolean> {
  let [events, simulatedMs, played] = [0, 0, 0];
  let broken: (Simulated & { readonly breach: Breach }) | null = null;
  for (let seed = first; seed < first + count && broken === null; seed++) {
    const simulated = await simulate(planOf(seed), options.checked);
    [events, simulatedMs, played] = [events + simulated.events, simulatedMs + simulated.simulatedMs, played + 1];
    if (options.whole) console.log(traceOf(simulated));
    const { breach } = simulated;
    if (breach === null) continue;
    broken = { ...simulated, breach };
    const plan = planOf(seed);
    console.log(breachLine(plan, breach));
    if (!options.asIs) {
      const shrunk = await shrink(plan, broken, options.checked);
      console.log(`\nThe shortest trace of ${shrunk.plays} plays, ${shrunk.plan.steps.length} of ${plan.steps.length} steps:\n`);
      console.log(traceOf(shrunk.simulated));
      if (options.log) console.log(shrunk.simulated.logged.join(""));
    }
    console.log(`\n${commandFor(plan)}`);
  }
  const cpuSeconds = (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  console.log(
    `${played} seeds, ${events} events, ${(simulatedMs / dayMs).toFixed(1)} simulated days, ${cpuSeconds.toFixed(1)} CPU seconds`,
  );
  return broken === null;
}

/** A row of a table for each protection. */
async function printPlanted(seeds: number, lawName: string | undefined): Promise<void> {
  console.log("| law | protection that is out | file | seed | events |\n| --- | --- | --- | --- | --- |");
  const isChosen = ({ law }: Protection) => lawName === undefined || law === lawName;
  await plantAll(seeds, isChosen, ({ law, about, file, found }) => {
    console.log(`| ${law} | ${about} | ${file} | ${found?.seed ?? "none"} | ${found?.events ?? ""} |`);
  });
}

/** A whole number of at least 1; null for any other text. */
function countOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "150" },
    seed: { type: "string", default: "1" },
    ...{
      whole: { type: "boolean" },
      "as-is": { type: "boolean" },
      log: { type: "boolean" },
      laws: { type: "boolean" },
      without: { type: "boolean" },
      check: { type: "string" },
      help: { type: "boolean" },
    },
  },
});
const checked = laws.filter(({ name }) => values.check === undefined || name === values.check);
const [count, first] = [countOf(values.seeds), countOf(values.seed)];
if (values.help || count === null || first === null || checked.length === 0) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
} else if (values.laws) console.log(laws.map(({ name }) => name).join("\n"));
else if (values.without) await printPlanted(count, values.check);
else process.exit((await play(first, count, { whole: values.whole, asIs: values["as-is"], log: values.log, checked })) ? 0 : 1);
