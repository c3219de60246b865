/** Mail records, policy hosts and security.txt, served and scanned for real. */
import { expect, test } from "vitest";
import { labTests } from "./laboratory.ts";
import { mailCases } from "./mail.ts";

labTests("mail", mailCases);

test("each key is seen passed, violated and not checked", () => {
  const keys = Object.keys(mailCases[0]?.expected ?? {});
  const seen = new Set(mailCases.flatMap(({ expected }) => Object.entries(expected).map(([key, state]) => `${key} ${state}`)));
  const wanted = keys.flatMap((key) => ["passed", "violated", "notChecked"].map((state) => `${key} ${state}`));
  expect(wanted.filter((row) => !seen.has(row))).toEqual([]);
});
