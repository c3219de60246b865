/** Age of findings from earlier scans. */
import { expect, test } from "vitest";
import type { State } from "../../../src/check/check.ts";
import type { StoredFinding } from "../../../src/judge/result.ts";
import { earlierScan, firstSeen } from "../../../src/report/report.ts";

const asked: StoredFinding = {
  code: "security.sample.weak",
  checkKey: "sample",
  severity: "low",
  riskLevel: "low",
  effort: "low",
  values: {},
};

/** Newest first; `violated`: the finding existed. */
function earlier(...states: readonly (State | "absent")[]) {
  return states.map((state, at) =>
    earlierScan(`2026-11-${20 - at}T00:00:00.000Z`, `token-${at}`, {
      algorithmVersion: 2,
      catalogVersion: "one",
      measured: true,
      score: 50,
      band: "warn",
      rank: "weak",
      ledger: state === "absent" ? [] : [{ key: "sample", state, evidence: [] }],
      findings: state === "violated" ? [asked] : [],
    }),
  );
}

test.each([
  ["no earlier scan", [], null],
  ["none that ran the check", ["notChecked", "absent"], null],
  ["absent in the previous scan", ["passed", "violated"], { seen: "now" }],
  [
    "since the previous scan",
    ["violated", "passed"],
    { seen: "before", at: "2026-11-20T00:00:00.000Z", token: "token-0", orEarlier: false },
  ],
  [
    "in all examined scans",
    ["violated", "violated"],
    { seen: "before", at: "2026-11-19T00:00:00.000Z", token: "token-1", orEarlier: true },
  ],
  [
    "scans that did not run the check are skipped",
    ["violated", "notChecked", "violated", "passed"],
    { seen: "before", at: "2026-11-18T00:00:00.000Z", token: "token-2", orEarlier: false },
  ],
] as const)("%s", (_case, states, expected) => {
  expect(firstSeen(asked, earlier(...states))).toEqual(expected);
});
