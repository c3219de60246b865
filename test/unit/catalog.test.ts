/** The complete catalog: its size, both languages, a test for every finding, and the landmarks replayed from their evidence. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInCatalog } from "../../src/catalog/catalog.ts";
import { areaOf, areas, locales, type State } from "../../src/check/check.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import {
  type Landmark,
  type LandmarkName,
  landmarkFile,
  landmarkNames,
  notesOfSoundSite,
  notPassedBySoundSite,
  violatedElsewhere,
  violatedNowhere,
} from "../lab/landmarks.ts";
import { landmarkKeys } from "../support/finished-scans.ts";

// reads: checks/, docs/, test/unit/checks/, README.md
const catalog = builtInCatalog();
const keys = catalog.checks.map(({ key }) => key);

function landmark(name: LandmarkName): Landmark {
  return JSON.parse(readFileSync(landmarkFile(name), "utf8"));
}

function sourceOf(key: string): string {
  return readFileSync(join(import.meta.dirname, "../../checks", `${key}.ts`), "utf8");
}

function keysIn(result: StoredResult, state: State): readonly string[] {
  return result.ledger.filter((row) => row.state === state).map(({ key }) => key);
}

describe("the catalog", () => {
  test("has every file of checks/ and nothing else", () => {
    const files = readdirSync(join(import.meta.dirname, "../../checks")).filter((name) => name !== "index.ts");
    expect(catalog.pluginFiles).toEqual({});
    expect(keys).toEqual(files.map((name) => name.replace(/\.ts$/, "")).sort());
  });

  test("is not counted in any document: the number would be one more place to edit", () => {
    const docs = readdirSync(join(import.meta.dirname, "../../docs"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".md"),
    );
    const texts = ["README.md", ...docs.map((name) => `docs/${name}`)].map((name) =>
      readFileSync(join(import.meta.dirname, "../..", name), "utf8"),
    );
    expect(texts.join("\n")).not.toMatch(new RegExp(`\\b${keys.length} (built-in )?(checks|rows)\\b`));
  });

  test.each([...locales])("has texts in %s for every check and finding", (locale) => {
    const actual = Object.entries(catalog.texts[locale]).map(([key, { findings }]) => [key, Object.keys(findings).sort()]);
    const declared = catalog.checks.map(({ key, findings }) => [key, Object.keys(findings).sort()]);
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(declared));
  });

  test("has an area for every check, and uses every area", () => {
    const taken = new Set(catalog.checks.map(areaOf));
    expect([...taken].sort()).toEqual(areas.filter((area) => area !== "own").sort());
  });

  test.each([...locales])("explains in %s how every check is measured and when it does not apply", (locale) => {
    const unexplained = catalog.checks.filter(({ key, appliesTo = [] }) => {
      const { method, notApplicable } = catalog.texts[locale][key] ?? {};
      const mayNotApply = appliesTo.length > 0 || /\bnotApplicable\(\)|\bverdictOn(?:Csp|Cookies)\(/.test(sourceOf(key));
      return method === undefined || (notApplicable !== undefined) !== mayNotApply;
    });
    expect(unexplained.map(({ key }) => key)).toEqual([]);
  });

  test("has a table test for every check", () => {
    const untested = keys.filter((key) => {
      const source = readFileSync(join(import.meta.dirname, `checks/${key}.test.ts`), "utf8");
      return !source.includes(`import check from "../../../checks/${key}.ts";`) || !/^testCheck\(check, \{$/m.test(source);
    });
    // The table's type requires a case for every declared finding, and each case must cause its finding.
    expect(untested).toEqual([]);
  });
});

describe("replayed landmarks", () => {
  test.each([...landmarkNames])("%s has the same result as when it was captured", (name) => {
    const { evidence, result } = landmark(name);
    const rows = catalog.checks.filter(({ key }) => landmarkKeys.includes(key));
    const { result: replayed, faults } = performJudge({ evidence, hung: [] }, { ...catalog, checks: rows }, () => {});
    expect(faults).toEqual([]);
    // Findings declared later and absent here change only the catalog's version.
    expect({ ...replayed, catalogVersion: result.catalogVersion }).toEqual(result);
  });

  test("sound-site scores 100 and passes every check, except for listed reasons", () => {
    const { result } = landmark("sound-site");
    expect(keysIn(result, "passed")).toEqual(landmarkKeys.filter((key) => !(key in notPassedBySoundSite) && !(key in notesOfSoundSite)));
    expect(keysIn(result, "notApplicable")).toEqual(Object.keys(notPassedBySoundSite).sort());
    expect(keysIn(result, "violated")).toEqual(Object.keys(notesOfSoundSite));
    expect(result).toMatchObject({ score: 100, band: "good" });
  });

  test("bare-site is poor and violates every check that its setup allows", () => {
    const { result } = landmark("bare-site");
    expect(result.band).toBe("poor");
    const shutOut = [...Object.keys(violatedElsewhere), ...violatedNowhere].sort();
    expect(landmarkKeys.filter((key) => !keysIn(result, "violated").includes(key))).toEqual(shutOut);
  });

  test.each(Object.entries(violatedElsewhere))("checks that bare-site cannot violate are violated elsewhere: %s by %s", (key, name) => {
    expect(keysIn(landmark(name).result, "violated")).toContain(key);
  });

  test("contain no secret of a site", () => {
    const kept = landmarkNames.map((name) => readFileSync(landmarkFile(name), "utf8")).join("");
    expect(kept).not.toMatch(/0123456789abcdef|BEGIN [A-Z ]*PRIVATE KEY/);
  });
});
