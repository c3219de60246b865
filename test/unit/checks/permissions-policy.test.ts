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
    ["an unknown feature beside another", header("foo=(), camera=()")],
    ["a star as a name beside another", header("*=(), fullscreen=()")],
    ["unknown features in a second field", header("usb=()", "foo=()")],
    ["a feature of Chromium alone", header("idle-detection=()")],
    ["a feature of recent years", header("language-model=()")],
    ["a feature behind a flag", header("webnn=()")],
    ["a client hint", header("ch-ua-model=()")],
    ["a feature of Firefox behind a preference", header("document-domain=()")],
    ["a feature that Chromium removed lately", header("join-ad-interest-group=()")],
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
      ["an invented name", header("foo=()"), { values: { value: "foo=()" } }],
      ["a star as a name", header("*=()")],
      ["a star as a name, for every origin", header("*=*")],
      ["an invented name beside FLoC", header("foo=(self), interest-cohort=()")],
      ["misspelt names", header("geo-location=(), micro-phone=(), cameras=()")],
      ["names of interfaces", header("notifications=(), push=(), vibrate=()")],
      ["names of objects in JavaScript", header("constructor=(), tostring=()")],
      ["the start of a known name", header("ch=(), ch-ua-=()")],
      ["a name with an underscore", header("picture_in_picture=()")],
      ["two fields", header("foo=()", "bar=*")],
    ],
    "security.weak-header.permissions-policy": [
      ["* for the camera", header("camera=*, usb=()"), { values: { features: "camera" } }],
      ["* in a list", header("geolocation=(*), payment=(self *)"), { values: { features: "geolocation, payment" } }],
      ["a second field that overrides the first", header("usb=()", "usb=*")],
    ],
  },
});
