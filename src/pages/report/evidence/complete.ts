/** Evidence of an older assay may lack a question that was not put then: to the page it is one that was not asked. */
import { type Evidence, failed, type ReadingName } from "../../../evidence/evidence.ts";

/** `names`: of all readings that there are today. */
export function withEveryReading(evidence: Evidence, names: readonly ReadingName[]): Evidence {
  const notAsked = Object.fromEntries(names.map((name) => [name, failed("not-asked")]));
  return { ...notAsked, ...evidence };
}
