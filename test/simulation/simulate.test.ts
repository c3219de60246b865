/** The simulator itself: it plays the same again, finds a broken law, and cuts its trace shorter. */
import { describe, expect, test } from "vitest";
import { law } from "./law.ts";
import { laws } from "./laws.ts";
import { planOf } from "./plan.ts";
import { withoutProtection } from "./planted.ts";
import { protections } from "./protections.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import { traceOf } from "./trace.ts";

/** A law that no world keeps: an operator may cancel a scan. */
const nobodyCancels = law(function nobodyCancels({ told }) {
  return told.cancelled.size > 0 ? `${told.cancelled.size} scans are cancelled` : null;
});
const playMsMax = 60_000;

/** The first seed that breaks the law. */
async function brokenPlan() {
  for (let seed = 1; ; seed++) {
    const plan = planOf(seed);
    const simulated = await simulate(plan, [nobodyCancels]);
    if (simulated.breach !== null) return { plan, simulated: { ...simulated, breach: simulated.breach } };
  }
}

describe("the simulator", () => {
  test(
    "plays the same for the same seed",
    async () => {
      const [one, other] = [await simulate(planOf(3)), await simulate(planOf(3))];
      expect(traceOf(one)).toBe(traceOf(other));
      expect(one.logged).toEqual(other.logged);
      expect(one.events).toBe(other.events);
    },
    playMsMax,
  );

  test(
    "finds a broken law and cuts its trace down to what breaks it",
    async () => {
      const { plan, simulated } = await brokenPlan();
      const shortest = await shrink(plan, simulated, [nobodyCancels]);
      expect(shortest.simulated.breach.law).toBe("nobodyCancels");
      const { steps } = shortest.plan;
      expect(steps.length).toBeLessThan(plan.steps.length / 5);
      // No step can be left out: each is a reason of the breach.
      for (const at of steps.keys()) {
        const { breach } = await simulate({ ...shortest.plan, steps: steps.toSpliced(at, 1) }, [nobodyCancels]);
        expect([steps[at]?.do, breach]).toEqual([steps[at]?.do, null]);
      }
      expect((await simulate(shortest.plan, [nobodyCancels])).breach).toEqual(shortest.simulated.breach);
    },
    playMsMax,
  );

  test("has a protection to take out for each law, whose line is there once", () => {
    expect(new Set(protections.map((one) => one.law))).toEqual(new Set(laws.map(({ name }) => name)));
    for (const one of protections) expect(withoutProtection(one)).not.toContain(one.line);
  });
});
