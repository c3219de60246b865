/** Values of Cross-Origin-Embedder-Policy that browsers support. */
import check from "../../../checks/cross-origin-embedder-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "cross-origin-embedder-policy": values } });

testCheck(check, {
  passed: [
    ["require-corp", header("require-corp")],
    ["credentialless", header("credentialless")],
    ["unsafe-none, the default", header("unsafe-none")],
    ["a parameter", header('require-corp; report-to="coep"')],
  ],
  notApplicable: [["no header", {}]],
  violated: {
    "security.invalid-header.cross-origin-embedder-policy": [
      ["an unknown word", header("require-cors"), { values: { value: "require-cors" } }],
      ["quotes", header('"require-corp"')],
      ["two fields", header("require-corp", "require-corp")],
      ["an empty value", header("")],
    ],
  },
});
