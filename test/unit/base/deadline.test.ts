/** Limits end what they limit, obey their parents, and hold on to nothing afterwards. */
import { describe, expect, test } from "vitest";
import { withDeadline, within } from "../../../src/base/deadline.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });

describe("withDeadline", () => {
  test("gives what the action gives", async () => {
    expect(await withDeadline(10_000, [], async (signal) => signal.aborted)).toBe(false);
  });

  test("passes the action's error on", async () => {
    await expect(withDeadline(10_000, [undefined], () => Promise.reject(new Error("no luck")))).rejects.toThrow("no luck");
  });

  test("aborts when the time is over", async () => {
    expect(await withDeadline(5, [], untilAborted)).toBe("aborted");
  });

  test("aborts with a parent, also with one that was aborted before", async () => {
    const parent = new AbortController();
    setTimeout(() => parent.abort(), 5);
    expect(await withDeadline(10_000, [undefined, parent.signal], untilAborted)).toBe("aborted");
    expect(await withDeadline(10_000, [parent.signal], untilAborted)).toBe("aborted");
  });

  test("is deaf to its parent once the action is over", async () => {
    const parent = new AbortController();
    let kept: AbortSignal | undefined;
    await withDeadline(10_000, [parent.signal], async (signal) => {
      kept = signal;
    });
    parent.abort();
    expect(kept?.aborted).toBe(false);
  });
});

describe("within", () => {
  test("gives the promise's value in time", async () => {
    expect(await within(10_000, Promise.resolve("value"), "late")).toBe("value");
  });

  test("gives the other value when it takes longer", async () => {
    expect(await within(5, new Promise(() => {}), "late")).toBe("late");
  });
});
