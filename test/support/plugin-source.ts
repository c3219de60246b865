/** Source text of a valid plugin check. */

interface PluginParts {
  /** Expression. */
  readonly weight?: string;
  /** Body of the function that judges. */
  readonly judge?: string;
  readonly label?: string;
  readonly code?: string;
}

export function pluginSource(
  key: string,
  { weight = "2", judge = "return passed();", label = "Own check", code = `security.own.${key}` }: PluginParts = {},
): string {
  const texts = `{ label: "${label}", reason: "R", findings: { "${code}": { title: "T", detail: "D", riskStatement: "S", remediation: "M" } } }`;
  return `import { passed, registerCheck, violated } from "assay/check";
export default registerCheck({
  key: "${key}",
  weight: ${weight},
  reads: [],
  findings: { "${code}": { severity: "low", riskLevel: "low", effort: "low" } },
  judge() {
    ${judge}
  },
  texts: { "en-gb": ${texts}, "de-de": ${texts} },
});
`;
}
