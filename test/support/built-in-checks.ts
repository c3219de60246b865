/** All built-in checks by file, without closing the registry as the catalog does. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AnyCheck } from "../../src/check/registry.ts";

// reaches: checks/
const folder = join(import.meta.dirname, "../../checks");
const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && name !== "index.ts");

/** Sorted by key. */
export const builtInChecks: readonly AnyCheck[] = await Promise.all(
  files.sort().map(async (name) => (await import(join(folder, name))).default),
);
