/** The XSS filter of old browsers should be off or at its default. */
import check from "../../../checks/x-xss-protection.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "x-xss-protection": values } });

testCheck(check, {
  passed: [
    ["no header", {}],
    ["0", header("0")],
    ["0 with a meaningless mode", header(" 0 ; mode=block")],
  ],
  notApplicable: [],
  violated: {
    "security.deprecated-header.x-xss-protection": [
      ["on", header("1"), { values: { value: "1" } }],
      ["enabled, in blocking mode", header("1; mode=block")],
      ["a value that only resembles 0", header("01")],
      ["the first of two fields counts", header("1; mode=block", "0")],
      ["an empty value", header("")],
    ],
  },
});
