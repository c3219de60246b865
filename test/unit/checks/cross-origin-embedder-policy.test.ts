/** Values of Cross-Origin-Embedder-Policy and Document-Isolation-Policy that browsers support. */
import check from "../../../checks/cross-origin-embedder-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "cross-origin-embedder-policy": values } });

const isolation = (...values: string[]) => ({ headers: { "document-isolation-policy": values } });

testCheck(check, {
  passed: [
    ["require-corp", header("require-corp")],
    ["credentialless", header("credentialless")],
    ["unsafe-none, the default", header("unsafe-none")],
    ["a parameter", header('require-corp; report-to="coep"')],
    ["an isolated document", isolation("isolate-and-require-corp")],
    ["without credentials, and a parameter", isolation('isolate-and-credentialless; report-to="dip"')],
    ["none, the default", isolation("none")],
  ],
  notApplicable: [["no header", {}]],
  violated: {
    "security.invalid-header.cross-origin-embedder-policy": [
      ["an unknown word", header("require-cors"), { values: { value: "require-cors" } }],
      ["quotes", header('"require-corp"')],
      ["two fields", header("require-corp", "require-corp")],
      ["an empty value", header("")],
      [
        "beside an isolated document",
        { headers: { "cross-origin-embedder-policy": "require-cors", "document-isolation-policy": "isolate-and-require-corp" } },
      ],
    ],
    "security.invalid-header.document-isolation-policy": [
      ["an unknown word", isolation("isolate"), { values: { value: "isolate" } }],
      ["quotes", isolation('"isolate-and-require-corp"')],
      ["two fields", isolation("none", "none")],
    ],
  },
});
