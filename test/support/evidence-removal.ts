/** Removes all evidence that is due. The store does it in steps bounded in time, so a busy machine needs more of them. */
import type { RetentionRules } from "../../src/store/retention.ts";
import type { Store } from "../../src/store/store.ts";

/** How many scans lost their evidence. */
export async function removeDueEvidence({ retention }: Store, rules: RetentionRules, now: Date): Promise<number> {
  let [from, total]: [string | null, number] = [null, 0];
  do {
    const { next, removed } = await retention.removeEvidence(rules, now, from);
    [from, total] = [next, total + removed];
  } while (from !== null);
  return total;
}
