/** JobQueue: one job at a time, in order, and no more waiting than the limits allow. */
import { describe, expect, test } from "vitest";
import { createJobQueue } from "../../../src/browser/documents.ts";

const longMs = 60_000;

describe("job queue", () => {
  test("are taken one at a time, in the order of the requests, also after a failure", async () => {
    const queue = createJobQueue({ waitingMax: 10, waitMs: longMs });
    const steps: string[] = [];
    const job = (name: string) => async () => {
      steps.push(`${name} begins`);
      await Bun.sleep(1);
      steps.push(`${name} ends`);
      if (name === "b") throw new Error("b failed");
      return name;
    };
    const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => queue.run(job(name))));
    expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await queue.run(job("d"))).toBe("d");
  });

  test("are refused at once when too many wait, and later when the wait is over", async () => {
    const queue = createJobQueue({ waitingMax: 1, waitMs: 20 });
    const first = Promise.withResolvers<string>();
    const taken = queue.run(() => first.promise);
    let began = 0;
    const later = async () => {
      began += 1;
      return "done";
    };
    const waiting = queue.run(later);
    expect(await queue.run(later)).toBe("busy");
    expect(await waiting).toBe("busy");
    // The one that gave up left its place to another.
    const next = queue.run(later);
    first.resolve("first");
    expect([await taken, await next, began]).toEqual(["first", "done", 1]);
  });
});
