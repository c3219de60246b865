/** The waiting line: never more at once than allowed, nobody forgotten, and no end of waiting. */
import { expect, test } from "vitest";
import { createKeyedSemaphore } from "../../../src/account/keyed-semaphore.ts";

test("runs so many at once, lets so many wait in order, and turns the rest away", async () => {
  const takeTurn = createKeyedSemaphore({ concurrencyMax: 2, queueMax: 3, queuePerKeyMax: 3 });
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      takeTurn("one", async () => {
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

test("work that fails leaves its place to the next", async () => {
  const takeTurn = createKeyedSemaphore({ concurrencyMax: 1, queueMax: 1, queuePerKeyMax: 1 });
  const failing = takeTurn("one", () => Promise.reject(new Error("no luck")));
  const next = takeTurn("one", async () => "fine");
  await expect(failing).rejects.toThrow("no luck");
  expect(await next).toBe("fine");
  expect(await takeTurn("one", async () => "again")).toBe("again");
});

test("whoever floods it keeps nobody out", async () => {
  const takeTurn = createKeyedSemaphore({ concurrencyMax: 1, queueMax: 4, queuePerKeyMax: 2 });
  const wishes = ["flood", "flood", "flood", "flood", "one", "other", "third"];
  const outcomes = await Promise.all(wishes.map((whose) => takeTurn(whose, async () => whose)));
  expect(outcomes).toEqual(["flood", "flood", "flood", "busy", "one", "other", "busy"]);
  expect(await takeTurn("flood", async () => "again")).toBe("again");
});
