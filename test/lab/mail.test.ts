/** Mail records, policy hosts and security.txt, served and scanned for real. */
import { expect, test } from "vitest";
import { labTests } from "./laboratory.ts";
import { mailCases } from "./mail.ts";
import { unseenProofs } from "./table.ts";

labTests("mail", mailCases);

test("each key is seen passed, violated and not checked", () => {
  const keys = Object.keys(mailCases[0]?.expected ?? {});
  const asExpected = mailCases.map(({ expected }) => ({ expected, held: true }));
  expect(unseenProofs(asExpected, keys)).toEqual([]);
});
