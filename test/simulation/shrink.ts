/** Cuts a plan that breaks a law shorter, as long as it still breaks the same law. */
import type { Law } from "./law.ts";
import { laws } from "./laws.ts";
import type { Plan, Step } from "./plan.ts";
import { type Breach, type Simulated, simulate } from "./simulate.ts";

/** Plays of one search: each takes a part of a second. */
const playsMax = 250;

export interface Shrunk {
  readonly plan: Plan;
  readonly simulated: Simulated & { readonly breach: Breach };
  readonly plays: number;
}

/**
 * Removes halves of the steps, then quarters, and so on down to single steps, the faults first, until each step that is left is needed. The
 * end comes soon after the breach.
 */
export async function shrink(
  plan: Plan,
  simulated: Simulated & { readonly breach: Breach },
  checked: readonly Law[] = laws,
): Promise<Shrunk> {
  let best = { plan, simulated };
  let plays = 0;
  async function attempt(steps: readonly Step[], lastsMs = best.plan.lastsMs): Promise<boolean> {
    if (plays >= playsMax) return false;
    plays++;
    const shorter = { ...best.plan, steps, lastsMs };
    const { breach, ...rest } = await simulate(shorter, checked);
    if (breach?.law !== best.simulated.breach.law) return false;
    best = { plan: shorter, simulated: { breach, ...rest } };
    return true;
  }
  const { atMs } = simulated.breach;
  await attempt(
    plan.steps.filter((step) => step.atMs <= atMs),
    Math.min(plan.lastsMs, atMs + 1),
  );
  async function removeSteps(size: number): Promise<boolean> {
    let isShorter = false;
    for (let from = best.plan.steps.length - size; from > -size; from -= size) {
      const { steps } = best.plan;
      isShorter = (await attempt(steps.filter((_step, at) => at < Math.max(0, from) || at >= from + size))) || isShorter;
    }
    return isShorter;
  }
  for (let size = Math.ceil(best.plan.steps.length / 2); size > 1; size = Math.ceil(size / 2)) await removeSteps(size);
  // A step may be needless only once another one is gone.
  while (await removeSteps(1));
  const lastMs = best.plan.steps.at(-1)?.atMs ?? 0;
  await attempt(best.plan.steps, Math.max(lastMs + 1, Math.min(best.plan.lastsMs, best.simulated.breach.atMs + 1)));
  return { ...best, plays };
}
