/** Keyed semaphore: concurrency limit, first in first out, bounded queue. */
import { expect, test } from "vitest";
import { createKeyedSemaphore } from "../../../src/accounts/passwords.ts";

test("limits concurrency, queues in order, and refuses when the queue is full", async () => {
  const semaphore = createKeyedSemaphore({ concurrencyMax: 2, queueMax: 3, queuePerKeyMax: 3 });
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      semaphore("one", async () => {
        running += 1;
        most = Math.max(most, running);
        order.push(number);
        await Bun.sleep(5);
        running -= 1;
        return number;
      }),
    ),
  );
  expect(outcomes).toEqual([0, 1, 2, 3, 4, "busy", "busy", "busy"]);
  expect([most, order]).toEqual([2, [0, 1, 2, 3, 4]]);
});

test("failed work releases its permit", async () => {
  const semaphore = createKeyedSemaphore({ concurrencyMax: 1, queueMax: 1, queuePerKeyMax: 1 });
  const failing = semaphore("one", () => Promise.reject(new Error("no luck")));
  const next = semaphore("one", async () => "fine");
  await expect(failing).rejects.toThrow("no luck");
  expect(await next).toBe("fine");
  expect(await semaphore("one", async () => "again")).toBe("again");
});

test("a flood of one key does not block other keys", async () => {
  const semaphore = createKeyedSemaphore({ concurrencyMax: 1, queueMax: 4, queuePerKeyMax: 2 });
  const keys = ["flood", "flood", "flood", "flood", "one", "other", "third"];
  const outcomes = await Promise.all(keys.map((key) => semaphore(key, async () => key)));
  expect(outcomes).toEqual(["flood", "flood", "flood", "busy", "one", "other", "busy"]);
  expect(await semaphore("flood", async () => "again")).toBe("again");
});
