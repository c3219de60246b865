/** Headers that browsers removed, by name. */
import check from "../../../checks/deprecated-headers.ts";
import { testCheck } from "../../support/check-tester.ts";

testCheck(check, {
  passed: [
    ["no deprecated header", {}],
    ["Feature-Policy beside its successor", { headers: { "feature-policy": "camera 'none'", "permissions-policy": "camera=()" } }],
  ],
  notApplicable: [],
  notChecked: [
    ["headers were dropped", { page: { headersDropped: 1 } }],
    [
      "Feature-Policy, and its successor may have been dropped",
      { page: { headers: [{ name: "feature-policy", value: "camera 'none'", truncated: false }], headersDropped: 1 } },
    ],
  ],
  violated: {
    "security.deprecated-header.public-key-pins": [
      ["pins", { headers: { "Public-Key-Pins": 'pin-sha256="x"; max-age=5' } }, { values: { value: 'pin-sha256="x"; max-age=5' } }],
      ["a cut header is present", { page: { headers: [{ name: "public-key-pins", value: "pin", truncated: true }] } }],
    ],
    "security.deprecated-header.public-key-pins-report-only": [
      ["report-only pins", { headers: { "public-key-pins-report-only": "max-age=5" } }],
    ],
    "security.deprecated-header.expect-ct": [
      [
        "beside other headers",
        { headers: { "expect-ct": "max-age=0", p3p: 'CP="x"' } },
        { also: ["security.deprecated-header.p3p"], values: { value: "max-age=0" } },
      ],
    ],
    "security.deprecated-header.feature-policy": [["alone", { headers: { "feature-policy": "camera 'none'" } }]],
    "security.deprecated-header.x-content-security-policy": [
      [
        "beside its successor",
        { headers: { "x-content-security-policy": "default-src 'self'", "content-security-policy": "default-src 'self'" } },
      ],
    ],
    "security.deprecated-header.x-webkit-csp": [["an old policy", { headers: { "x-webkit-csp": "default-src 'self'" } }]],
    "security.deprecated-header.p3p": [["a privacy policy", { headers: { p3p: 'CP="This is not a P3P policy"' } }]],
    "security.deprecated-header.x-ua-compatible": [["a document mode", { headers: { "x-ua-compatible": "IE=edge" } }]],
  },
});
