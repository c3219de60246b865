/** Checks that browsers support the Cross-Origin-Embedder-Policy. It is optional, because it breaks many sites. */
import { notApplicable, passed, registerCheck, replaceHeader, violated } from "assay/check";
import { parseStructuredToken } from "assay/check/parsers";

/** HTML standard, "embedder policy value". */
const knownValues = ["require-corp", "credentialless", "unsafe-none"];

export default registerCheck({
  key: "cross-origin-embedder-policy",
  weight: 1,
  area: "headers",
  standards: ["HTML: Cross-origin embedder policies"],
  reads: ["page"],
  headers: ["cross-origin-embedder-policy"],
  findings: {
    "security.invalid-header.cross-origin-embedder-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 653 },
  },
  fixes: [replaceHeader("Cross-Origin-Embedder-Policy", "require-corp")],
  judge({ headers }) {
    const fields = headers["cross-origin-embedder-policy"];
    if (fields.length === 0) return notApplicable();
    const token = parseStructuredToken(fields);
    if (token !== null && knownValues.includes(token)) return passed();
    return violated("security.invalid-header.cross-origin-embedder-policy", { value: fields.join(", ") });
  },
});
