/** The generated blocks of the documentation are as fresh as their sources. */
import { expect, test } from "vitest";
import { generatedDocs } from "../../../build/docs.ts";
import { settingKeys } from "../../../src/settings/settings.ts";

const docs = generatedDocs();

test("no generated block is stale", () => {
  const stale = docs.filter(({ current, fresh }) => current !== fresh);
  expect(stale.map(({ path }) => `${path} is stale: run "npm run docs"`)).toEqual([]);
});

test("the table of settings has a row for every setting, on every machine", () => {
  const text = docs.find(({ path }) => path.endsWith("docs/operate.md"))?.fresh ?? "";
  const rows = text.split("\n").filter((line) => settingKeys.some((key) => line.startsWith(`| \`${key}\` | `)));
  expect(rows.length).toBe(settingKeys.length);
  // Four cells: no text breaks the table, and no default is empty.
  for (const row of rows) expect(row).toMatch(/^\|( [^|\s](?:[^|]|\\\|)* \|){4}$/);
});
