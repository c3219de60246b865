/** Scans whose values, path, plugin texts and accepted reasons are hostile texts. */
import fc from "fast-check";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts } from "../../src/check/check.ts";
import type { CheckDefinition } from "../../src/check/registry.ts";
import type { ExportedScan, ExportSettings } from "../../src/export/export.ts";
import type { LedgerRow, StoredFinding } from "../../src/judge/result.ts";
import { parseScanUrl } from "../../src/parse/scan-url.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { exportedScan, exportSettings } from "../support/exported-scans.ts";
import { inputsOf } from "./inputs.ts";

/** Syntax of every format, of spreadsheets and of services that link names. */
const tokens = [
  ..."|`*_[]()<>&\"'\\#@:;,.!~$^{}=+-%?/ \t\n\r\0\x1b\x7f\x85",
  "\ud800",
  "\udc00",
  "\u{1f600}",
  "\u200b\u202e\u2066\ufeff\ufffe\uffff",
  "\u2028\u2029",
  "\uff1d\uff0b\uff0d\uff20",
  "\ue000\ue001",
  "]]>",
  "<![CDATA[",
  "<!--",
  "-->",
  "</failure>",
  "</details>",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "&#0;",
  "&lt;",
  "%00%2e%zz",
  "../",
  "](https://evil.example/)",
  "https://evil.example",
  "www.evil.example",
  "mailto:a@evil.example",
  "@octocat",
  "#123",
  "\n# a",
  "\n- a",
  "\n| --- |",
  "\n```\n",
  "\n===\n",
  "\r\n\r\n",
  '","',
  "=cmd|'/c calc'!A1",
  "{0}",
  "{{host}}",
  "$t(report)",
  "key",
  "__proto__",
];
const samples = ["default-src 'self'; script-src https://cdn.example", "PHPSESSID=1; Path=/", "a sentence. And another one."];

const plugin = "own-check";
const pluginCodes = ["security.own.first", "security.own.second"] as const;
const gone = { code: "security.gone.found", checkKey: "gone-check" };
const builtIn = { code: "security.hsts.max-age-too-short", checkKey: "hsts-effective" };

export interface HostileTexts {
  /** Value that a finding quotes. */
  readonly value: string;
  /** Part of the address behind the host. */
  readonly path: string;
  /** Text of a plugin. */
  readonly text: string;
  /** Reason of an accepted finding. */
  readonly reason: string;
}

const hostile = inputsOf({ tokens, samples });
export const hostileTexts: fc.Arbitrary<HostileTexts> = fc.record({ value: hostile, path: hostile, text: hostile, reason: hostile });

/** A scan with findings of a plugin, of a built-in check and of a check that is gone. The first is accepted, the second in the baseline. */
export function hostileScan({ value, path, reason }: HostileTexts): ExportedScan {
  const bare = exportedScan("bare");
  if (bare.result === null) throw new Error("the bare site has no result");
  const rated = { severity: "high", riskLevel: "medium", effort: "low", values: { value } } as const;
  const findings: readonly StoredFinding[] = [
    ...pluginCodes.map((code) => ({ ...rated, code, checkKey: plugin })),
    { ...rated, ...builtIn },
    { ...rated, ...gone },
    { ...rated, ...builtIn },
  ];
  const ledger: readonly LedgerRow[] = [
    ...[plugin, builtIn.checkKey, gone.checkKey].map((key) => ({ key, state: "violated", weight: 3, charged: 3, evidence: [] }) as const),
    { key: "dnssec", state: "notChecked", weight: 2, evidence: [], notCheckedBecause: "dns: timeout" },
  ];
  const url = parseScanUrl(`https://host.example/${path.replaceAll(/[\s\p{Cc}\\]/gu, "%20")}`);
  return {
    ...bare,
    scan: { ...bare.scan, url: "url" in url ? url.url : "https://host.example/" },
    result: { ...bare.result, ledger, findings },
    evidence: null,
    marks: new Map([
      [pluginCodes[0], { accepted: { reason, until: null }, inBaseline: null }],
      [pluginCodes[1], { accepted: null, inBaseline: true }],
    ]),
  };
}

/** Settings whose catalog has the plugin and the built-in check, so that rules are few. */
export function hostileSettings({ text }: HostileTexts, given: Partial<ExportSettings> = {}): ExportSettings {
  const finding = { title: `${text} {{value}}`, detail: `{{value}}${text}`, riskStatement: text, remediation: `${text}\nnginx: ${text}` };
  const own: CheckTexts = { label: text, reason: text, findings: Object.fromEntries(pluginCodes.map((code) => [code, finding])) };
  const ofHsts = (texts: { readonly "hsts-effective": CheckTexts }) => ({ [plugin]: own, "hsts-effective": texts["hsts-effective"] });
  const settings = exportSettings();
  const hsts = settings.checks.filter(({ key }) => key === builtIn.checkKey);
  const rated = { severity: "high", riskLevel: "medium", effort: "low" } as const;
  const definition: CheckDefinition = {
    key: plugin,
    weight: 3,
    reads: ["page"],
    findings: { [pluginCodes[0]]: rated, [pluginCodes[1]]: { ...rated, cwe: 79 } },
  };
  const checks = [definition, ...hsts];
  return { ...settings, checks, texts: createTexts({ "en-gb": ofHsts(enGb.checks), "de-de": ofHsts(deDe.checks) }, checks), ...given };
}
