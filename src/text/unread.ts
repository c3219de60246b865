/** Explains why a result has no score, or which unread rows limit it, and what to do. */

import type { NotCheckedBecause, StoredResult } from "../judge/result.ts";
import { heavyUnreadRows, isMainDefence, unreadDefenceScoreMax } from "../judge/score.ts";
import type { PageLocale, Texts } from "./i18n.ts";

/** Null for a measured result. */
export function notMeasuredBecause({ measured, ledger }: StoredResult, locale: PageLocale, texts: Texts): string | null {
  if (measured) return null;
  const failure = ledger.map(({ notCheckedBecause }) => pageFailure(notCheckedBecause)).find((because) => because !== null);
  if (failure === undefined) return texts.translate(locale, ["report", "notMeasured"]);
  const sentences = [
    texts.translate(locale, ["report", "pageNotRead"]),
    texts.translate(locale, ["pages", "evidence", "failures", failure]) ?? failure,
    scanInstead(failure, locale, texts),
  ];
  return sentences.filter((sentence) => sentence !== null).join(" ");
}

function pageFailure(because: NotCheckedBecause | undefined): string | null {
  return because?.startsWith("page: ") ? because.slice("page: ".length) : null;
}

/** What to scan or to change if the page reading failed; null if nothing in particular helps. */
export function scanInstead(failure: string, locale: PageLocale, texts: Texts): string | null {
  return texts.translate(locale, ["report", "scanInstead", failure]);
}

/** Maximum score while a check of this weight has no verdict; null if it does not limit the score. */
export function scoreMaxWhileUnread(weight: number): number | null {
  return isMainDefence(weight) ? unreadDefenceScoreMax : null;
}

/** A row without a verdict that limits the score, with the reason and the remedy. */
export interface HeldBack {
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

/** Null if no such row limits the score. Results from before this limit have none. */
export function heldScore(result: StoredResult, locale: PageLocale, texts: Texts): HeldScore | null {
  const rows = heavyUnreadRows(result).map(({ key, notCheckedBecause: because = "check-undecided" }) => ({
    key,
    because,
    remedy: remedyOf(because, locale, texts),
  }));
  return rows.length === 0 ? null : { scoreMax: unreadDefenceScoreMax, rows };
}

/** Failures of readings have one remedy. */
function remedyOf(because: string, locale: PageLocale, texts: Texts): string {
  const remedy = texts.translate(locale, ["report", "remedies", because]) ?? texts.translate(locale, ["report", "remedies", "reading"]);
  return remedy ?? because;
}
