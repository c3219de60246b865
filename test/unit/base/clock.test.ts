/** Time limits abort, follow their parents, and release their listeners. */
import { describe, expect, test } from "vitest";
import { systemClock, withDeadline, within } from "../../../src/base/clock.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });

describe("withDeadline", () => {
  test("returns the result of the action", async () => {
    expect(await withDeadline(systemClock, 10_000, [], async (signal) => signal.aborted)).toBe(false);
  });

  test("rethrows the action's error", async () => {
    await expect(withDeadline(systemClock, 10_000, [undefined], () => Promise.reject(new Error("no luck")))).rejects.toThrow("no luck");
  });

  test("aborts after the limit", async () => {
    expect(await withDeadline(systemClock, 5, [], untilAborted)).toBe("aborted");
  });

  test("aborts with a parent, even one that was aborted before", async () => {
    const parent = new AbortController();
    setTimeout(() => parent.abort(), 5);
    expect(await withDeadline(systemClock, 10_000, [undefined, parent.signal], untilAborted)).toBe("aborted");
    expect(await withDeadline(systemClock, 10_000, [parent.signal], untilAborted)).toBe("aborted");
  });

  test("ignores its parent after the action", async () => {
    const parent = new AbortController();
    let kept: AbortSignal | undefined;
    await withDeadline(systemClock, 10_000, [parent.signal], async (signal) => {
      kept = signal;
    });
    parent.abort();
    expect(kept?.aborted).toBe(false);
  });
});

describe("within", () => {
  test("returns the promise's value within the limit", async () => {
    expect(await within(systemClock, 10_000, Promise.resolve("value"), "late")).toBe("value");
  });

  test("returns the fallback after the limit", async () => {
    expect(await within(systemClock, 5, new Promise(() => {}), "late")).toBe("late");
  });
});
