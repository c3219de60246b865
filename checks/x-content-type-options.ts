/** Checks that browsers do not sniff content types. */
import { passed, registerCheck, replaceHeader, setHeader, violated } from "assay/check";
import { splitHeaderList } from "assay/check/parsers";

export default registerCheck({
  key: "x-content-type-options",
  weight: 4,
  area: "headers",
  standards: ["Fetch: X-Content-Type-Options header"],
  reads: ["page"],
  headers: ["x-content-type-options"],
  findings: {
    "security.missing-header.x-content-type-options": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
    "security.invalid-header.x-content-type-options": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
  },
  fixes: {
    "security.missing-header.x-content-type-options": [setHeader("X-Content-Type-Options", "nosniff")],
    "security.invalid-header.x-content-type-options": [replaceHeader("X-Content-Type-Options", "nosniff")],
  },
  judge({ headers }) {
    const fields = headers["x-content-type-options"];
    // Fetch standard, "determine nosniff": only the first value counts, so repeated values are harmless.
    const [effective] = splitHeaderList(fields);
    if (effective === undefined) return violated("security.missing-header.x-content-type-options");
    if (effective.toLowerCase() === "nosniff") return passed();
    return violated("security.invalid-header.x-content-type-options", { value: fields.join(", ") });
  },
});
