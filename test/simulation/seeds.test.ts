/** Days of the server from many seeds: no law may be broken. A failure shows the shortest trace that was found, and the command that repeats it. */
import { expect, test } from "vitest";
import { isFullTest } from "../support/random-runs.ts";
import { planOf } from "./plan.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import { breachLine, commandFor, traceOf } from "./trace.ts";

const seeds = isFullTest ? 1_500 : 150;
/** So many seeds are one case. */
const atOnce = 10;
/** A busy machine takes ten times as long. */
const caseMsMax = 120_000;

test.each(Array.from({ length: seeds / atOnce }, (_none, at) => at * atOnce + 1))(
  `seeds from %d on, ${atOnce} of them`,
  async (first) => {
    for (let seed = first; seed < first + atOnce; seed++) {
      const plan = planOf(seed);
      const simulated = await simulate(plan);
      const { breach } = simulated;
      if (breach === null) continue;
      const shortest = await shrink(plan, { ...simulated, breach });
      expect.unreachable([breachLine(plan, breach), traceOf(shortest.simulated), commandFor(plan)].join("\n\n"));
    }
  },
  caseMsMax,
);
