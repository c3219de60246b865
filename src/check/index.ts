/**
 * The plugin API `assay/check`: the contract of a check and its verdict helpers, for `checks/` and for plugins. `src/authoring/assay-check.txt`
 * lists every name, so that a change of a module that is exported as a whole is seen.
 */

export type * from "../evidence/dns-facts.ts";
export type { Evidence, ProbeFailure, Reading, ReadingName, Subject } from "../evidence/evidence.ts";
export type * from "../evidence/facts.ts";
export type * from "../evidence/http-facts.ts";
export type { TlsVersion, WeakSuiteKind } from "../evidence/limits.ts";
export type * from "../evidence/page-facts.ts";
export type * from "../evidence/tls-facts.ts";
export type {
  Area,
  Check,
  CheckTexts,
  Condition,
  Effort,
  EvidenceFor,
  FindingCode,
  FindingDefinition,
  FindingTexts,
  HeaderSource,
  HeaderValues,
  Locale,
  RiskLevel,
  Severity,
  State,
} from "./check.ts";
export * from "./fix.ts";
// Older plugins import the parsers from here.
export * from "./parsers.ts";
export { registerCheck } from "./registry.ts";
export * from "./verdict.ts";
