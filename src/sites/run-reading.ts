/** What the scans of a run showed: one reading for all addresses of a site. Pure. */
import { type Severity, worstFirst } from "../check/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { type StoredResult, serverBusy } from "../judge/result.ts";
import { heavyUnreadRows, unreadScoreMax } from "../judge/score.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { ShownPage } from "../store/site-events.ts";
import type { KnownCertificate, RunRules } from "../store/site-runs.ts";
import { sameRules } from "../text/comparison.ts";
import { chargesOf, unreadBecause } from "../text/ledger-rows.ts";

/** Failures of the appliance that the next run may not have. */
const passingFaults: readonly (ScanErrorCode | typeof serverBusy)[] = ["interrupted", "browser-unavailable", serverBusy];
/** Failures of the appliance, and ends that a person chose: they say nothing about the site. */
const ownFaults: readonly string[] = [...passingFaults, "cancelled" satisfies ScanErrorCode, "no-worker" satisfies ScanErrorCode];

/** Characters of the URL of a page that events name: their bodies have a limit. */
const shownUrlCharsMax = 500;

/** One address of a run. */
export interface ScannedAddress {
  readonly url: string;
  /** Undefined if it was deleted. */
  readonly scan: Pick<ScanRecord, "token" | "status" | "errorCode" | "endedAt"> | undefined;
  /** Undefined unless the scan finished. */
  readonly result: StoredResult | undefined;
}

export interface ReadFinding {
  readonly checkKey: string;
  /** The worst of all addresses. */
  readonly severity: Severity;
  /** Addresses that have it, in the order of the run. */
  readonly urls: readonly string[];
}

/** A check in the ledgers of a run. */
export interface ReadCheck {
  /** Whether every address of the run has a verdict. */
  readonly decided: boolean;
  /** Addresses with a verdict. */
  readonly decidedUrls: ReadonlySet<string>;
  /** Those of them to which the check does not apply. */
  readonly inapplicableUrls: ReadonlySet<string>;
  /** Names of the evidence that it uses. */
  readonly evidence: ReadonlySet<string>;
}

export type ReadCertificate = Pick<KnownCertificate, "validFrom" | "expiresAt">;

interface ReadRun {
  /** Addresses of the run in their order. */
  readonly addresses: readonly string[];
  /** Certificate at the first address; null if it was not read. */
  readonly certificate: ReadCertificate | null;
}

export interface UnmeasuredReading extends ReadRun {
  readonly measured: false;
  /** Code of the first address: of its scan, or of the page that a finished scan could not read. Null if neither is known. */
  readonly errorCode: string | null;
  /** Host of another site to which the first address leads. */
  readonly leadsTo?: string;
  /** The cause lies with the appliance or a person. */
  readonly ownFault: boolean;
}

export interface MeasuredReading extends ReadRun {
  readonly measured: true;
  readonly rules: RunRules;
  /** When the first address was judged. */
  readonly judgedAt: string;
  /** Scan of the first address. */
  readonly token: string;
  /** At the first address; absent if it was not read. */
  readonly page?: ShownPage | undefined;
  /** Lowest of all measured addresses. */
  readonly score: number;
  /** Scores by measured address, without the limit for unread main defences: a check without a verdict must not lower it. */
  readonly scores: ReadonlyMap<string, number>;
  /** Findings by code. */
  readonly findings: ReadonlyMap<string, ReadFinding>;
  /** Checks by key. */
  readonly checks: ReadonlyMap<string, ReadCheck>;
  /** Code of each address that was not measured; null for a scan that finished without a score. */
  readonly unmeasured: ReadonlyMap<string, string | null>;
}

export type RunReading = MeasuredReading | UnmeasuredReading;

interface MeasuredAddress {
  readonly url: string;
  readonly result: StoredResult & { readonly score: number };
}

/**
 * `evidence`: of the first address, which decides whether the run is measured. The other addresses count if they are measured by the same
 * rules. Without one of them, no check is decided, and the score counts the others only: too high, never too low.
 */
export function readRun(scanned: readonly ScannedAddress[], evidence: Evidence | undefined): RunReading {
  const addresses = scanned.map(({ url }) => url);
  const certificate = certificateOf(evidence);
  const measured = measuredOf(scanned);
  const [first] = measured;
  const scan = scanned[0]?.scan;
  if (first === undefined || first.url !== addresses[0] || scan === undefined) {
    const errorCode = codeOf(scanned[0]);
    return { measured: false, addresses, certificate, errorCode, ownFault: scan === undefined || isOwnFault(errorCode) };
  }
  const scores = new Map(measured.map(({ url, result }) => [url, scoreWithoutUnread(result)]));
  const isMissing = ({ url }: ScannedAddress) => !measured.some((one) => one.url === url);
  return {
    measured: true,
    addresses,
    certificate,
    rules: rulesOf(measured.map(({ result }) => result)),
    judgedAt: scan.endedAt ?? "",
    token: scan.token,
    page: pageOf(evidence),
    score: Math.min(...measured.map(({ result }) => result.score)),
    scores,
    findings: findingsOf(measured),
    checks: checksOf(measured, addresses.length),
    unmeasured: new Map(scanned.filter(isMissing).map((one) => [one.url, codeOf(one)])),
  };
}

function codeOf(address: ScannedAddress | undefined): string | null {
  return address?.scan?.errorCode ?? (address?.result === undefined ? null : unreadBecause(address.result));
}

function pageOf(evidence: Evidence | undefined): ShownPage | undefined {
  if (evidence?.navigation.status !== "read" || evidence.dom.status !== "read") return undefined;
  const { origin, pathname } = new URL(evidence.navigation.facts.finalUrl);
  const asksPassword = evidence.markup?.status === "read" && evidence.markup.facts.passwordFields > 0;
  return { url: `${origin}${pathname}`.slice(0, shownUrlCharsMax), title: evidence.dom.facts.title, asksPassword };
}

export function isOwnFault(errorCode: string | null): boolean {
  return ownFaults.some((code) => code === errorCode);
}

/** True for an own fault that a repetition of the run may not have. */
export function mayPass(errorCode: string | null): boolean {
  return passingFaults.some((code) => code === errorCode);
}

/** A catalog may be replaced during a run: addresses that other rules judged than the first one are left out. */
function measuredOf(scanned: readonly ScannedAddress[]): readonly MeasuredAddress[] {
  const rules = scanned[0]?.result;
  return scanned.flatMap(({ url, scan, result }) => {
    if (scan === undefined || result === undefined || rules === undefined) return [];
    const { score, measured } = result;
    return score !== null && measured && sameRules(rules, result) ? [{ url, result: { ...result, score } }] : [];
  });
}

/** Each address may use other data files, and a file that one of them used belongs to the rules. */
function rulesOf(results: readonly StoredResult[]): RunRules {
  const { algorithmVersion = 0, catalogVersion = "", basis } = results[0] ?? {};
  if (basis === undefined) return { algorithmVersion, catalogVersion };
  const dataDates = Object.assign({}, ...results.map((result) => result.basis?.dataDates));
  return { algorithmVersion, catalogVersion, basis: { ...basis, dataDates } };
}

function scoreWithoutUnread(result: MeasuredAddress["result"]): number {
  const isLimited = heavyUnreadRows(result).length > 0 && result.score === unreadScoreMax(result.ledger);
  return isLimited ? (chargesOf(result)?.remaining ?? result.score) : result.score;
}

function findingsOf(measured: readonly MeasuredAddress[]): ReadonlyMap<string, ReadFinding> {
  const all = measured.flatMap(({ url, result }) => result.findings.map((finding) => ({ ...finding, url })));
  const byCode = Map.groupBy(all, ({ code }) => code);
  return new Map(
    [...byCode].map(([code, found]) => {
      const [worst] = found.toSorted(worstFirst);
      const { checkKey = "", severity = "info" } = worst ?? {};
      return [code, { checkKey, severity, urls: [...new Set(found.map(({ url }) => url))] }];
    }),
  );
}

function checksOf(measured: readonly MeasuredAddress[], addressCount: number): ReadonlyMap<string, ReadCheck> {
  const rows = Map.groupBy(
    measured.flatMap(({ url, result }) => result.ledger.map((row) => ({ ...row, url }))),
    ({ key }) => key,
  );
  return new Map(
    [...rows].map(([key, ofCheck]) => {
      const decidedUrls = new Set(ofCheck.flatMap(({ state, url }) => (state === "notChecked" ? [] : url)));
      const inapplicableUrls = new Set(ofCheck.flatMap(({ state, url }) => (state === "notApplicable" ? url : [])));
      const evidence = new Set(ofCheck.flatMap((row) => row.evidence));
      return [key, { decided: decidedUrls.size === addressCount, decidedUrls, inapplicableUrls, evidence }];
    }),
  );
}

function certificateOf(evidence: Evidence | undefined): ReadCertificate | null {
  const leaf = evidence?.tls?.status === "read" ? evidence.tls.facts.chain[0] : undefined;
  if (leaf === undefined || Number.isNaN(Date.parse(leaf.validFrom)) || Number.isNaN(Date.parse(leaf.validTo))) return null;
  return { validFrom: leaf.validFrom, expiresAt: leaf.validTo };
}
