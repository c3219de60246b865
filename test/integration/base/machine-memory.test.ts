/** Memory limit of a control group, as containers and services have it, read by a process inside it. */
import { totalmem } from "node:os";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { machineMemoryBytes } from "../../../src/base/machine-memory.ts";
import { type MemoryGroup, openMemoryGroup } from "../../support/memory-group.ts";

const limitBytes = 2 * 1_024 ** 3;
const script = `
  import { writeFileSync } from "node:fs";
  writeFileSync(process.argv[1] + "/cgroup.procs", String(process.pid));
  const { machineMemoryBytes } = await import(${JSON.stringify(resolve(import.meta.dirname, "../../../src/base/machine-memory.ts"))});
  const { loadConfig } = await import(${JSON.stringify(resolve(import.meta.dirname, "../../../src/settings/config.ts"))});
  const config = loadConfig({ flags: {}, env: {}, configFile: null });
  console.log(JSON.stringify([machineMemoryBytes(), ...["scan.concurrency", "browser.memory_max", "browser.child_memory_max"].map((key) => config[key])]));
`;

test("is never more than the machine has", () => {
  expect(machineMemoryBytes()).toBeGreaterThan(0);
  expect(machineMemoryBytes()).toBeLessThanOrEqual(totalmem());
});

const group = openMemoryGroup(`assay-memory-${process.pid}`, limitBytes);
const because = typeof group === "string" ? group : null;

test.skipIf(because !== null)(`of a control group counts, and decides the defaults (skipped: ${because ?? "no"})`, async () => {
  const { dir, remove } = group as MemoryGroup;
  const child = Bun.spawn([process.execPath, "-e", script, dir], { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  await child.exited;
  remove();
  // Two slots, each with half of what the program leaves.
  expect(JSON.parse(output)).toEqual([limitBytes, 2, 824, 618]);
});
