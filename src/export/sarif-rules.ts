/** Rules of a SARIF file: one for each finding code of the catalog. */
import { areaOf, type FindingDefinition, type Severity } from "../check/check.ts";
import { placeholderSample } from "../text/i18n.ts";
import type { ExportSettings } from "./export.ts";
import { type ExportedFinding, exportText } from "./exported-report.ts";
import { escapedMarkdown } from "./markdown-text.ts";
import { plainText, shortened } from "./plain-text.ts";

/** Limit of GitHub for descriptions. */
const descriptionCharsMax = 1_024;
/** Limit of GitHub for names. */
const nameCharsMax = 255;

export const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
  info: "note",
};

/** Within the ranges by which GitHub names a severity. An info finding has no number and is no security alert. */
const securitySeverities: Readonly<Record<Severity, string | null>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.0",
  low: "3.0",
  info: null,
};

/** As in texts of the catalog. */
const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

interface RuleSubject {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
  readonly area: string;
}

export interface SarifRules {
  readonly list: readonly object[];
  indexOf(code: string): number;
}

/** All codes of the catalog, then those of findings whose check has left it. */
export function rulesOf(findings: readonly ExportedFinding[], settings: ExportSettings): SarifRules {
  const subjects = new Map<string, RuleSubject>();
  for (const check of settings.checks) {
    for (const [code, { severity }] of Object.entries<FindingDefinition>(check.findings)) {
      subjects.set(code, { code, checkKey: check.key, severity, area: areaOf(check) });
    }
  }
  for (const { code, checkKey, severity } of findings)
    if (!subjects.has(code)) subjects.set(code, { code, checkKey, severity, area: "own" });
  const indexes = new Map([...subjects.keys()].map((code, at) => [code, at]));
  return { list: [...subjects.values()].map((subject) => ruleOf(subject, settings)), indexOf: (code) => indexes.get(code) ?? -1 };
}

function ruleOf({ code, checkKey, severity, area }: RuleSubject, settings: ExportSettings) {
  const { locale, texts } = settings;
  /** A text of the catalog with samples in place of values; the text for removed checks if it has none. */
  const text = (path: readonly string[], field: string) => {
    const found =
      texts.translate(locale, ["checks", checkKey, ...path, field]) ?? texts.translate(locale, ["retired", field], { key: checkKey });
    return plainText((found ?? code).replaceAll(placeholder, (_whole, name: string) => placeholderSample(name, locale, texts)));
  };
  const ofFinding = (field: string) => text(["findings", code], field);
  const [risk, reason] = [ofFinding("riskStatement"), text([], "reason")];
  const help = [
    reason,
    exportText(settings, "report/risk", { text: risk }),
    exportText(settings, "report/remediation", { text: ofFinding("remediation") }),
  ];
  const cwe = texts.cweOf(code);
  const helpUri = helpUriOf(code, checkKey, cwe, settings);
  const securitySeverity = securitySeverities[severity];
  return {
    id: code,
    name: shortened(ruleName(code), nameCharsMax),
    shortDescription: { text: shortened(ofFinding("title"), descriptionCharsMax) },
    fullDescription: { text: shortened(`${reason} ${risk}`, descriptionCharsMax) },
    help: { text: help.join("\n\n"), markdown: help.map(escapedMarkdown).join("\n\n") },
    ...(helpUri !== null && { helpUri }),
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: ["security", area, ...(cwe === null ? [] : [cwe, `external/cwe/${cwe.toLowerCase()}`])],
      precision: "very-high",
      ...(securitySeverity !== null && { "security-severity": securitySeverity }),
    },
  };
}

/** Words of the code in Pascal case, without the common first one: `HstsMaxAgeTooShort`. */
function ruleName(code: string): string {
  const words = code.replace(/^security\./, "").split(/[^a-z0-9]+/i);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("") || code;
}

/** The page of an appliance, or else of the weakness; null for neither. */
function helpUriOf(code: string, checkKey: string, cwe: string | null, { origin, checks }: ExportSettings): string | null {
  if (origin !== null && checks.some(({ key }) => key === checkKey)) return new URL(`/checks/${checkKey}#${code}`, origin).href;
  return cwe === null ? null : `https://cwe.mitre.org/data/definitions/${cwe.replace("CWE-", "")}.html`;
}
