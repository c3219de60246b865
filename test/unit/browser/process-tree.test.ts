/** Shared memory that only the list of open or mapped files shows. */
import { closeSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { sharedMemoryDir } from "../../../src/browser/launch.ts";
import { sharedFilesOf } from "../../../src/browser/processes.ts";

const bytes = 1_024 ** 2;
const path = `${sharedMemoryDir}/assay-test-${process.pid}`;

function createFile(): number {
  writeFileSync(path, new Uint8Array(bytes).fill(1));
  return statSync(path).ino;
}

afterEach(() => rmSync(path, { force: true }));

test("a deleted file that is open counts, a file with a name does not", () => {
  const inode = createFile();
  const fd = openSync(path, "r");
  expect(sharedFilesOf(process.pid).has(inode)).toBe(false);
  rmSync(path);
  expect(sharedFilesOf(process.pid).get(inode)).toBe(bytes);
  closeSync(fd);
  expect(sharedFilesOf(process.pid).has(inode)).toBe(false);
});

test("a deleted file that is mapped counts, even if no page of it was touched", () => {
  const inode = createFile();
  const mapped = Bun.mmap(path, { shared: true });
  rmSync(path);
  expect(sharedFilesOf(process.pid).get(inode)).toBe(bytes);
  expect(mapped.length).toBe(bytes);
});

test("a process that has ended has none", () => {
  const { pid } = Bun.spawnSync(["true"]);
  expect(sharedFilesOf(pid).size).toBe(0);
});
