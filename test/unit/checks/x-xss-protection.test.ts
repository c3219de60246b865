/** The XSS filter of old browsers is to be off, or left alone. */
import check from "../../../checks/x-xss-protection.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "x-xss-protection": values } });

testCheck(check, {
  passed: [
    ["no header", {}],
    ["0", header("0")],
    ["0 with a mode that has no meaning", header(" 0 ; mode=block")],
  ],
  notApplicable: [],
  violated: {
    "security.deprecated-header.x-xss-protection": [
      ["on", header("1"), { values: { value: "1" } }],
      ["on, and blocking", header("1; mode=block")],
      ["a 0 that is none", header("01")],
      ["the first of two counts", header("1; mode=block", "0")],
      ["an empty value", header("")],
    ],
  },
});
