/** How far a scan is, as its page, its events and its polls tell it. */
import type { ProgressStage } from "../../evidence/scan.ts";
import type { ScanStatus } from "../../store/scan-status.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Visit } from "../visit.ts";

/** A wait is told in steps of so many: it is a guess. */
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
export function waitingOf({ i18n, settings }: Visit, token: string): Waiting {
  const position = settings.store.scans.queuePosition(token);
  if (position === null) return { position: null, text: null };
  const place = i18n.t("progress.position", { position: i18n.number(position) });
  if (!settings.scanning.ready()) return { position, text: `${place} ${i18n.t("progress.notReady")}` };
  const waitMs = settings.scanning.progress.waitMs(position);
  return { position, text: waitMs === null ? place : `${place} ${i18n.t("progress.beginsIn", { wait: i18n.duration(guessed(waitMs)) })}` };
}

/** In seconds. */
function guessed(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000 / secondsStep)) * secondsStep;
}
