/** Notes policies that name an endpoint for their reports which the page does not declare, or which is not https. */
import { distinct, findingIf, notApplicable, notChecked, type PageFacts, registerCheck, violatedBy } from "assay/check";
import {
  beforeCutDirective,
  declaredEndpoints,
  fieldsNamed,
  isInsecureUrl,
  parseCsp,
  parseStructuredDictionary,
  parseStructuredItem,
  valuesNamed,
} from "assay/check/parsers";

/** Policies of directives, which name an endpoint by `report-to`. */
const directivePolicies = ["content-security-policy"];
/** Policies of a single token, which name an endpoint by the parameter `report-to`. */
const tokenPolicies = ["cross-origin-opener-policy", "cross-origin-embedder-policy", "document-isolation-policy"];
/** Policies with a list `endpoints`. */
const listPolicies = ["integrity-policy"];
const policies = [...directivePolicies, ...tokenPolicies, ...listPolicies];
const declarations = ["reporting-endpoints", "report-to"];

export default registerCheck({
  key: "reporting-endpoints",
  // A note: no attack depends on it, and a policy with a faulty endpoint must not charge more than none.
  weight: 0,
  area: "headers",
  standards: ["Reporting API section 3.3", "CSP Level 3 section 6.5.2"],
  appliesTo: ["https"],
  reads: ["page"],
  findings: {
    "security.reporting.endpoint-undeclared": { severity: "info", riskLevel: "low", effort: "medium", cwe: 778 },
    "security.reporting.endpoint-not-https": { severity: "info", riskLevel: "low", effort: "medium", cwe: 778 },
  },
  judge({ page }) {
    const names = [...namesInDirectives(page), ...namesInTokens(page), ...namesInLists(page)];
    const isComplete = page.headersDropped === 0 && !isCut(page, policies.flatMap(withTrial));
    if (names.length === 0) return isComplete ? notApplicable() : notChecked();
    if (page.headersDropped > 0 || isCut(page, declarations)) return notChecked();

    const [endpoints = [], groups = []] = declarations.map((name) => valuesNamed(page.headers, name));
    const declared = declaredEndpoints(endpoints, groups, page.url);
    const undeclared = names.filter((name) => !declared.has(name));
    const insecure = names.flatMap((name) => declared.get(name) ?? []).filter(isInsecureUrl);
    const found = [
      ...findingIf(undeclared.length > 0, "security.reporting.endpoint-undeclared", { endpoints: distinct(undeclared) }),
      ...findingIf(insecure.length > 0, "security.reporting.endpoint-not-https", { urls: distinct(insecure) }),
    ];
    return violatedBy(found, isComplete);
  },
});

/** The header of a policy, and the one of its trial, which blocks nothing. */
function withTrial(name: string): readonly string[] {
  return [name, `${name}-report-only`];
}

function isCut({ headers }: PageFacts, names: readonly string[]): boolean {
  return names.some((name) => fieldsNamed(headers, name).some(({ truncated }) => truncated));
}

/** CSP3 section 6.5.2: the directive has one name. */
function namesInDirectives({ headers }: PageFacts): readonly string[] {
  return directivePolicies
    .flatMap(withTrial)
    .flatMap((name) => fieldsNamed(headers, name))
    .flatMap(({ value, truncated }) => parseCsp([truncated ? beforeCutDirective(value) : value]))
    .flatMap((policy) => (policy.get("report-to") ?? []).slice(0, 1));
}

function namesInTokens({ headers }: PageFacts): readonly string[] {
  return tokenPolicies.flatMap(withTrial).flatMap((name) => {
    const endpoint = parseStructuredItem(valuesNamed(headers, name))?.parameters.get("report-to");
    return endpoint?.kind === "string" ? [endpoint.text] : [];
  });
}

function namesInLists({ headers }: PageFacts): readonly string[] {
  return listPolicies.flatMap(withTrial).flatMap((name) => {
    const endpoints = parseStructuredDictionary(valuesNamed(headers, name))?.get("endpoints") ?? [];
    return endpoints.flatMap((endpoint) =>
      endpoint.kind === "token" ? [endpoint.token] : endpoint.kind === "string" ? [endpoint.text] : [],
    );
  });
}
