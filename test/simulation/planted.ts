/** Takes the protections out of a copy of the tree, one at a time, and says which seed notices it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { copyTree } from "../../build/mutate/tree-copy.ts";
import { root } from "../support/source-tree.ts";
import { type Protection, protections } from "./protections.ts";

export interface Planted extends Protection {
  /** Null if no seed has broken the law. */
  readonly found: { readonly seed: number; readonly events: number } | null;
}

/** Text of the file without the line. @throws Error unless the line occurs once */
export function withoutProtection({ file, line, instead }: Protection, tree = root): string {
  const text = readFileSync(join(tree, file), "utf8");
  if (text.split(line).length !== 2) throw new Error(`${file} has no single line: ${line}`);
  return text.replace(line, () => instead);
}

/** Plays at most so many seeds without each protection. `isChosen` leaves out some. */
export async function plantAll(
  seeds: number,
  isChosen: (protection: Protection) => boolean,
  onEnd: (planted: Planted) => void,
): Promise<void> {
  const copy = copyTree(root);
  try {
    for (const protection of protections.filter(isChosen)) {
      const output = await copy.withText(protection.file, withoutProtection(protection), async () => {
        const command = [process.execPath, "test/simulation/run.ts", "--seeds", String(seeds), "--as-is", "--check", protection.law];
        const { stdout, stderr } = Bun.spawnSync(command, { cwd: copy.folder });
        return `${stdout}${stderr}`;
      });
      const [, seed, events] = /Seed (\d+) breaks the law \w+ after (\d+) events/.exec(output) ?? [];
      const isBroken = seed === undefined && !/simulated days/.test(output);
      if (isBroken) throw new Error(`the copy without "${protection.about}" does not run: ${output.slice(-500)}`);
      onEnd({ ...protection, found: seed === undefined ? null : { seed: Number(seed), events: Number(events) } });
    }
  } finally {
    copy.remove();
  }
}
