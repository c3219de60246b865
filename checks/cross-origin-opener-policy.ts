/** Checks that the page's window is isolated from windows of other sites. */
import { passed, registerCheck, replaceHeader, setHeader, violated } from "assay/check";
import { isolatesDocument, parseStructuredToken } from "assay/check/parsers";

/** HTML standard, "opener policy value", without unsafe-none. */
const isolatingValues = ["same-origin", "same-origin-allow-popups", "noopener-allow-popups"];

export default registerCheck({
  key: "cross-origin-opener-policy",
  weight: 1,
  area: "headers",
  standards: ["HTML: Cross-origin opener policies", "WICG: Document-Isolation-Policy"],
  appliesTo: ["html"],
  reads: ["page"],
  headers: ["cross-origin-opener-policy", "document-isolation-policy"],
  findings: {
    "security.missing-header.cross-origin-opener-policy": { severity: "low", riskLevel: "low", effort: "medium", cwe: 653 },
    "security.weak-header.cross-origin-opener-policy": { severity: "low", riskLevel: "low", effort: "medium", cwe: 653 },
    "security.invalid-header.cross-origin-opener-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 653 },
  },
  fixes: {
    "security.missing-header.cross-origin-opener-policy": [setHeader("Cross-Origin-Opener-Policy", "same-origin")],
    "security.weak-header.cross-origin-opener-policy": [replaceHeader("Cross-Origin-Opener-Policy", "same-origin")],
    "security.invalid-header.cross-origin-opener-policy": [replaceHeader("Cross-Origin-Opener-Policy", "same-origin")],
  },
  judge({ headers }) {
    const fields = headers["cross-origin-opener-policy"];
    const token = parseStructuredToken(fields);
    const isDefault = fields.length === 0 || token === "unsafe-none";
    // An alternative that keeps windows opened by the page reachable.
    if (isDefault && isolatesDocument(headers["document-isolation-policy"])) return passed();
    if (fields.length === 0) return violated("security.missing-header.cross-origin-opener-policy");
    if (token !== null && isolatingValues.includes(token)) return passed();
    const value = fields.join(", ");
    if (token === "unsafe-none") return violated("security.weak-header.cross-origin-opener-policy", { value });
    // Browsers treat unknown values as unsafe-none.
    return violated("security.invalid-header.cross-origin-opener-policy", { value });
  },
});
