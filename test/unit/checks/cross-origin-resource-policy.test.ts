/** Values of Cross-Origin-Resource-Policy that browsers support. */
import check from "../../../checks/cross-origin-resource-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "cross-origin-resource-policy": values } });

testCheck(check, {
  passed: [
    ["same-origin", header("same-origin")],
    ["same-site", header("same-site")],
    ["cross-origin", header("cross-origin")],
  ],
  notApplicable: [["no header", {}]],
  violated: {
    "security.invalid-header.cross-origin-resource-policy": [
      ["capitals", header("Same-Origin"), { values: { value: "Same-Origin" } }],
      ["two fields never match", header("same-site", "same-origin"), { values: { value: "same-site, same-origin" } }],
      ["a parameter, because the header is not a structured field", header("same-origin; report")],
      ["a value of another header", header("require-corp")],
      ["an empty value", header("")],
    ],
  },
});
