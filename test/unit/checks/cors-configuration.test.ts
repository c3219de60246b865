/** What the answer to a foreign origin gives away. */
import check from "../../../checks/cors-configuration.ts";
import { testCheck } from "../../support/check-tester.ts";

import { headerFields } from "../../support/evidence.ts";

const originSent = "https://cross-origin.invalid";
const answered = (origin: string | readonly string[], credentials?: string | readonly string[]) => ({
  crossOrigin: {
    originSent,
    headers: headerFields({
      "Access-Control-Allow-Origin": origin,
      ...(credentials === undefined ? {} : { "Access-Control-Allow-Credentials": credentials }),
    }),
  },
});

testCheck(check, {
  passed: [
    ["a plain *", answered("*")],
    ["* with credentials that are not allowed", answered("*", "false")],
    ["a partner's origin", answered("https://partner.example", "true")],
    ["an echo without credentials", answered(originSent)],
    ["an echo, and credentials in a case that a browser refuses", answered(originSent, "TRUE")],
    ["an echo, and credentials twice, which a browser refuses", answered(originSent, ["true", "true"])],
    ["two origins allow nobody", answered([originSent, "https://partner.example"], "true")],
    ["an origin with a slash is none", answered(`${originSent}/`, "true")],
    ["NULL in capitals allows nobody", answered("NULL", "true")],
    ["the page itself was not read", { page: "crashed", ...answered("*") }],
  ],
  notApplicable: [
    ["no header", {}],
    ["only Vary", { crossOrigin: { headers: headerFields({ vary: "Origin" }) } }],
  ],
  notChecked: [
    ["a cut header", { crossOrigin: { headers: [{ name: "access-control-allow-origin", value: "x".repeat(512), truncated: true }] } }],
  ],
  violated: {
    "security.cors.reflected-origin-with-credentials": [
      ["an echo with credentials", answered(originSent, "true"), { values: { originSent } }],
    ],
    "security.cors.null-origin-with-credentials": [["null with credentials", answered("null", "true")]],
    "security.cors.null-origin": [
      ["null", answered("null")],
      ["null, and credentials that are not allowed", answered("null", "false")],
    ],
    "security.cors.wildcard-with-credentials": [["* with credentials", answered("*", "true")]],
  },
});
