/** Access that the answer grants to another origin. */
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
    ["a reflected origin without credentials", answered(originSent)],
    ["a reflected origin, and credentials in an invalid letter case", answered(originSent, "TRUE")],
    ["a reflected origin, and repeated credentials, which browsers reject", answered(originSent, ["true", "true"])],
    ["two origins match none", answered([originSent, "https://partner.example"], "true")],
    ["an origin with a slash is invalid", answered(`${originSent}/`, "true")],
    ["NULL in capitals is invalid", answered("NULL", "true")],
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
      ["a reflected origin with credentials", answered(originSent, "true"), { values: { originSent } }],
    ],
    "security.cors.null-origin-with-credentials": [["null with credentials", answered("null", "true")]],
    "security.cors.null-origin": [
      ["null", answered("null")],
      ["null, and credentials that are not allowed", answered("null", "false")],
    ],
    "security.cors.wildcard-with-credentials": [["* with credentials", answered("*", "true")]],
  },
});
