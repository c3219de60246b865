/** Percentage within a stage and elapsed time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { elapsedText, movingPercent } from "../../../src/web/client/progress-texts.ts";

describe("movingPercent", () => {
  const stage = { percent: 20, towards: 70, usualMs: 10_000 };

  test("shows four fifths of the stage at its usual time", () => {
    expect(movingPercent({ ...stage, sinceMs: 0 })).toBe(20);
    expect(movingPercent({ ...stage, sinceMs: 10_000 })).toBeCloseTo(20 + 49 * 0.8);
  });

  test("stands still without a usual time, and at a percentage beyond the stage", () => {
    expect(movingPercent({ ...stage, usualMs: null, sinceMs: 5_000 })).toBe(20);
    expect(movingPercent({ percent: 90, towards: 70, usualMs: 10_000, sinceMs: 5_000 })).toBe(90);
  });

  test("never falls and never reaches the next stage", () => {
    const ms = fc.nat({ max: 10_000_000 });
    fc.assert(
      fc.property(fc.nat({ max: 99 }), fc.nat({ max: 100 }), ms, ms, ms, (percent, towards, usualMs, sinceMs, laterMs) => {
        const at = (sinceMs: number) => movingPercent({ percent, towards, usualMs, sinceMs });
        expect(at(sinceMs + laterMs)).toBeGreaterThanOrEqual(at(sinceMs));
        expect(at(sinceMs)).toBeGreaterThanOrEqual(percent);
        if (percent < towards) expect(at(sinceMs)).toBeLessThan(towards);
      }),
    );
  });
});

test.each([
  [0, "en-GB", "0 seconds"],
  [1_999, "en-GB", "1 second"],
  [59_999, "de-DE", "59 Sekunden"],
  [125_000, "en-GB", "2 minutes 5 seconds"],
  [60_000, "de-DE", "1 Minute 0 Sekunden"],
  [-5_000, "en-GB", "0 seconds"],
])("elapsedText(%d, %s): %s", (ms, language, text) => {
  expect(elapsedText(ms, language)).toBe(text);
});
