/** Table of running browsers in memory that threads share. */
import { expect, test } from "vitest";
import { openProcessTable } from "../../../src/browser/processes.ts";

test("a late removal does not touch the entry of another browser", () => {
  const main = openProcessTable();
  const thread = openProcessTable(main.memory);
  const index = thread.add(100, 1);
  main.markFaulty(index);
  main.remove(index, 100);
  expect(thread.add(200, 2)).toBe(index);
  thread.remove(index, 100);
  expect(main.list()).toEqual([{ index, pid: 200, threadId: 2 }]);
  expect(main.isFaulty(index)).toBe(false);
  main.remove(index, 200);
  expect(main.list()).toEqual([]);
});
