/** Registers every check of this folder. In the compiled binary, `build/embed.ts` replaces this file with a static list of imports. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

// reaches: checks/
const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && name !== "index.ts");
await Promise.all(names.map((name) => import(join(import.meta.dirname, name))));
