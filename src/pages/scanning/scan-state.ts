/** How far a scan is, as its page, its events and its polls tell it. */
import type { ProgressStage } from "../../scan/task.ts";
import type { ScanStatus } from "../../store/scan-status.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Visit } from "../visit.ts";

/** A wait is told in seconds up to here, and in steps of `secondsStep`: it is a guess. */
const secondsToldMax = 90;
const secondsStep = 5;

export interface Waiting {
  /** From 1; null for a scan that does not wait. */
  readonly position: number | null;
  /** Place and probable wait in the visitor's language; null for a scan that does not wait. */
  readonly text: string | null;
}

/** What each event of a scan carries. */
export interface ScanEventData {
  readonly stage: { readonly stage: ProgressStage };
  readonly percent: { readonly percent: number };
  readonly position: Waiting;
  readonly done: { readonly status: "finished" | "failed" };
}

export interface ScanState extends Waiting {
  readonly status: ScanStatus;
  /** Null before the first stage and after the last. */
  readonly stage: ProgressStage | null;
  /** 0 to 100. */
  readonly percent: number;
}

export function stateOf(visit: Visit, scan: ScanRecord): ScanState {
  const { status, progressStage, progressPercent } = scan;
  return { status, stage: progressStage, percent: progressPercent, ...waitingOf(visit, scan.token) };
}

/** Asks the store anew: the queue moves while a page is open. */
export function waitingOf({ words, settings }: Visit, token: string): Waiting {
  const position = settings.store.queuePosition(token);
  if (position === null) return { position: null, text: null };
  const place = words.say("progress.position", { position: words.number(position) });
  if (!settings.scanning.ready()) return { position, text: `${place} ${words.say("progress.notReady")}` };
  const waitMs = settings.scanning.progress.waitMs(position);
  return { position, text: waitMs === null ? place : `${place} ${waitText(words, waitMs / 1_000)}` };
}

function waitText(words: Visit["words"], seconds: number): string {
  if (seconds > secondsToldMax) return words.count("progress.minutes", Math.ceil(seconds / 60));
  return words.count("progress.seconds", Math.max(secondsStep, Math.ceil(seconds / secondsStep) * secondsStep));
}
