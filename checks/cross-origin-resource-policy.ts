/** Checks that browsers support the site's Cross-Origin-Resource-Policy. */
import { notApplicable, passed, registerCheck, replaceHeader, violated } from "assay/check";

/** Fetch standard, "cross-origin resource policy check". */
const knownValues = ["same-origin", "same-site", "cross-origin"];

export default registerCheck({
  key: "cross-origin-resource-policy",
  weight: 1,
  area: "headers",
  standards: ["Fetch: Cross-Origin-Resource-Policy header"],
  reads: ["page"],
  headers: ["cross-origin-resource-policy"],
  findings: {
    "security.invalid-header.cross-origin-resource-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 653 },
  },
  fixes: [replaceHeader("Cross-Origin-Resource-Policy", "same-origin")],
  judge({ headers }) {
    const fields = headers["cross-origin-resource-policy"];
    if (fields.length === 0) return notApplicable();
    // Not a structured field: browsers compare the joined value exactly, so lists, parameters and capitals are invalid.
    const value = fields.join(", ");
    return knownValues.includes(value) ? passed() : violated("security.invalid-header.cross-origin-resource-policy", { value });
  },
});
