/** Checks that an Integrity-Policy is one that browsers enforce, and that it blocks no file of its own page. */
import { finding, foundAtAddresses, notApplicable, notChecked, registerCheck, replaceHeader, setHeader, violatedBy } from "assay/check";
import { hasUsableHash, parseStructuredDictionary, type StructuredValue, withoutFragment } from "assay/check/parsers";

const forScripts = "blocked-destinations=(script)";

export default registerCheck({
  key: "integrity-policy",
  weight: 1,
  area: "content",
  standards: ["W3C Subresource Integrity: Integrity-Policy"],
  appliesTo: ["html"],
  reads: ["page", "requests", "dom", "scripts"],
  headers: ["integrity-policy"],
  findings: {
    "security.invalid-header.integrity-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 353 },
    "security.content.integrity-policy-blocks": { severity: "low", riskLevel: "low", effort: "medium" },
    "security.content.integrity-policy-possible": { severity: "info", riskLevel: "low", effort: "low", cwe: 353, weight: 0 },
  },
  fixes: {
    "security.invalid-header.integrity-policy": [replaceHeader("Integrity-Policy", forScripts)],
    "security.content.integrity-policy-possible": [setHeader("Integrity-Policy", forScripts)],
  },
  judge({ requests, dom, scripts, headers }) {
    const fields = headers["integrity-policy"];
    if (fields.length > 0) {
      if (!isEnforced(fields)) return violatedBy([finding("security.invalid-header.integrity-policy", { value: fields.join(", ") })]);
      // Evidence of an older version lacks the list.
      if (requests.integrityPolicyBlocked === undefined) return notChecked();
      return violatedBy(foundAtAddresses("security.content.integrity-policy-blocks", requests.integrityPolicyBlocked));
    }
    // The policy also refuses scripts that are requested without CORS ("should request be blocked by integrity policy").
    const pinned = [
      ...dom.subresources.filter(({ kind, crossOrigin }) => kind === "script" && crossOrigin !== null),
      ...(dom.importIntegrity ?? []),
    ]
      .filter(({ integrity }) => hasUsableHash(integrity))
      .map(({ url }) => withoutFragment(url));
    const isPossible = scripts.files.length > 0 && scripts.filesDropped === 0 && scripts.files.every(({ url }) => pinned.includes(url));
    return isPossible
      ? violatedBy([finding("security.content.integrity-policy-possible", { total: scripts.files.length })])
      : notApplicable();
  },
});

/** "Processing an integrity policy": browsers skip other values, and a policy without the source `inline`, which is the default. */
function isEnforced(fields: readonly string[]): boolean {
  const policy = parseStructuredDictionary(fields);
  // An item is no list, although both have the same values here.
  const isList = /(?:^|,)[ \t]*blocked-destinations=\(/.test(fields.join(","));
  const sources = policy?.get("sources");
  return isList && hasToken(policy?.get("blocked-destinations"), "script") && (sources === undefined || hasToken(sources, "inline"));
}

function hasToken(values: readonly StructuredValue[] | undefined, token: string): boolean {
  return values?.some((value) => value.kind === "token" && value.token === token) === true;
}
