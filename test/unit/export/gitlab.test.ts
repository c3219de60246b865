/** Code Quality reports of GitLab. */
import { expect, test } from "vitest";
import { exportFormats } from "../../../src/export/formats.ts";
import { readGitlab } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

const { extension, mediaType, write } = exportFormats.gitlab;
const bare = exportedScan("bare");
const findings = bare.result?.findings ?? [];

test("has its extension and media type", () => expect([extension, mediaType]).toEqual(["gitlab.json", "application/json"]));

test("has an issue for each finding", () => {
  const issues = readGitlab(write([bare], exportSettings()) ?? "");
  const names = { critical: "blocker", high: "critical", medium: "major", low: "minor", info: "info" };
  expect(issues.map(({ check_name, severity }) => [check_name, severity])).toEqual(
    findings.map(({ code, severity }) => [code, names[severity]]),
  );
  for (const { location, description } of issues) {
    expect(location).toEqual({ path: "assay-bare-site.org/", lines: { begin: 1 } });
    expect(description).toContain("(https://assay-bare-site.org/). ");
  }
});

test("has unique fingerprints that stay the same", () => {
  const prints = (scans: Parameters<typeof write>[0]) =>
    readGitlab(write(scans, exportSettings()) ?? "").map(({ fingerprint }) => fingerprint);
  const all = prints([bare, exportedScan("shop"), exportedScan("plain")]);
  expect(new Set(all).size).toBe(all.length);
  expect(prints([bare])).toEqual(all.slice(0, findings.length));
});

test("leaves accepted findings out, and keeps those of the baseline", () => {
  const [accepted, known] = findings;
  const marks = new Map([
    [accepted?.code ?? "", { accepted: { reason: "Known.", until: null }, inBaseline: null }],
    [known?.code ?? "", { accepted: null, inBaseline: true }],
  ]);
  const issues = readGitlab(write([{ ...bare, marks }], exportSettings()) ?? "");
  expect(issues.map(({ check_name }) => check_name)).toEqual(findings.slice(1).map(({ code }) => code));
});

test("is empty for a sound site", () => {
  const sound = exportedScan("sound");
  expect(readGitlab(write([{ ...sound, result: sound.result && { ...sound.result, findings: [] } }], exportSettings()) ?? "")).toEqual([]);
});

test.each([
  ["not measured", exportedScan("old")],
  ["not reached", failedExport()],
])("has one issue for a page that was %s, and is no file without a measured page", (_why, scan) => {
  const issues = (scans: Parameters<typeof write>[0]) => readGitlab(write(scans, exportSettings()) ?? "");
  const ofPage = (scans: Parameters<typeof write>[0]) => issues(scans).filter(({ check_name }) => check_name === "assay.not-measured");
  expect(issues([bare, scan]).length).toBe(findings.length + 1);
  const [issue] = ofPage([scan, bare]);
  expect(issue?.severity).toBe("major");
  expect(issue?.description.startsWith(`${scan.scan.url}: `)).toBe(true);
  expect(issue?.description.length).toBeGreaterThan(scan.scan.url.length + 20);
  expect(ofPage([bare, scan])).toEqual([issue as NonNullable<typeof issue>]);
  expect(write([scan, scan], exportSettings())).toBeNull();
});
