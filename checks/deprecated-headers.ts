/** Checks that the site sends no headers that browsers have removed. */
import { findingIf, registerCheck, removeHeader, setHeader, violatedBy } from "assay/check";
import { valuesNamed } from "assay/check/parsers";

/** Not declared in `headers`: only their presence matters, so a cut value is sufficient. */
const deprecatedHeaders = [
  "public-key-pins",
  "public-key-pins-report-only",
  "expect-ct",
  "feature-policy",
  "x-content-security-policy",
  "x-webkit-csp",
  "p3p",
  "x-ua-compatible",
] as const;

const definition = { severity: "info", riskLevel: "low", effort: "low" } as const;

export default registerCheck({
  key: "deprecated-headers",
  weight: 1,
  area: "headers",
  standards: ["RFC 7469", "RFC 9163"],
  reads: ["page"],
  findings: {
    "security.deprecated-header.public-key-pins": definition,
    "security.deprecated-header.public-key-pins-report-only": definition,
    "security.deprecated-header.expect-ct": definition,
    "security.deprecated-header.feature-policy": definition,
    "security.deprecated-header.x-content-security-policy": definition,
    "security.deprecated-header.x-webkit-csp": definition,
    "security.deprecated-header.p3p": definition,
    "security.deprecated-header.x-ua-compatible": definition,
  },
  fixes: {
    "security.deprecated-header.public-key-pins": [removeHeader("Public-Key-Pins")],
    "security.deprecated-header.public-key-pins-report-only": [removeHeader("Public-Key-Pins-Report-Only")],
    "security.deprecated-header.expect-ct": [removeHeader("Expect-CT")],
    "security.deprecated-header.feature-policy": [
      setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    ],
    "security.deprecated-header.x-content-security-policy": [removeHeader("X-Content-Security-Policy")],
    "security.deprecated-header.x-webkit-csp": [removeHeader("X-WebKit-CSP")],
    "security.deprecated-header.p3p": [removeHeader("P3P")],
    "security.deprecated-header.x-ua-compatible": [removeHeader("X-UA-Compatible")],
  },
  judge({ page }) {
    const found = deprecatedHeaders.flatMap((name) => {
      const values = valuesNamed(page.headers, name);
      return findingIf(values.length > 0 && !isFallback(name), `security.deprecated-header.${name}`, { value: values.join(", ") });
    });
    return violatedBy(found, page.headersDropped === 0);

    /** Feature-Policy is acceptable as a fallback for older browsers beside its successor. */
    function isFallback(name: string): boolean {
      return name === "feature-policy" && (valuesNamed(page.headers, "permissions-policy").length > 0 || page.headersDropped > 0);
    }
  },
});
