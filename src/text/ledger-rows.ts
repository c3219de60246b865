/** Ledger rows in reports: state, charges, unread rows, and the order of findings. */
import { chargeOf, type Effort, type FindingDefinition, type State, states, worstFirst } from "../check/check.ts";
import type { CheckDefinition } from "../check/registry.ts";
import {
  isNote,
  isServerBusyRow,
  type LedgerRow,
  type NotCheckedBecause,
  type StoredFinding,
  type StoredResult,
  serverBusy,
} from "../judge/result.ts";
import { hasCharges, heavyUnreadRows, isMainDefence, remainingScore, unreadDefenceScoreMax, unreadScoreMax } from "../judge/score.ts";
import type { PageLocale, Texts } from "./i18n.ts";

/** `note`: violated, but of a check that has no effect on the score. */
export type ShownState = State | "note";
export const shownStates: readonly ShownState[] = states.flatMap((state) => (state === "violated" ? [state, "note" as const] : [state]));

export function shownStateOf(row: LedgerRow): ShownState {
  return isNote(row) ? "note" : row.state;
}

export function countShownStates(rows: readonly LedgerRow[]): Readonly<Record<ShownState, number>> {
  const counts = shownStates.map((state) => [state, rows.filter((row) => shownStateOf(row) === state).length]);
  return Object.fromEntries(counts) as Record<ShownState, number>;
}

// Points that violated rows charge, from algorithm version 3 on.

export interface Charges {
  readonly points: number;
  /** Score after these charges, before caps. */
  readonly remaining: number;
}

/** Charges of a result; null for older versions, whose score is the share of the passed weight. */
export function chargesOf(result: StoredResult): Charges | null {
  if (!hasCharges(result)) return null;
  const points = result.ledger.reduce((sum, { charged = 0 }) => sum + charged, 0);
  return { points, remaining: remainingScore(points) };
}

// Explains why a result has no score, or which unread rows limit it, and what to do.

/** Reason why a result has no score; null if it has one. */
export function notMeasuredBecause(result: StoredResult, locale: PageLocale, texts: Texts): string | null {
  if (result.measured) return null;
  const failure = unreadBecause(result);
  if (failure === null) return texts.translate(locale, ["report", "notMeasured"]);
  const sentences = [
    texts.translate(locale, ["report", failure === serverBusy ? "notAllRead" : "pageNotRead"]),
    texts.translate(locale, ["pages", "evidence", "failures", failure]) ?? failure,
    scanInstead(failure, locale, texts),
  ];
  return sentences.filter((sentence) => sentence !== null).join(" ");
}

/** Failure by which a finished scan has no score; null if too little of a page that was read could be checked. */
export function unreadBecause({ ledger }: Pick<StoredResult, "ledger">): string | null {
  if (ledger.some(isServerBusyRow)) return serverBusy;
  return ledger.map(({ notCheckedBecause }) => pageFailure(notCheckedBecause)).find((because) => because !== null) ?? null;
}

function pageFailure(because: NotCheckedBecause | undefined): string | null {
  return because?.startsWith("page: ") ? because.slice("page: ".length) : null;
}

/** Advice if the page reading failed; null if there is no specific advice. */
export function scanInstead(failure: string, locale: PageLocale, texts: Texts): string | null {
  return texts.translate(locale, ["report", "scanInstead", failure]);
}

/** Maximum score while a check of this weight has no verdict; null if it does not limit the score. */
export function scoreMaxWhileUnread(weight: number): number | null {
  return isMainDefence(weight) ? unreadDefenceScoreMax : null;
}

/** A row without a verdict that limits the score, with the reason and the remedy. */
interface HeldBack {
  readonly key: string;
  /** As in `notChecked` of the full report. */
  readonly because: string;
  readonly remedy: string;
}

export interface HeldScore {
  /** Maximum score while these rows have no verdict. */
  readonly scoreMax: number;
  readonly rows: readonly HeldBack[];
}

export function isHeldBack(result: StoredResult): boolean {
  return heavyUnreadRows(result).length > 0;
}

/** Rows that limit the score; null if there are none, and for results before this limit existed. */
export function heldScore(result: StoredResult, locale: PageLocale, texts: Texts): HeldScore | null {
  const unread = heavyUnreadRows(result);
  const rows = unread.map(({ key, notCheckedBecause: because = "check-undecided", readDirectives: directives }) => {
    const readPart = directives === undefined ? null : texts.translate(locale, ["report", "readPart"], { directives });
    return { key, because, remedy: [readPart, remedyOf(because, locale, texts)].filter((text) => text !== null).join(" ") };
  });
  return rows.length === 0 ? null : { scoreMax: unreadScoreMax(unread), rows };
}

/** One remedy for all failed readings. */
function remedyOf(because: string, locale: PageLocale, texts: Texts): string {
  const remedy = texts.translate(locale, ["report", "remedies", because]) ?? texts.translate(locale, ["report", "remedies", "reading"]);
  return remedy ?? because;
}

// Order of findings in every report, on pages, in the terminal and in exports: what to fix first.

const firstStepsMax = 3;
/** Divisors of points by effort: a point of a high-effort fix counts a quarter. */
const effortDivisor: Readonly<Record<Effort, number>> = { low: 1, medium: 2, high: 4 };
const scoreMax = 100;

/** Effect of a finding on the score. */
interface FindingCost {
  /** Points that the finding charges, or the weight of its check by the rules of algorithm version 2; null in older results. */
  readonly points: number | null;
  /** Highest score while the finding exists, 0 to 100; null for most. */
  readonly scoreCap: number | null;
}

/** Properties that decide the order. */
interface OrderedFinding extends FindingCost {
  readonly finding: Pick<StoredFinding, "severity" | "effort">;
}

export interface CostedFinding extends OrderedFinding {
  readonly finding: StoredFinding;
}

/** Charge and cap by the catalog's definitions, since results store only the charge of a row. */
export function findingCost(finding: StoredFinding, result: StoredResult, checks: readonly CheckDefinition[]): FindingCost {
  const { charge, scoreCap } = declarationOf(finding, checks);
  const row = result.ledger.find(({ key }) => key === finding.checkKey);
  const charged = row?.charged;
  return {
    points: charged === undefined ? (row?.weight ?? null) : Math.min(charged, charge ?? charged),
    // A cap below the score was not in force at the scan.
    scoreCap: scoreCap !== null && result.score !== null && scoreCap < result.score ? null : scoreCap,
  };
}

type NamedFinding = Pick<StoredFinding, "code" | "checkKey" | "severity">;

/** Sorts findings that have only code and severity by `fixOrder`, with the definitions of the catalog. Stable. */
export function codesInFixOrder<F extends NamedFinding>(findings: readonly F[], checks: readonly CheckDefinition[]): readonly F[] {
  const costed = findings.map((known) => {
    const { charge: points, scoreCap, effort } = declarationOf(known, checks);
    return { known, finding: { severity: known.severity, effort }, points, scoreCap };
  });
  return fixOrder(costed).map(({ known }) => known);
}

/** Charge, cap and effort that the catalog declares for a finding; null, or medium effort, for a finding that has left it. */
function declarationOf({ code, checkKey }: Pick<NamedFinding, "code" | "checkKey">, checks: readonly CheckDefinition[]) {
  const check = checks.find(({ key }) => key === checkKey);
  const [, definition] = Object.entries<FindingDefinition>(check?.findings ?? {}).find(([name]) => name === code) ?? [];
  const charge = check === undefined || definition === undefined ? null : chargeOf(check, definition);
  return { charge, scoreCap: definition?.scoreCap ?? null, effort: definition?.effort ?? "medium" };
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
