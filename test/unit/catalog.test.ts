/** Holds the catalog as a whole: its size, both languages, a test for every finding, and the landmarks, replayed from their evidence. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { areaOf, areas, locales, type State } from "../../src/check/check.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import {
  type Landmark,
  type LandmarkName,
  landmarkFile,
  landmarkNames,
  notPassedBySoundSite,
  violatedElsewhere,
  violatedNowhere,
} from "../lab/landmarks.ts";
import { landmarkKeys } from "../support/finished-scans.ts";

const catalog = await loadCatalog({ checksDir: null });
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
    expect(catalog.droppedIn).toEqual({});
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

  test.each([...locales])("speaks %s of every check and finding", (locale) => {
    const told = Object.entries(catalog.texts[locale]).map(([key, { findings }]) => [key, Object.keys(findings).sort()]);
    const declared = catalog.checks.map(({ key, findings }) => [key, Object.keys(findings).sort()]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(declared));
  });

  test("has a place for every check, and all places are taken", () => {
    const taken = new Set(catalog.checks.map(areaOf));
    expect([...taken].sort()).toEqual(areas.filter((area) => area !== "own").sort());
  });

  test.each([...locales])("tells in %s how every check is measured, and of those that may not apply when", (locale) => {
    const silent = catalog.checks.filter(({ key, appliesTo = [] }) => {
      const { method, notApplicable } = catalog.texts[locale][key] ?? {};
      const mayNotApply = appliesTo.length > 0 || /\bnotApplicable\(\)|\bverdictOnCsp\(/.test(sourceOf(key));
      return method === undefined || (notApplicable !== undefined) !== mayNotApply;
    });
    expect(silent.map(({ key }) => key)).toEqual([]);
  });

  test("has a table test for every check", () => {
    const untested = keys.filter((key) => {
      const source = readFileSync(join(import.meta.dirname, `checks/${key}.test.ts`), "utf8");
      return !source.includes(`import check from "../../../checks/${key}.ts";`) || !/^testCheck\(check, \{$/m.test(source);
    });
    // The type of the table demands a case for every declared finding, and each case must call forth its finding.
    expect(untested).toEqual([]);
  });
});

describe("the landmarks, replayed", () => {
  test.each([...landmarkNames])("%s is judged as on the day when it was seen", (name) => {
    const { evidence, result } = landmark(name);
    const rows = catalog.checks.filter(({ key }) => landmarkKeys.includes(key));
    const { result: replayed, faults } = performJudge({ evidence, hung: [] }, { ...catalog, checks: rows }, () => {});
    expect(faults).toEqual([]);
    // Findings that are declared since then and not made here change nothing but the version of the catalog.
    expect({ ...replayed, catalogVersion: result.catalogVersion }).toEqual(result);
  });

  test("sound-site passes everything, or it is told why not, and scores 100", () => {
    const { result } = landmark("sound-site");
    expect(keysIn(result, "passed")).toEqual(landmarkKeys.filter((key) => !(key in notPassedBySoundSite)));
    expect(keysIn(result, "notApplicable")).toEqual(Object.keys(notPassedBySoundSite).sort());
    expect(result).toMatchObject({ score: 100, band: "good", findings: [] });
  });

  test("bare-site is poor, and violates everything that it does not shut out", () => {
    const { result } = landmark("bare-site");
    expect(result.band).toBe("poor");
    const shutOut = [...Object.keys(violatedElsewhere), ...violatedNowhere].sort();
    expect(landmarkKeys.filter((key) => !keysIn(result, "violated").includes(key))).toEqual(shutOut);
  });

  test.each(Object.entries(violatedElsewhere))("what bare-site shuts out is shown elsewhere: %s by %s", (key, name) => {
    expect(keysIn(landmark(name).result, "violated")).toContain(key);
  });

  test("keep no secret that a site was given", () => {
    const kept = landmarkNames.map((name) => readFileSync(landmarkFile(name), "utf8")).join("");
    expect(kept).not.toMatch(/0123456789abcdef|BEGIN [A-Z ]*PRIVATE KEY/);
  });
});
