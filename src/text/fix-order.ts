/** Order of findings in every report, on pages, in the terminal and in exports: what to fix first. */
import { chargeOf, type Effort, type FindingDefinition, worstFirst } from "../check/check.ts";
import type { CheckDefinition } from "../check/registry.ts";
import type { LedgerRow, StoredFinding, StoredResult } from "../judge/result.ts";

const firstStepsMax = 3;
/** Points of a fix of high effort count a quarter of those of a line of configuration. */
const effortDivisor: Readonly<Record<Effort, number>> = { low: 1, medium: 2, high: 4 };
const scoreMax = 100;

/** What a finding costs the score. */
export interface FindingCost {
  /** Points that the finding charges, or the weight of its check by the rules of algorithm version 2; null in older results. */
  readonly points: number | null;
  /** Highest score while the finding exists, 0 to 100; null for most. */
  readonly scoreCap: number | null;
}

/** What the order depends on. */
interface OrderedFinding extends FindingCost {
  readonly finding: Pick<StoredFinding, "severity" | "effort">;
}

export interface CostedFinding extends OrderedFinding {
  readonly finding: StoredFinding;
}

/** Charge and cap by the catalog's definitions, since results store only the charge of a row. */
export function findingCost(finding: StoredFinding, result: StoredResult, checks: readonly CheckDefinition[]): FindingCost {
  const check = checks.find(({ key }) => key === finding.checkKey);
  const definition = definitionOf(check, finding.code);
  const row = result.ledger.find(({ key }) => key === finding.checkKey);
  const cap = definition?.scoreCap ?? null;
  return {
    points: pointsOf(row, check, definition),
    // A cap below the score was not in force at the scan.
    scoreCap: cap !== null && result.score !== null && cap < result.score ? null : cap,
  };
}

/** Findings known by code and severity alone, in the order of `fixOrder` by the definitions of the catalog. Stable. */
export function codesInFixOrder<F extends Pick<StoredFinding, "code" | "checkKey" | "severity">>(
  findings: readonly F[],
  checks: readonly CheckDefinition[],
): readonly F[] {
  const costed = findings.map((known) => {
    const check = checks.find(({ key }) => key === known.checkKey);
    const definition = definitionOf(check, known.code);
    const points = check === undefined || definition === undefined ? null : chargeOf(check, definition);
    const finding = { severity: known.severity, effort: definition?.effort ?? "medium" };
    return { known, finding, points, scoreCap: definition?.scoreCap ?? null };
  });
  return fixOrder(costed).map(({ known }) => known);
}

function definitionOf(check: CheckDefinition | undefined, code: string): FindingDefinition | undefined {
  return Object.entries<FindingDefinition>(check?.findings ?? {}).find(([name]) => name === code)?.[1];
}

function pointsOf(
  row: LedgerRow | undefined,
  check: CheckDefinition | undefined,
  definition: FindingDefinition | undefined,
): number | null {
  if (row?.charged === undefined) return row?.weight ?? null;
  return check === undefined || definition === undefined ? row.charged : Math.min(row.charged, chargeOf(check, definition));
}

/** Notes last. Before them the worst severity first, then the lowest cap, then most points for the effort. Stable. */
export function fixOrder<F extends OrderedFinding>(findings: readonly F[]): readonly F[] {
  return findings.toSorted(
    (one, other) =>
      Number(one.points === 0) - Number(other.points === 0) ||
      worstFirst(one.finding, other.finding) ||
      (one.scoreCap ?? scoreMax) - (other.scoreCap ?? scoreMax) ||
      gainOf(other) - gainOf(one),
  );
}

/** Points for the effort; comparable only with other gains. */
function gainOf({ finding: { effort }, points }: OrderedFinding): number {
  return (points ?? 1) / effortDivisor[effort];
}

/** The first steps: at most three findings that cost points. `findings` in the order of `fixOrder`. */
export function fixFirst<F extends CostedFinding>(findings: readonly F[]): readonly F[] {
  return findings.filter(({ points }) => points !== 0).slice(0, firstStepsMax);
}

/** The result with its findings in the order of `fixOrder`. */
export function inFixOrder(result: StoredResult, checks: readonly CheckDefinition[]): StoredResult {
  const costed = result.findings.map((finding) => ({ finding, ...findingCost(finding, result, checks) }));
  return { ...result, findings: fixOrder(costed).map(({ finding }) => finding) };
}
