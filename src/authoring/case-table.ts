/** Table of test cases of one check, as its author writes it. */
import type { FindingCode } from "../check/check.ts";
import type { FindingValues } from "../check/verdict.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { type EvidenceGiven, evidence } from "./evidence-given.ts";

/** Evidence of a case: changes to a plain https page, or captured evidence. */
export type CaseEvidence = EvidenceGiven | Evidence;
/** Description of a case, and its evidence. */
export type Case = readonly [words: string, given: CaseEvidence];
/** `also`: other codes of the same evidence. `values`: values that the finding must quote. */
export type ViolationCase<Code> = readonly [
  words: string,
  given: CaseEvidence,
  expected?: { readonly also?: readonly Code[]; readonly values?: FindingValues },
];

export interface CaseTable<Code extends FindingCode> {
  readonly passed: readonly [Case, ...Case[]];
  /** Empty only for a check that always applies. */
  readonly notApplicable: readonly Case[];
  /** Cases besides failed readings and cut headers, which are added automatically. */
  readonly notChecked?: readonly Case[];
  /** A case for every declared finding. */
  readonly violated: { readonly [C in Code]: readonly [ViolationCase<Code>, ...ViolationCase<Code>[]] };
}

/** Table of a check whose codes are not known to the compiler. */
export type AnyCaseTable = CaseTable<FindingCode>;

/** Complete evidence of a case. */
export function evidenceOf(given: CaseEvidence): Evidence {
  return "subject" in given ? given : evidence(given);
}
