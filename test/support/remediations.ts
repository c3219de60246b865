/** Remediations of the built-in findings as the API sends them, in English. */

import { builtInChecks } from "../../checks/index.ts";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { type CheckTexts, fixesByCode } from "../../src/check/check.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { type FixedFinding, withServerLines } from "../../src/text/servers/server-lines.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": {} }, builtInChecks);
const checks: Readonly<Record<string, CheckTexts>> = enGb.checks;

/** Findings of all built-in checks that declare fixes, with values for their placeholders. */
export function fixedFindings(host: string): readonly FixedFinding[] {
  const values = { host, tlsHost: host, names: "sid" };
  return builtInChecks.flatMap((check) => Object.entries(fixesByCode(check)).map(([code, fixes]) => ({ code, fixes, values })));
}

/** Advice and lines, with the given values. Other placeholders stay. */
export function remediationOf(code: string, values: Readonly<Record<string, string | number>>): string {
  const key = Object.keys(checks).find((one) => Object.hasOwn(checks[one]?.findings ?? {}, code)) ?? "";
  const text = texts.translate("en-gb", ["checks", key, "findings", code, "remediation"], values);
  if (text === null) throw new Error(`no texts for ${code}`);
  return withServerLines(text, texts.fixesOf(code), values);
}
