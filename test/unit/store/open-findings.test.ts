/** Open findings of a site in the order of its list. */
import { expect, test } from "vitest";
import { newSiteState, openFindings } from "../../../src/store/site-runs.ts";

test("open findings that are not accepted are listed, the most severe first", () => {
  const seen = { firstSeen: "2026-11-01T12:00:00Z", lastSeen: "2026-11-02T12:00:00Z", checkKey: "x", urls: [] };
  const finding = (severity: "low" | "high" | "critical", state: "open" | "resolved" = "open") => ({ ...seen, severity, state });
  const findings = {
    "security.a.low": finding("low"),
    "security.b.high": finding("high"),
    "security.c.accepted": finding("critical"),
    "security.d.resolved": finding("critical", "resolved"),
    "security.e.critical": finding("critical"),
    "security.a.high": finding("high"),
  } as unknown as (typeof newSiteState)["findings"];
  const accepted = [{ code: "security.c.accepted", reason: "", until: null, acceptedAt: seen.firstSeen, by: null }] as never;
  const open = openFindings({ accepted }, { ...newSiteState, findings }, new Date("2026-11-03T12:00:00Z"));
  expect(open.map(({ code }) => code)).toEqual(["security.e.critical", "security.a.high", "security.b.high", "security.a.low"]);
});
