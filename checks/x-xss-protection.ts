/** Checks that the XSS filter of old browsers is not switched on: the filter itself created vulnerabilities. */
import { passed, registerCheck, removeHeader, violated } from "assay/check";

export default registerCheck({
  key: "x-xss-protection",
  weight: 1,
  area: "headers",
  reads: ["page"],
  headers: ["x-xss-protection"],
  findings: {
    "security.deprecated-header.x-xss-protection": { severity: "low", riskLevel: "low", effort: "low" },
  },
  fixes: [removeHeader("X-XSS-Protection")],
  judge({ headers }) {
    const [value] = headers["x-xss-protection"];
    if (value === undefined) return passed();
    const [first = ""] = value.split(/[;,]/, 1);
    return first.trim() === "0" ? passed() : violated("security.deprecated-header.x-xss-protection", { value });
  },
});
