/** State of a scan for its page, its events and its polled JSON. */
import { medianOf } from "../../base/median.ts";
import { type ProgressStage, progressStages, stagePercent } from "../../evidence/scan.ts";
import { localLocation } from "../../parse/location.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanStatus } from "../../store/scan-record.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import type { StagePercent } from "../client/progress-texts.ts";
import type { Visit } from "../visit.ts";

/** Estimated waits are rounded up to this step. */
const secondsStep = 5;

export interface Absence {
  /** Time since which no worker of the location is present, localized; null while one is. */
  readonly text: string | null;
}

export interface Waiting {
  /** Counted from 1; null unless queued. */
  readonly position: number | null;
  /** Position and estimated wait, localized; null unless queued. */
  readonly text: string | null;
}

/** Payload of every scan event. */
export interface ScanEventData {
  readonly stage: { readonly stage: ProgressStage };
  readonly percent: StagePercent;
  readonly position: Waiting;
  readonly absence: Absence;
  readonly done: { readonly status: "finished" | "failed" | "cancelled" };
}

/** What the script follows: a scan, or a proof with its steps as stages. */
export interface FollowedState extends Waiting, StagePercent {
  readonly status: ScanStatus;
  /** Null before the first and after the last stage. */
  readonly stage: string | null;
  /** See `Absence`. */
  readonly absence: string | null;
}

export interface ScanState extends FollowedState {
  readonly stage: ProgressStage | null;
}

export function stateOf(visit: Visit, scan: ScanRecord): ScanState {
  const { status, progressStage, progressPercent } = scan;
  return {
    status,
    stage: progressStage,
    ...progressWithin(visit, scan, progressStage, progressPercent),
    ...waitingOf(visit, scan),
    absence: absenceOf(visit, scan).text,
  };
}

/** Progress within a stage. A stage without times gets its share of the usual duration of a scan as usual time. */
export function progressWithin({ settings }: Visit, scan: ScanRecord, stage: ProgressStage | null, percent: number): StagePercent {
  if (stage === null) return { percent, towards: percent, usualMs: null, sinceMs: 0 };
  const next = progressStages[progressStages.indexOf(stage) + 1];
  const towards = next === undefined ? 100 : stagePercent[next];
  const { sinceMs, usualMs } = settings.scanning.progress.pace(scan.token) ?? { sinceMs: 0, usualMs: null };
  const scanMs = usualMs === null ? usualDurationMs(settings.store, scanLocationOf(scan)) : null;
  const shareMs = scanMs === null ? null : (scanMs * (towards - stagePercent[stage])) / 100;
  return { percent, towards, usualMs: usualMs ?? shareMs, sinceMs };
}

/** Reads the current queue, which moves while a page is open. */
export function waitingOf({ i18n, settings }: Visit, scan: ScanRecord): Waiting {
  const location = scanLocationOf(scan);
  const position = settings.store.scans.queuePosition(scan.token);
  if (position === null) return { position: null, text: null };
  const place = i18n.t("progress.position", { position: i18n.number(position) });
  if (location === localLocation && !settings.scanning.ready()) return { position, text: `${place} ${i18n.t("progress.notReady")}` };
  const waitMs = settings.scanning.progress.waitMs(position, location);
  return {
    position,
    text: waitMs === null ? place : `${place} ${i18n.t("progress.beginsIn", { wait: i18n.duration(roundedSeconds(waitMs)) })}`,
  };
}

/** The server itself is never absent. */
export function absenceOf({ i18n, settings }: Visit, scan: ScanRecord): Absence {
  const location = scanLocationOf(scan);
  const { locations } = settings.scanning;
  const since = location === localLocation ? null : locations.absentSince(location);
  if (since === null) return { text: null };
  return {
    text: i18n.count("location.absent", settings.config["fleet.wait_max"], { location, since: i18n.dateTime(since.toISOString()) }),
  };
}

/** Estimated wait in seconds, rounded up. */
function roundedSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1_000 / secondsStep)) * secondsStep;
}

/** Latest finished scans that are read: bounds the reads of a page. */
const scansRead = 50;
/** Latest finished scans of the location that count. */
const scansCounted = 25;
/** Fewer scans say nothing about the next one. */
const scansMin = 5;

/** Median duration of the latest finished scans of a location in milliseconds; null if there are too few. */
export function usualDurationMs({ publicScans }: Pick<Store, "publicScans">, location: string): number | null {
  const { items } = publicScans.list({ limit: scansRead, cursor: null });
  const ofLocation = items.filter((scan) => scanLocationOf(scan) === location).slice(0, scansCounted);
  const durationsMs = ofLocation.flatMap(({ startedAt, endedAt }) => {
    const durationMs = Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "");
    // A clock that was set back makes durations negative.
    return durationMs > 0 ? [durationMs] : [];
  });
  return durationsMs.length < scansMin ? null : medianOf(durationsMs);
}
