/** Permissions-Policy values that deny powerful features to frames of other sites. */
import check from "../../../checks/permissions-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "permissions-policy": values } });

testCheck(check, {
  passed: [
    ["all features disabled", header("camera=(), microphone=(), geolocation=(), payment=(), usb=()")],
    ["for the site itself", header("geolocation=self")],
    ["for a named partner", header('payment=(self "https://pay.example")')],
    ["a feature without a directive keeps its default", header("fullscreen=()")],
    ["a retired feature beside another", header("interest-cohort=(), camera=()")],
    ["* for a harmless feature", header("fullscreen=*, camera=()")],
    ["two fields form one list", header("camera=()", "usb=()")],
    ["the last of repeated keys counts", header("camera=*, camera=()")],
    ["a star as a string is an invalid origin", header('camera=("*")')],
  ],
  notApplicable: [["not HTML", { page: { mediaType: "text/css" } }]],
  violated: {
    "security.missing-header.permissions-policy": [
      ["no header", {}],
      ["only Feature-Policy", { headers: { "feature-policy": "camera 'none'" } }],
    ],
    "security.invalid-header.permissions-policy": [
      [
        "the grammar of Feature-Policy",
        header("camera 'none'; microphone 'none'"),
        { values: { value: "camera 'none'; microphone 'none'" } },
      ],
      ["semicolons between the features", header("camera=(); usb=()")],
      ["a trailing comma", header("camera=(),")],
      ["a keyword in quotes", header("camera=('self')")],
      ["one invalid field invalidates the others", header("camera=()", "usb 'none'")],
      ["an empty value", header("")],
    ],
    "security.invalid-header.permissions-policy-retired": [
      ["FLoC alone", header("interest-cohort=()"), { values: { value: "interest-cohort=()" } }],
      ["twice", header("interest-cohort=()", "interest-cohort=()")],
    ],
    "security.weak-header.permissions-policy": [
      ["* for the camera", header("camera=*, usb=()"), { values: { features: "camera" } }],
      ["* in a list", header("geolocation=(*), payment=(self *)"), { values: { features: "geolocation, payment" } }],
      ["a second field that overrides the first", header("usb=()", "usb=*")],
    ],
  },
});
