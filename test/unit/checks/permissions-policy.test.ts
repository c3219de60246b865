/** Which Permissions-Policy values keep powerful features from frames of strangers. */
import check from "../../../checks/permissions-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "permissions-policy": values } });

testCheck(check, {
  passed: [
    ["all of them off", header("camera=(), microphone=(), geolocation=(), payment=(), usb=()")],
    ["for the site itself", header("geolocation=self")],
    ["for a named partner", header('payment=(self "https://pay.example")')],
    ["a feature that is not named stays with its own origin", header("interest-cohort=()")],
    ["* for something harmless", header("fullscreen=*, camera=()")],
    ["two fields are one list", header("camera=()", "usb=()")],
    ["of a repeated key the last counts", header("camera=*, camera=()")],
    ["a star as a string is an origin, and none", header('camera=("*")')],
  ],
  notApplicable: [["no HTML", { page: { mediaType: "text/css" } }]],
  violated: {
    "security.missing-header.permissions-policy": [
      ["no header", {}],
      ["only its predecessor", { headers: { "feature-policy": "camera 'none'" } }],
    ],
    "security.invalid-header.permissions-policy": [
      [
        "the grammar of its predecessor",
        header("camera 'none'; microphone 'none'"),
        { values: { value: "camera 'none'; microphone 'none'" } },
      ],
      ["semicolons between the features", header("camera=(); usb=()")],
      ["a comma at the end", header("camera=(),")],
      ["a keyword in quotes", header("camera=('self')")],
      ["one bad field spoils the others", header("camera=()", "usb 'none'")],
      ["an empty value", header("")],
    ],
    "security.weak-header.permissions-policy": [
      ["* for the camera", header("camera=*, usb=()"), { values: { features: "camera" } }],
      ["* in a list", header("geolocation=(*), payment=(self *)"), { values: { features: "geolocation, payment" } }],
      ["a second field that takes it back", header("usb=()", "usb=*")],
    ],
  },
});
