/** The door for check authors: everything a file in `checks/`, or one dropped beside the binary, may import. */
export type { ProbeFailure, Reading, ReadingName, Subject } from "../evidence/evidence.ts";
export type * from "../evidence/facts.ts";
export type {
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
export { fieldsNamed, firstHttpsAnswer, hostOf, isHttps, valuesNamed } from "./headers.ts";
export { registerCheck } from "./registry.ts";
export type { FindingValues, Found, Verdict } from "./verdict.ts";
export { notApplicable, notChecked, passed, violated, violatedBy } from "./verdict.ts";
