/** What docs/scoring.md says in tables, held to the code: the ranks and bands, the caps, and the worked examples. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { standing } from "../../../src/judge/rank.ts";
import { scoreOf } from "../../../src/judge/score.ts";
import { builtInChecks } from "../../support/built-in-checks.ts";

const lines = readFileSync(resolve(import.meta.dirname, "../../../docs/scoring.md"), "utf8").split("\n");

/** Cells of the rows below that head. @throws Error when there is no such table. */
function tableOf(...head: readonly string[]): readonly (readonly string[])[] {
  const headAt = lines.indexOf(`| ${head.join(" | ")} |`);
  if (headAt < 0) throw new Error(`docs/scoring.md has no table of ${head.join(", ")}`);
  const below = lines.slice(headAt + 2);
  const end = below.findIndex((line) => !line.startsWith("|"));
  const cellsOf = (line: string) => line.split("|").slice(1, -1);
  return below.slice(0, end < 0 ? undefined : end).map((line) => cellsOf(line).map((cell) => cell.trim()));
}

const numbersIn = (cell: string): readonly number[] => (cell.match(/\d+/g) ?? []).map(Number);

test("the table of scores, ranks and bands is the code's", () => {
  const told = tableOf("score", "rank", "band").flatMap(([range = "", rank, band]) => {
    const [from = 0, to = 0] = numbersIn(range);
    return Array.from({ length: to - from + 1 }, (_, at) => [from + at, { rank, band }] as const);
  });
  expect(told.length).toBe(101);
  for (const [score, place] of told) expect([score, standing(score)]).toEqual([score, place as ReturnType<typeof standing>]);
});

test("the table of caps names every cap that a finding has", () => {
  const documented = tableOf("at most", "while one of these findings exists").map(([cap]) => Number(cap));
  const used = builtInChecks.flatMap(({ findings }) => Object.values(findings).flatMap(({ scoreCap }) => scoreCap ?? []));
  expect([...new Set(used)].sort()).toEqual(documented.sort());
});

test("the table of weights covers 1 to 10 without a gap", () => {
  const ranges = tableOf("weight", "meaning", "example").map(([weight = ""]) => numbersIn(weight));
  const weights = ranges.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  expect(weights.sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

describe("worked examples", () => {
  const examples = tableOf("example", "passed weights", "violated weights", "caps", "score", "rank", "band");

  test("there are some", () => expect(examples.length).toBeGreaterThan(3));

  test.each(examples.map((cells) => [cells[0] ?? "", cells] as const))(
    "%s",
    (_words, [, passed = "", violated = "", caps = "", ...told]) => {
      const rows = [
        ...numbersIn(passed).map((weight) => ({ state: "passed", weight }) as const),
        ...numbersIn(violated).map((weight) => ({ state: "violated", weight }) as const),
      ];
      const score = scoreOf(rows, numbersIn(caps), true);
      const { rank, band } = standing(score);
      expect([String(score), rank, band] as string[]).toEqual(told);
    },
  );
});
