/** Is the page kept out of other sites' frames, by X-Frame-Options or by a policy's frame-ancestors? */
import { notChecked, passed, registerCheck, violated } from "assay/check";
import { type CspPolicy, fieldsNamed, matchesAnyHost, parseCsp, parseFrameOptions } from "assay/check/parsers";

export default registerCheck({
  key: "x-frame-options",
  weight: 4,
  area: "headers",
  standards: ["HTML: The X-Frame-Options header", "CSP Level 3: frame-ancestors"],
  appliesTo: ["html"],
  reads: ["page"],
  // Content-Security-Policy is not declared: a cut one matters only while nothing else protects.
  headers: ["x-frame-options"],
  findings: {
    "security.missing-header.x-frame-options": { severity: "high", riskLevel: "medium", effort: "low" },
    "security.invalid-header.x-frame-options": { severity: "high", riskLevel: "medium", effort: "low" },
    "security.csp.frame-ancestors-any-host": { severity: "high", riskLevel: "medium", effort: "medium" },
  },
  judge({ page, headers }) {
    const csp = fieldsNamed(page.headers, "content-security-policy");
    // Only the header's policies: a browser drops frame-ancestors from a meta element (CSP3 section 3.3).
    const lists = parseCsp(csp.filter((field) => !field.truncated).map((field) => field.value)).flatMap(frameAncestors);
    // Each policy is enforced for itself, so one that keeps strangers out is enough.
    if (lists.some((sources) => !sources.some(matchesAnyHost))) return passed();

    const options = parseFrameOptions(headers["x-frame-options"]);
    // HTML standard, "check a navigation response's adherence to X-Frame-Options": beside frame-ancestors it is not looked at.
    const honoured = lists.length === 0 && options !== null && options !== "ignored";
    if (honoured) return passed();
    if (page.headersDropped > 0 || csp.some((field) => field.truncated)) return notChecked();

    const [sources] = lists;
    if (sources !== undefined) return violated("security.csp.frame-ancestors-any-host", { sources: sources.join(" ") });
    if (options === null) return violated("security.missing-header.x-frame-options");
    return violated("security.invalid-header.x-frame-options", { value: headers["x-frame-options"].join(", ") });
  },
});

function frameAncestors(policy: CspPolicy): readonly (readonly string[])[] {
  const sources = policy.get("frame-ancestors");
  return sources === undefined ? [] : [sources];
}
