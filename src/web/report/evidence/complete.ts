/** Evidence of an older assay may lack a question that was not put then: to the page it is one that was not asked. */
import { type Evidence, failed, readingNames } from "../../../evidence/evidence.ts";

export function withEveryReading(evidence: Evidence): Evidence {
  const notAsked = Object.fromEntries(readingNames.map((name) => [name, failed("not-asked")]));
  return { ...notAsked, ...evidence };
}
