/** Pins the scoring rules: a change must raise the version, because scores are comparable only with equal rules. */
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { currentRules, type PinnedRules, pinFile } from "./rules.ts";

const advice = `The rules are not those that were pinned (checks/, src/check, src/judge, src/parse, or a package that they go by).

1. Can the same evidence now get another verdict, another finding or another score? Then raise algorithmVersion in src/judge/result.ts
   by one, unless it was raised already since the last release. A pure rewrite leaves it as it is.
2. Pin what there is now:   bun test/unit/judge/rules.ts --pin
3. Commit test/unit/judge/rules.json with the change, and say in the commit which verdicts can change.
`;

test("the rules match the pinned algorithmVersion", () => {
  const pinned: PinnedRules = JSON.parse(readFileSync(pinFile, "utf8"));
  const now = currentRules();
  const known = { ...now, checks: Object.fromEntries(Object.keys(pinned.checks).map((key) => [key, now.checks[key]])) };
  if (!Bun.deepEquals(known, pinned)) throw new Error(advice);
});
