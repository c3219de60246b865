/** The state of the data directory's disk, between a change that failed and the next test write. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createStoreHealth, DataDirError } from "../../../src/store/data-dir.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-health-"));

afterAll(() => rmSync(folder, { recursive: true }));

test("a test write that fails for a reason of its own keeps the fault, and never throws", () => {
  // ENAMETOOLONG stands for every error that says nothing about the disk, such as a lack of file descriptors.
  const health = createStoreHealth(join(folder, "x".repeat(300)), fakeClock());
  health.noteError(new DataDirError("full", "no room"));
  expect(health.diskFault()).toBe("the disk is full");
});

test("the fault ends with a test write that succeeds", () => {
  const clock = fakeClock();
  const health = createStoreHealth(join(folder, "store"), clock);
  expect(health.diskFault()).toBeNull();
  health.noteError(new DataDirError("not-writable", "read-only"));
  expect(health.diskFault()).toBeNull();
  health.noteError(new DataDirError("not-writable", "read-only"));
  expect(health.diskFault()).toBe("the data directory cannot be written");
  clock.advance(5_000);
  expect(health.diskFault()).toBeNull();
});
