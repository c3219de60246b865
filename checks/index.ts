/** All checks of this folder. In the compiled binary, `build/embed.ts` replaces this file by static imports. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AnyCheck } from "../src/check/registry.ts";

// reaches: checks/

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && name !== "index.ts");
const checks: readonly AnyCheck[] = await Promise.all(files.map(async (name) => (await import(join(import.meta.dirname, name))).default));

export const builtInChecks: readonly AnyCheck[] = checks.toSorted((one, other) => (one.key < other.key ? -1 : 1));
