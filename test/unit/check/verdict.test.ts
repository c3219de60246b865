/** Verdicts without findings, and addresses that a finding quotes. */
import { expect, test } from "vitest";
import { findingIf, foundAtAddresses, violatedBy } from "../../../src/check/verdict.ts";
import { findingValueCharsMax } from "../../../src/evidence/limits.ts";

const code = "security.sample.found";
const long = (at: number) => `https://a.example/${at}${"x".repeat(80)}`;

test("without findings, only complete evidence passes; a finding is final", () => {
  expect(violatedBy(findingIf(false, code))).toEqual({ state: "passed" });
  expect(violatedBy(findingIf(false, code), false)).toEqual({ state: "notChecked" });
  expect(violatedBy(findingIf(true, code, { count: 2 }), false)).toEqual({ state: "violated", findings: [{ code, values: { count: 2 } }] });
});

test("no finding without an address", () => {
  expect(foundAtAddresses(code, [])).toEqual([]);
});

test("quotes each address once", () => {
  expect(foundAtAddresses(code, ["https://a.example/", "https://b.example/", "https://a.example/"])).toEqual([
    { code, values: { resources: "https://a.example/, https://b.example/", total: 2 } },
  ]);
});

test("quotes as many complete addresses as fit, and counts all", () => {
  expect(foundAtAddresses(code, [long(1), long(2), long(3)])).toEqual([
    { code, values: { resources: `${long(1)}, ${long(2)}`, total: 3 } },
  ]);
});

test("quotes the first address at any length; the ledger cuts it", () => {
  const endless = `https://a.example/${"x".repeat(findingValueCharsMax)}`;
  expect(foundAtAddresses(code, [endless, "https://b.example/"])).toEqual([{ code, values: { resources: endless, total: 2 } }]);
});
