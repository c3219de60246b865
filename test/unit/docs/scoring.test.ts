/** What docs/scoring.md says in tables, held to the code: ranks and bands, caps, missing protections, calibration and worked examples. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { standing } from "../../../src/judge/result.ts";
import { scoreOf } from "../../../src/judge/score.ts";
import { flawlessSite } from "../judge/site-laws/any-site.ts";
import { calibrationSites } from "../judge/site-laws/calibration.ts";
import type { Site } from "../judge/site-laws/site.ts";
import { judgedSite } from "../judge/site-laws/site-law.ts";

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

test.each<[string, Partial<Site["tls"]>, number]>([
  ["no fault", {}, 100],
  ["a leaf signed with SHA-1", { signatureHash: "sha1" }, 20],
  ["suites without encryption beside good ones", { weakKinds: ["null"] }, 79],
  ["suites without certificate beside good ones", { weakKinds: ["anonymous"] }, 79],
  ["RC4 beside good suites, which has no cap", { weakKinds: ["rc4"] }, 96],
])("TLS with %s", (_words, tls, score) => {
  expect(judgedSite({ ...flawlessSite, tls: { ...flawlessSite.tls, ...tls } }).score).toBe(score);
});

test("the table of weights covers 0 to 10 without a gap", () => {
  const ranges = tableOf("weight", "meaning", "example").map(([weight = ""]) => numbersIn(weight));
  const weights = ranges.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  expect(weights.sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

/** The most that a violation of the check charges. */
function chargeMaxOf(key: string): number {
  const check = builtInChecks.find((one) => one.key === key);
  if (check === undefined) throw new Error(`no check ${key}`);
  return Math.max(...Object.values(check.findings).map(({ weight }) => weight ?? check.weight));
}

describe("missing protections", () => {
  const rows = tableOf("while this finding exists", "it charges", "these checks do not apply", "they charge at most");
  const definitions = new Map(builtInChecks.flatMap((check) => Object.entries(check.findings)));

  test.each(rows.map(([code = "", ...cells]) => [code.replaceAll("`", ""), cells] as const))("%s", (code, [charged, keys = "", most]) => {
    const together = keys.split(", ").reduce((sum, key) => sum + chargeMaxOf(key), 0);
    expect([definitions.get(code as `security.${string}.${string}`)?.weight, together]).toEqual([Number(charged), Number(most)]);
    expect(Number(charged)).toBeGreaterThanOrEqual(together);
  });

  test("a policy that restricts little leaves room for the rows that still judge it", () => {
    const rowsOf = (keys: readonly string[]) => keys.reduce((sum, key) => sum + chargeMaxOf(key), 0);
    const weightOf = (code: `security.${string}.${string}`) => definitions.get(code)?.weight ?? 0;
    const missing = weightOf("security.missing-header.content-security-policy");
    const [idle, withoutScripts] = [weightOf("security.csp.no-effective-directive"), weightOf("security.csp.script-src-missing")];
    expect(idle + rowsOf(["csp-syntax", "csp-meta-delivery"])).toBeLessThanOrEqual(missing);
    const others = ["csp-object-src", "csp-form-action", "csp-style-inline", "csp-insecure-sources", "csp-syntax", "csp-meta-delivery"];
    expect(withoutScripts + rowsOf(others)).toBeLessThanOrEqual(missing);
  });
});

describe("calibration", () => {
  const rows = tableOf("site", "target", "score");

  test("names every site", () => {
    expect(rows.map(([name]) => name)).toEqual(calibrationSites.map(({ name }) => name));
  });

  test.each(calibrationSites.map((one, at) => [one.name, one, rows[at] ?? []] as const))(
    "%s",
    (_name, { site, target: [min, max] }, [, target, score]) => {
      const result = judgedSite(site);
      expect([target, score]).toEqual([targetText(min, max), String(result.score)]);
      expect(result.score).toBeGreaterThanOrEqual(min);
      expect(result.score).toBeLessThanOrEqual(max);
    },
  );
});

function targetText(min: number, max: number): string {
  if (min === max) return String(min);
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

describe("worked examples", () => {
  const examples = tableOf("example", "charges", "unread weights", "caps", "score", "rank", "band");

  test("there are some", () => expect(examples.length).toBeGreaterThan(3));

  test.each(examples.map((cells) => [cells[0] ?? "", cells] as const))(
    "%s",
    (_words, [, charges = "", unread = "", caps = "", ...told]) => {
      const rows = [
        { state: "passed", weight: 100 } as const,
        ...numbersIn(charges).map((charged) => ({ state: "violated", weight: 1, charged }) as const),
        ...numbersIn(unread).map((weight) => ({ state: "notChecked", weight }) as const),
      ];
      const score = scoreOf(rows, numbersIn(caps), true);
      const { rank, band } = standing(score);
      expect([String(score), rank, band] as string[]).toEqual(told);
    },
  );
});
