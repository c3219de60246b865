/**
 * Checks that browsers support the Cross-Origin-Embedder-Policy, or the Document-Isolation-Policy in its place. Both are optional, because
 * they break many sites.
 */
import { findingIf, notApplicable, registerCheck, replaceHeader, violatedBy } from "assay/check";
import { documentIsolationPolicies, parseStructuredToken } from "assay/check/parsers";

/** HTML standard, "embedder policy value". */
const knownValues = ["require-corp", "credentialless", "unsafe-none"];

export default registerCheck({
  key: "cross-origin-embedder-policy",
  weight: 1,
  area: "headers",
  standards: ["HTML: Cross-origin embedder policies", "WICG: Document-Isolation-Policy"],
  reads: ["page"],
  headers: ["cross-origin-embedder-policy", "document-isolation-policy"],
  findings: {
    "security.invalid-header.cross-origin-embedder-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 653 },
    "security.invalid-header.document-isolation-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 653 },
  },
  fixes: {
    "security.invalid-header.cross-origin-embedder-policy": [replaceHeader("Cross-Origin-Embedder-Policy", "require-corp")],
    "security.invalid-header.document-isolation-policy": [replaceHeader("Document-Isolation-Policy", "isolate-and-require-corp")],
  },
  judge({ headers }) {
    const embedder = headers["cross-origin-embedder-policy"];
    const isolation = headers["document-isolation-policy"];
    if (embedder.length === 0 && isolation.length === 0) return notApplicable();
    return violatedBy([
      ...findingIf(!isOneOf(knownValues, embedder), "security.invalid-header.cross-origin-embedder-policy", { value: embedder.join(", ") }),
      ...findingIf(!isOneOf(documentIsolationPolicies, isolation), "security.invalid-header.document-isolation-policy", {
        value: isolation.join(", "),
      }),
    ]);
  },
});

/** True without a field as well. */
function isOneOf(values: readonly string[], fields: readonly string[]): boolean {
  const token = parseStructuredToken(fields);
  return fields.length === 0 || (token !== null && values.includes(token));
}
