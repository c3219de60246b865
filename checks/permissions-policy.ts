/** Checks that frames of other sites cannot use camera, microphone, location, payments and USB. */
import { passed, registerCheck, replaceHeader, setHeader, violated } from "assay/check";
import { parseStructuredDictionary } from "assay/check/parsers";

/** Features with the highest risk for visitors. */
const powerfulFeatures = ["camera", "microphone", "geolocation", "payment", "usb"];

const closed = powerfulFeatures.map((feature) => `${feature}=()`).join(", ");

/** Features that no browser knows any more: Chromium ended FLoC, the only use of `interest-cohort`, in 2022. */
const retiredFeatures: readonly string[] = ["interest-cohort"];

export default registerCheck({
  key: "permissions-policy",
  weight: 2,
  area: "headers",
  standards: ["W3C Permissions Policy", "RFC 9651"],
  appliesTo: ["html"],
  reads: ["page"],
  headers: ["permissions-policy"],
  findings: {
    "security.missing-header.permissions-policy": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.invalid-header.permissions-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.invalid-header.permissions-policy-retired": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.weak-header.permissions-policy": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
  },
  fixes: {
    "security.missing-header.permissions-policy": [setHeader("Permissions-Policy", closed)],
    "security.invalid-header.permissions-policy": [replaceHeader("Permissions-Policy", closed)],
    "security.weak-header.permissions-policy": [replaceHeader("Permissions-Policy", closed)],
    "security.invalid-header.permissions-policy-retired": [replaceHeader("Permissions-Policy", closed)],
  },
  judge({ headers }) {
    const fields = headers["permissions-policy"];
    if (fields.length === 0) return violated("security.missing-header.permissions-policy");
    const policy = parseStructuredDictionary(fields);
    // Without a directive the header restricts nothing, even if well-formed.
    if (policy === null || policy.size === 0) return violated("security.invalid-header.permissions-policy", { value: fields.join(", ") });
    if ([...policy.keys()].every((feature) => retiredFeatures.includes(feature)))
      return violated("security.invalid-header.permissions-policy-retired", { value: fields.join(", ") });
    // The token * means every origin, also inside a list. A feature without a directive keeps its default, the page's own origin.
    const open = powerfulFeatures.filter((feature) =>
      policy.get(feature)?.some((member) => member.kind === "token" && member.token === "*"),
    );
    return open.length === 0 ? passed() : violated("security.weak-header.permissions-policy", { features: open.join(", ") });
  },
});
