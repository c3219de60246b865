/** Rows that a table takes for its own: every part of a list counts. */
import { describe, expect, test } from "vitest";
import { rowFormats } from "../../../src/store/tables.ts";
import { emptyResult } from "../../support/stored.ts";

const row = { key: "hsts", state: "passed", weight: 3, evidence: ["page"] };

describe("a result", () => {
  test.each<[string, unknown]>([
    ["without rows", []],
    ["with rows", [row, { ...row, key: "csp" }]],
  ])("is taken %s", (_words, ledger) => expect(rowFormats.get("results")?.accepts({ ...emptyResult, ledger })).toBe(true));

  test.each<[string, unknown]>([
    ["a row that is none", [row, { key: "csp" }]],
    ["a text among its rows", [row, "csp"]],
    ["rows that are no list", { 0: row }],
    ["no rows at all", undefined],
  ])("is refused with %s", (_words, ledger) => expect(rowFormats.get("results")?.accepts({ ...emptyResult, ledger })).toBe(false));
});
