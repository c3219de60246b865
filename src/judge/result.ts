/** Judged result as stored: codes and values, never sentences. */
import type { Effort, RiskLevel, Severity, State } from "../check/check.ts";
import type { FindingValues } from "../check/verdict.ts";
import type { ProbeFailure } from "../evidence/evidence.ts";

// Score floors, ranks and bands in one table, so that they cannot contradict each other.

export const bands = ["good", "warn", "poor", "unknown"] as const;
export type Band = (typeof bands)[number];

export const ranks = ["excellent", "strong", "solid", "fair", "weak", "bad", "critical", "unknown"] as const;
export type Rank = (typeof ranks)[number];

/** Highest first; the first floor that the score reaches applies. */
const steps: readonly { readonly scoreMin: number; readonly rank: Rank; readonly band: Band }[] = [
  { scoreMin: 95, rank: "excellent", band: "good" },
  { scoreMin: 88, rank: "strong", band: "good" },
  { scoreMin: 80, rank: "solid", band: "good" },
  { scoreMin: 65, rank: "fair", band: "warn" },
  { scoreMin: 50, rank: "weak", band: "warn" },
  { scoreMin: 25, rank: "bad", band: "poor" },
  { scoreMin: 0, rank: "critical", band: "poor" },
];

/** Ranks of a band, highest first. */
export function ranksOf(band: Band): readonly Rank[] {
  return band === "unknown" ? ["unknown"] : steps.flatMap((step) => (step.band === band ? [step.rank] : []));
}

/** Rank and band of a score from 0 to 100; both `unknown` for null. */
export function standing(score: number | null): { readonly rank: Rank; readonly band: Band } {
  const step = score === null ? undefined : steps.find((row) => score >= row.scoreMin);
  return step === undefined ? { rank: "unknown", band: "unknown" } : { rank: step.rank, band: step.band };
}

/** Increased when rules of the ledger or the score change. Scores are comparable only with equal versions. */
export const algorithmVersion = 3;

/** Reason for `notChecked`, for the full report and the log; the API's security block omits it. */
export type NotCheckedBecause = `${string}: ${string}` | "header-truncated" | "headers-dropped" | "check-undecided" | "check-failed";

export interface LedgerRow {
  readonly key: string;
  readonly state: State;
  /** Weight of the check at the time of judging. Absent in results from older versions. */
  readonly weight?: number;
  /** Points that a violated row takes from the score. Absent in other rows, and in results of algorithm version 2 and older. */
  readonly charged?: number;
  /** Evidence used: names of readings, `subject`, and `headers.<name>` for declared header fields. */
  readonly evidence: readonly string[];
  readonly notCheckedBecause?: NotCheckedBecause;
  /** Maximum score by the part of a cut policy that was read; only for a row without a verdict. */
  readonly scoreMax?: number;
  /** Directives of that part that decide, separated by commas. */
  readonly readDirectives?: string;
  /** True for a verdict on a document that still changed when it was read; otherwise absent. */
  readonly stillChanging?: true;
}

export const serverBusy = "server-busy" satisfies ProbeFailure;

/** True for a row without a verdict because the appliance had too little processor time. One such row leaves the result without a score. */
export function isServerBusyRow({ notCheckedBecause }: LedgerRow): boolean {
  return notCheckedBecause?.endsWith(`: ${serverBusy}`) === true;
}

/** True for a violated row of weight 0, which is reported without effect on the score. */
export function isNote({ state, weight }: LedgerRow): boolean {
  return state === "violated" && weight === 0;
}

/** Severity, risk level and effort are copied, so that stored results never change with a definition. */
export interface StoredFinding {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
  readonly riskLevel: RiskLevel;
  readonly effort: Effort;
  readonly values: FindingValues;
}

/** Limits and data files behind a verdict. Scores are comparable only if they are equal. */
export interface ResultBasis {
  /** Longest header value that was read, in characters. */
  readonly headerValueCharsMax: number;
  /** Date of each data file that the scan used, `YYYY-MM-DD`, by name of its reading; `publicSuffixes` if not the embedded list. */
  readonly dataDates: Readonly<Record<string, string>>;
  /** Hash of the code of each plugin check, by key: `catalogVersion` has what checks declare. Absent without plugins. */
  readonly plugins?: Readonly<Record<string, string>>;
}

/** Score as if the server sent the headers that the lines of reports set. */
export interface LinesScore {
  /** 0 to 100. */
  readonly score: number;
  /** Codes of the findings whose lines are counted. */
  readonly codes: readonly string[];
}

/** Policy for the page as one scan saw it: the lines of the report send it. */
export interface ScanDraft {
  /** Enforced form, at most as long as scans read. It holds neither a nonce nor a line break. */
  readonly policy: string;
  /** What it leaves open: keys of texts. */
  readonly costs: readonly string[];
  /** What it would block: inline scripts, event handlers in attributes, and origins that it cannot name or has no space for. */
  readonly blocks: { readonly scripts: number; readonly handlers: number; readonly origins: number };
}

export interface StoredResult {
  readonly algorithmVersion: number;
  readonly catalogVersion: string;
  /** Absent in results of algorithm version 2 and older. */
  readonly basis?: ResultBasis;
  readonly measured: boolean;
  /** 0 to 100; null if not measured. */
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  /** One row per check of the catalog. */
  readonly ledger: readonly LedgerRow[];
  readonly findings: readonly StoredFinding[];
  /** Absent without a score, without lines for headers, and in results of older versions. */
  readonly lines?: LinesScore;
  /** Absent where the scan did not see the page, or all that it loads, and in results of older versions. */
  readonly draft?: ScanDraft;
}
