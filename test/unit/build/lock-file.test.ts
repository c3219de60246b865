/** The lock file: complete on every platform, which `npm ci` demands, and without the address of a registry. */
import { expect, test } from "vitest";
import { lockFile } from "../../../build/bundled.ts";

/** Whether Node's resolution finds the package from the folder of an entry, as in `node_modules/a/node_modules/b`. */
function isLocked(name: string, from: string): boolean {
  if (`${from === "" ? "" : `${from}/`}node_modules/${name}` in lockFile.packages) return true;
  return from !== "" && isLocked(name, from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1)));
}

test("every dependency has an entry, also those of other platforms", () => {
  const missing = Object.entries(lockFile.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(name, path))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

test("every package is locked by its hash, and none by an address", () => {
  const packages = Object.entries(lockFile.packages).filter(([path]) => path !== "");
  expect(packages.filter(([, { integrity }]) => !/^sha512-/.test(integrity)).map(([path]) => path)).toEqual([]);
  expect(packages.filter(([, entry]) => "resolved" in entry).map(([path]) => path)).toEqual([]);
});
