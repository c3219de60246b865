/** Checks that other sites cannot frame the page, by X-Frame-Options or by frame-ancestors of a policy. */
import { notChecked, passed, registerCheck, replaceHeader, sendPolicy, setHeader, violated } from "assay/check";
import { beforeCutDirective, type CspPolicy, fieldsNamed, matchesOpenHost, parseCsp, parseFrameOptions } from "assay/check/parsers";

export default registerCheck({
  key: "x-frame-options",
  weight: 7,
  area: "headers",
  standards: ["HTML: The X-Frame-Options header", "CSP Level 3: frame-ancestors"],
  appliesTo: ["html"],
  reads: ["page"],
  // Content-Security-Policy is not declared: a cut value matters only without other protection.
  headers: ["x-frame-options"],
  findings: {
    "security.missing-header.x-frame-options": { severity: "high", riskLevel: "medium", effort: "low", cwe: 1021 },
    "security.invalid-header.x-frame-options": { severity: "high", riskLevel: "medium", effort: "low", cwe: 1021 },
    "security.csp.frame-ancestors-any-host": { severity: "high", riskLevel: "medium", effort: "medium", cwe: 1021 },
  },
  fixes: {
    "security.missing-header.x-frame-options": [setHeader("X-Frame-Options", "SAMEORIGIN"), sendPolicy("frame-ancestors 'self'")],
    "security.invalid-header.x-frame-options": [replaceHeader("X-Frame-Options", "SAMEORIGIN")],
    "security.csp.frame-ancestors-any-host": [sendPolicy("frame-ancestors 'self'")],
  },
  judge({ page, headers }) {
    const csp = fieldsNamed(page.headers, "content-security-policy");
    // Policies of the header only: browsers drop frame-ancestors from meta elements (CSP3 section 3.3). The complete
    // directives of a cut value count.
    const texts = csp.map(({ value, truncated }) => (truncated ? beforeCutDirective(value) : value));
    const lists = parseCsp(texts).flatMap(frameAncestors);
    // Browsers enforce each policy separately, so one restricting policy is enough.
    if (lists.some((sources) => !sources.some((source) => matchesOpenHost(source, "pages")))) return passed();

    const options = parseFrameOptions(headers["x-frame-options"]);
    // HTML standard, "check a navigation response's adherence to X-Frame-Options": frame-ancestors overrides the header.
    const isProtecting = lists.length === 0 && options !== null && options !== "ignored";
    if (isProtecting) return passed();
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
