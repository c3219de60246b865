/** Whether the type check notices a fault that no test has noticed: `npm test` runs it too. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TreeCopy } from "./tree-copy.ts";

/** First error of types in the copy as it is now; null without one, and for a tree without a compiler. */
export async function typeErrorIn({ folder, temporary }: TreeCopy): Promise<string | null> {
  if (!existsSync(join(folder, "node_modules/.bin/tsc"))) return null;
  // Below the packages: each run keeps what it knows of unchanged files there, so that the next one takes a few seconds.
  const known = join(folder, "node_modules/.cache/mutate.tsbuildinfo");
  const command = ["node_modules/.bin/tsc", "-p", ".", "--noEmit", "--incremental", "--tsBuildInfoFile", known];
  const child = Bun.spawn(command, { cwd: folder, env: { ...process.env, TMPDIR: temporary }, stdout: "pipe", stderr: "pipe" });
  const [output, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return code === 0 ? null : (output.split("\n")[0] ?? "");
}
