/** Notices before a certificate expires. Pure. */
import { dayMs } from "../base/units.ts";
import type { KnownCertificate, RunConclusion, SiteState } from "../store/site-runs.ts";
import type { ReadCertificate } from "./run-reading.ts";

/** Days before the expiry; 0 is the expiry itself. */
const thresholdDays = [30, 14, 7, 1, 0] as const;
/** Longest threshold: a certificate that expires later needs no look at its site. */
export const certificateNoticeDaysMax = 30;
/**
 * Clients of certificate authorities renew when about a third of the lifetime is left. A notice at that time would come with each renewal,
 * so it comes a little later.
 */
const noticeShare = 0.3;

/** Days until the expiry, rounded up: 1 on the last day, 0 or below afterwards. */
export function certificateDaysLeft(expiresAt: string, now: Date): number {
  // Without the sum, 0 could be a negative zero.
  return Math.ceil((Date.parse(expiresAt) - now.getTime()) / dayMs) + 0;
}

/** Thresholds that were passed and not reported yet, the longest first. */
export function dueThresholds({ validFrom, expiresAt, noticed }: KnownCertificate, now: Date): readonly number[] {
  const leftMs = Date.parse(expiresAt) - now.getTime();
  const noticeMs = (Date.parse(expiresAt) - Date.parse(validFrom)) * noticeShare;
  return thresholdDays.filter((days) => leftMs <= days * dayMs && (days === 0 || days * dayMs < noticeMs) && !noticed.includes(days));
}

/** One event for all thresholds that were passed since the last; null for none. */
export function noticeCertificate(state: SiteState, now: Date): Pick<RunConclusion, "state" | "events"> | null {
  const { certificate } = state;
  const due = certificate === null ? [] : dueThresholds(certificate, now);
  if (certificate === null || due.length === 0) return null;
  const { expiresAt, noticed } = certificate;
  const data = { expiresAt, daysLeft: certificateDaysLeft(expiresAt, now) };
  return {
    state: { ...state, certificate: { ...certificate, noticed: [...noticed, ...due] } },
    events: [{ type: "certificate.expiring", token: null, data }],
  };
}

/** Certificate after a run; what was reported belongs to each certificate. Servers behind one name may take turns with two of them. */
export function certificateAfter(
  { certificate, formerCertificate = null }: SiteState,
  read: ReadCertificate | null,
): Pick<SiteState, "certificate" | "formerCertificate"> {
  if (read === null || (certificate !== null && isSame(certificate, read))) return { certificate, formerCertificate };
  const known = formerCertificate !== null && isSame(formerCertificate, read) ? formerCertificate : { ...read, noticed: [] };
  return { certificate: known, formerCertificate: certificate };
}

function isSame(one: ReadCertificate, other: ReadCertificate): boolean {
  return one.validFrom === other.validFrom && one.expiresAt === other.expiresAt;
}
