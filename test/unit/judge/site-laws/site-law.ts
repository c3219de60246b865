/** The law on changes of a site, for tests and for `npm run fuzz`. */

import { builtInChecks } from "../../../../checks/index.ts";
import { judgeEvidence } from "../../../../src/judge/ledger.ts";
import type { StoredResult } from "../../../../src/judge/result.ts";
import { landmarkKeys } from "../../../support/finished-scans.ts";
import { type Change, improvementsOf, worseningsOf } from "./changes.ts";
import { pastedChanges } from "./pasted.ts";
import { evidenceOf, type Site } from "./site.ts";

/** The model has what these checks need. A check that is added later joins when the landmarks are captured again. */
const modelledChecks = builtInChecks.filter(({ key }) => landmarkKeys.includes(key));

export function judgedSite(site: Site): StoredResult {
  const faults: string[] = [];
  const result = judgeEvidence(evidenceOf(site), { checks: modelledChecks, version: "test" }, (key, fault) =>
    faults.push(`${key}: ${fault}`),
  );
  if (faults.length > 0) throw new Error(faults.join("; "));
  return result;
}

export interface Pair {
  readonly change: string;
  /** The worse of the two sites, and the better one. */
  readonly worse: StoredResult;
  readonly better: StoredResult;
}

/** One change of the site, chosen by a number: the two results in the order that the law demands. */
export function pairOf(site: Site, choice: number): Pair {
  const before = judgedSite(site);
  const improvements = [...improvementsOf(site), ...pastedChanges(site, before.findings)];
  const worsenings = worseningsOf(site);
  const at = choice % (improvements.length + worsenings.length);
  const improvement = improvements[at];
  const { name, after } = improvement ?? (worsenings[at - improvements.length] as Change);
  const result = judgedSite(after);
  return improvement === undefined ? { change: name, worse: result, better: before } : { change: name, worse: before, better: result };
}

/** Cap of a site without https, or with a certificate that browsers refuse: single points mean nothing there. */
const refusedScoreMax = 20;

/** Sentence on a pair that breaks the law; null for a lawful one. Charges are compared too, because other caps hide them in the score. */
export function breachOf({ change, worse, better }: Pair): string | null {
  if (worse.score === null || better.score === null) return `${change}: not measured`;
  const refused = better.score <= refusedScoreMax;
  if (better.score >= worse.score && (refused || chargesOf(better) <= chargesOf(worse))) return null;
  return `${change}: ${worse.score} for the worse site, ${better.score} for the better one: ${differences(worse, better).join(", ")}`;
}

function chargesOf({ ledger }: StoredResult): number {
  return ledger.reduce((sum, { charged = 0 }) => sum + charged, 0);
}

function differences(worse: StoredResult, better: StoredResult): readonly string[] {
  return better.ledger.flatMap((row, at) => {
    const before = worse.ledger[at];
    if (before?.state === row.state && before.charged === row.charged) return [];
    return [`${row.key} ${before?.state} ${before?.charged ?? 0} -> ${row.state} ${row.charged ?? 0}`];
  });
}
