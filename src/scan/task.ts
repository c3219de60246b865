/** Scan tasks for the threads of the pool: what is to be gathered, what comes back, and how an address is unreachable. */
import type { BrowserEvent } from "../browser/slot.ts";
import type { TargetCredentials } from "../egress/credentials.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { type Evidence, failed, isServerBusy, type ProbeFailure, type Subject } from "../evidence/evidence.ts";
import { headerValueCharsMax, scanSecondsDefault } from "../evidence/limits.ts";
import type { Observation } from "../evidence/observation.ts";
import type { ProgressStage, ScanErrorCode, Timings } from "../evidence/scan.ts";
import type { LinesScore, ScanDraft, StoredResult } from "../judge/result.ts";
import { isHttps } from "../parse/header-fields.ts";
import type { ScriptAdvisories } from "../parse/script-libraries.ts";
import { givenPublicSuffixes, hostOf, registrableDomainOf } from "../parse/site.ts";
import type { PageDeadlines, PageReadings } from "../probe/browser/page.ts";
import type { PageOverrides } from "../probe/browser/page-fetch.ts";

/** Deadlines of a scan, in milliseconds. */
export interface ScanDeadlines extends PageDeadlines {
  /** The whole scan, from the first lookup to the last fact. */
  readonly scanMs: number;
  /** Each probe other than the browser's. */
  readonly probeMs: number;
  /** The first try to judge. */
  readonly judgeMs: number;
}

export const defaultDeadlines: ScanDeadlines = {
  scanMs: scanSecondsDefault * 1_000,
  navigationMs: 30_000,
  settleMs: 500,
  settleMaxMs: 5_000,
  documentMs: 5_000,
  probeMs: 10_000,
  judgeMs: 5_000,
};

/** A visit of a proof, which is one of many, in milliseconds: a page that takes longer is not proven. */
const visitMsMax = 45_000;

/** Deadlines of one visit. */
export function visitDeadlines(deadlines: ScanDeadlines): ScanDeadlines {
  return { ...deadlines, scanMs: Math.min(deadlines.scanMs, visitMsMax) };
}

export interface GatherTask {
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly scannedAt: string;
  readonly egress: EgressSettings;
  readonly caPems: readonly string[];
  /** Advisories of the operator; null for the embedded ones. */
  readonly scriptAdvisories: ScriptAdvisories | null;
  readonly screenshot: boolean;
  /** Credentials of the user, for pages behind a sign-in; null without. */
  readonly credentials: TargetCredentials | null;
  /** Characters kept of a header value. */
  readonly headerValueCharsMax: number;
  readonly deadlines: ScanDeadlines;
  /** Set for the second attempt: a browser without earlier pages, which could be the cause if it breaks again. */
  readonly freshBrowser: boolean;
}

export interface Gathered {
  readonly evidence: Evidence;
  /** Apart from the evidence, which is served as JSON. */
  readonly screenshot: Uint8Array | null;
  readonly timings: Timings;
  /** Set if the page was not reachable; then nothing is judged. */
  readonly unreachable: ScanErrorCode | null;
  /** The browser broke, so the page was not read: the scan is gathered once more. */
  readonly browserBroke: boolean;
  /** Refusals of the SSRF guard for the operator's log, with the setting that allows them. */
  readonly refusals: readonly string[];
}

/** One visit of a page for a proof. */
export interface VisitTask extends GatherTask {
  /** Null to change nothing. */
  readonly overrides: PageOverrides | null;
}

/** What a proof compares. */
export interface Visited {
  readonly readings: PageReadings;
  readonly observation: Observation;
  readonly screenshot: Uint8Array | null;
  readonly browserBroke: boolean;
  /** See `Gathered`. */
  readonly refusals: readonly string[];
}

/** No browser could be started; nothing was gathered. */
export interface BrowserUnavailable {
  readonly browserUnavailable: string;
}

export interface JudgeTask {
  readonly evidence: Evidence;
  /** Keys of plugins that hung or ended their thread: skipped, `notChecked`. */
  readonly hung: readonly string[];
}

export interface Judged {
  readonly result: StoredResult;
  /** As the stored result has it; null without. */
  readonly lines: LinesScore | null;
  readonly draft: ScanDraft | null;
  /** Contract violations of checks, for the operator's log. */
  readonly faults: readonly { readonly key: string; readonly fault: string }[];
}

export interface WorkerTasks {
  readonly gather: { readonly task: GatherTask; readonly value: Gathered | BrowserUnavailable };
  readonly visit: { readonly task: VisitTask; readonly value: Visited | BrowserUnavailable };
  /** Starts the browser of an idle slot before its first scan. */
  readonly startBrowser: { readonly task: null; readonly value: null };
  readonly judge: { readonly task: JudgeTask; readonly value: Judged };
}

/** Steps of a scan for the debug log; their number is bounded. */
export type ScanTrace =
  | { readonly event: "probe started"; readonly probe: string }
  /**
   * `stoodMs`: part of `ms` in which this thread could not go on, such as without processor time; absent for none. `fault` is the message
   * of an exception, which is a defect of the probe.
   */
  | { readonly event: "probe ended"; readonly probe: string; readonly ms: number; readonly stoodMs?: number; readonly fault?: string }
  /** `ms` since the start of the scan. */
  | { readonly event: "egress blocked"; readonly refusal: string; readonly ms: number };

export type WorkerMessage =
  | { readonly type: "started" }
  | { readonly type: "stage"; readonly stage: ProgressStage }
  | { readonly type: "trace"; readonly trace: ScanTrace }
  | { readonly type: "browser"; readonly event: BrowserEvent }
  /** Sent before each check runs, so that a hung check is known. */
  | { readonly type: "judging"; readonly key: string };

export type ScanOutcome =
  | {
      readonly status: "finished";
      readonly result: StoredResult;
      readonly evidence: Evidence;
      readonly screenshot: Uint8Array | null;
      readonly timings: Timings;
    }
  | { readonly status: "failed"; readonly code: ScanErrorCode; readonly evidence: Evidence | null; readonly timings: Timings };

/**
 * Subject for an absolute http or https URL; `scannedAt` is ISO 8601, UTC.
 * @throws TypeError for an invalid URL.
 */
export function subjectOf(url: string, scannedAt: string, headerCharsMax = headerValueCharsMax): Subject {
  const parsed = new URL(url);
  parsed.hash = "";
  const host = hostOf(url) ?? "";
  const listDate = givenPublicSuffixes()?.date;
  return {
    url: parsed.href,
    host,
    registrableDomain: registrableDomainOf(host),
    scannedAt,
    ...(headerCharsMax === headerValueCharsMax ? {} : { headerValueCharsMax: headerCharsMax }),
    ...(listDate === undefined ? {} : { publicSuffixesDate: listDate }),
  };
}

/**
 * Error code if the page was not reachable, else null. A browser may refuse a server that our own client can read, such as
 * one with TLS 1.0 only: that is judged, and the result is not measured. So is a server to which plain HTTP redirects, and one that this
 * appliance was too busy to read.
 */
export function unreachableBecause({ subject, navigation, tls }: Evidence): ScanErrorCode | null {
  if (navigation.status === "read" || isServerBusy(navigation)) return null;
  const isAboutTls = isHttps(subject.url) || navigation.because === "tls" || navigation.because === "tls-incompatible";
  if (navigation.because !== "blocked" && isAboutTls && (tls.status === "read" || isServerBusy(tls))) return null;
  return scanErrorCodeOf[navigation.because];
}

/** Error code of the scan by failure of the navigation. */
export const scanErrorCodeOf: Readonly<Record<ProbeFailure, ScanErrorCode>> = {
  timeout: "timeout",
  refused: "refused",
  unresolved: "unresolved",
  unreachable: "unreachable",
  blocked: "blocked",
  tls: "tls",
  "tls-incompatible": "tls",
  invalid: "invalid",
  redirects: "redirects",
  "server-error": "unreachable",
  challenged: "unreachable",
  "client-error": "unreachable",
  "sign-in-required": "unreachable",
  "no-content": "unreachable",
  "no-location": "unreachable",
  download: "unreachable",
  "too-large": "too-large",
  unsupported: "invalid",
  crashed: "crashed",
  "server-busy": "crashed",
  "not-asked": "crashed",
};

/** Copy in which every reading of the page failed as `crashed`: a failure of this appliance, not of the site. It may know a reason already. */
export function withCrashedPage(gathered: Gathered): Gathered {
  if (isServerBusy(gathered.evidence.navigation)) return gathered;
  const crashed = failed("crashed");
  const ofPage = { navigation: crashed, page: crashed, dom: crashed, markup: crashed, requests: crashed, crossOrigin: crashed };
  const evidence = { ...gathered.evidence, ...ofPage, scripts: crashed, scriptLibraries: crashed };
  return { ...gathered, evidence, screenshot: null, unreachable: unreachableBecause(evidence) };
}
