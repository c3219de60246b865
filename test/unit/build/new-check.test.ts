/** Keys that `npm run new-check` refuses, and the place of the new text blocks. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { scaffoldCheck } from "../../../build/new-check.ts";

// reads: checks/, locales/, test/unit/checks/
const root = resolve(import.meta.dirname, "../../..");

test("a new check has four files", () => {
  const files = scaffoldCheck(root, "x-new");
  expect(files.map(({ path }) => path)).toEqual([
    "checks/x-new.ts",
    "test/unit/checks/x-new.test.ts",
    "locales/en-gb.json",
    "locales/de-de.json",
  ]);
});

test("the text blocks are in alphabetical order, and every other text is unchanged", () => {
  for (const { path, text } of scaffoldCheck(root, "dns-zone").filter(({ path }) => path.endsWith(".json"))) {
    const { checks, ...others } = JSON.parse(text);
    const keys = Object.keys(checks);
    expect(keys).toEqual(keys.toSorted());
    expect(keys).toContain("dns-zone");
    const { "dns-zone": _added, ...checksBefore } = checks;
    expect({ checks: checksBefore, ...others }).toEqual(JSON.parse(readFileSync(resolve(root, path), "utf8")));
  }
});

describe("refused", () => {
  test.each([
    ["Own_Check", /is not lower-case words joined by hyphens/],
    ["../escape", /is not lower-case words/],
    ["", /is not lower-case words/],
    ["a".repeat(65), /is not lower-case words/],
    ["dnssec", /checks\/dnssec\.ts exists already/],
  ])("the key %s", (key, message) => expect(() => scaffoldCheck(root, key)).toThrow(message));
});
