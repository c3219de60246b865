/** Runs of one account that start at a time, if each of them can. */
import { createAdmission, type RunCandidate } from "../../../src/sites/run-starts.ts";

type Given = Pick<RunCandidate, "id" | "kind" | "dueAt"> & Partial<RunCandidate>;

/** `recentStarts`: times of intervals in milliseconds. */
export function admitAll<Run extends Given>(
  candidates: readonly Run[],
  recentStarts: readonly number[],
  now: Date,
  demandPerHour: number,
): readonly Run[] {
  const runs = candidates.map((run) => ({ accountId: 1, ...run, run }));
  const recent = recentStarts.map((atMs) => ({ atMs, accountId: 1, kind: "interval" as const }));
  const admission = createAdmission(runs, recent, now, demandPerHour);
  const admitted: Run[] = [];
  for (let next = admission.next(); next !== null; next = admission.next()) {
    admission.noteStart(next);
    admitted.push(next.run);
  }
  return admitted;
}
