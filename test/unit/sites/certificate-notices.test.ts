/** Notices before a certificate expires: thresholds, short lifetimes, renewals. */
import { describe, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import { certificateAfter, certificateDaysLeft, noticeCertificate } from "../../../src/sites/run-changes.ts";
import { newSiteState, type SiteState } from "../../../src/store/site-runs.ts";

const expiry = Date.parse("2027-03-01T00:00:00Z");
const certificate = (lifetimeDays: number, expiryMs = expiry) => ({
  validFrom: new Date(expiryMs - lifetimeDays * dayMs).toISOString(),
  expiresAt: new Date(expiryMs).toISOString(),
});
const stateWith = (lifetimeDays: number): SiteState => ({ ...newSiteState, certificate: { ...certificate(lifetimeDays), noticed: [] } });

/** Days left of each event, where the clock looks every ten minutes. */
function noticesOf(lifetimeDays: number, fromDays: number, untilDays = -40): readonly number[] {
  let state = stateWith(lifetimeDays);
  const found: number[] = [];
  for (let ms = expiry - fromDays * dayMs; ms <= expiry - untilDays * dayMs; ms += 600_000) {
    const notice = noticeCertificate(state, new Date(ms));
    if (notice === null) continue;
    state = notice.state;
    for (const { type, data } of notice.events) if (type === "certificate.expiring") found.push(data.daysLeft);
  }
  return found;
}

describe("notices of a certificate", () => {
  test.each([
    [365, 60, [30, 14, 7, 1, 0]],
    [101, 60, [30, 14, 7, 1, 0]],
    [91, 60, [14, 7, 1, 0]],
    [90, 60, [14, 7, 1, 0]],
    [47, 40, [14, 7, 1, 0]],
    [30, 29, [7, 1, 0]],
    [6, 6, [1, 0]],
    [1, 1, [0]],
  ])("of %i days come once each", (lifetimeDays, fromDays, expected) => {
    expect(noticesOf(lifetimeDays, fromDays)).toEqual(expected);
  });

  test("that were missed come as one", () => {
    expect(noticesOf(365, 5.5)).toEqual([6, 1, 0]);
    expect(noticesOf(365, -3)).toEqual([-3]);
  });

  test("begin anew with another certificate, and go on with one that was seen before", () => {
    const now = new Date(expiry - 20 * dayMs);
    const noticed = noticeCertificate(stateWith(365), now)?.state ?? newSiteState;
    const renewed = { ...noticed, ...certificateAfter(noticed, certificate(365, expiry + 300 * dayMs)) };
    expect(renewed.certificate?.noticed).toEqual([]);
    expect(noticeCertificate(renewed, now)).toBeNull();
    const former = { ...renewed, ...certificateAfter(renewed, certificate(365)) };
    expect(former.certificate?.noticed).toEqual([30]);
    expect(noticeCertificate(former, now)).toBeNull();
  });

  test.each(["validFrom", "expiresAt"] as const)("begin anew with a certificate that differs only in %s", (field) => {
    const noticed = noticeCertificate(stateWith(365), new Date(expiry - 20 * dayMs))?.state ?? newSiteState;
    const other = { ...certificate(365), [field]: certificate(365, expiry + dayMs)[field] };
    const after = certificateAfter(noticed, other);
    expect(after).toEqual({ certificate: { ...other, noticed: [] }, formerCertificate: noticed.certificate });
    expect(after.formerCertificate?.noticed).toEqual([30]);
  });

  test("stay as they are while a run reads no certificate", () => {
    const state = stateWith(365);
    expect(certificateAfter(state, null)).toEqual({ certificate: state.certificate, formerCertificate: null });
  });
});

test.each([
  [1.5, 2],
  [1, 1],
  [0.01, 1],
  [0, 0],
  [-0.5, 0],
  [-1, -1],
])("%f days before the expiry are %i days left", (days, left) => {
  expect(certificateDaysLeft(new Date(expiry).toISOString(), new Date(expiry - days * dayMs))).toBe(left);
});
