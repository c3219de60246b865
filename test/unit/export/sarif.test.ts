/** SARIF files as GitHub code scanning reads them. */
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import type { FindingCode } from "../../../src/check/check.ts";
import type { ExportedScan, ExportSettings } from "../../../src/export/export.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import type { FindingMark } from "../../../src/policy/finding-mark.ts";
import { readSarif } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

const { extension, mediaType, write } = exportFormats.sarif;

function runsOf(scans: readonly ExportedScan[], given: Partial<ExportSettings> = {}) {
  return readSarif(write(scans, exportSettings(given)) ?? "");
}

function firstRun(scans: readonly ExportedScan[], given: Partial<ExportSettings> = {}) {
  const [run] = runsOf(scans, given);
  if (run === undefined) throw new Error("there is no run");
  return run;
}

/** The bare site under another URL. */
function bareAt(url: string): ExportedScan {
  const scan = exportedScan("bare");
  return { ...scan, scan: { ...scan.scan, url } };
}

/** The sound site without findings under another URL. */
function soundAt(url: string): ExportedScan {
  const scan = exportedScan("sound");
  return { ...scan, scan: { ...scan.scan, url }, result: scan.result && { ...scan.result, findings: [] } };
}

/** The bare site, as if each check had reported all its findings. */
function scanOfEveryFinding(): ExportedScan {
  const bare = exportedScan("bare");
  const findings = builtInChecks.flatMap(({ key, findings }) =>
    Object.entries(findings).map(([code, { severity, riskLevel, effort }]) => ({
      code: code as FindingCode,
      checkKey: key,
      severity,
      riskLevel,
      effort,
      values: {},
    })),
  );
  return { ...bare, result: bare.result && { ...bare.result, findings } };
}

const bareCodes = exportedScan("bare").result?.findings.map(({ code }) => code) ?? [];

test("has its extension and media type", () => expect([extension, mediaType]).toEqual(["sarif", "application/sarif+json"]));

describe("rules", () => {
  const { rules, semanticVersion } = firstRun([exportedScan("bare")]).tool.driver;
  const definitions = builtInChecks.flatMap(({ findings }) => Object.entries(findings));
  const everyRule = firstRun([scanOfEveryFinding()]).tool.driver.rules;

  test("are the findings of the run, in the order of the catalog", () => {
    expect(rules.map(({ id }) => id)).toEqual(everyRule.map(({ id }) => id).filter((id) => bareCodes.some((code) => code === id)));
    expect(semanticVersion).toBe("1.2.3");
  });

  test("are of each run alone", () => {
    const [first, second] = runsOf([bareAt("https://a.example/"), soundAt("https://b.example/")]);
    expect(first?.tool.driver.rules.length).toBe(new Set(bareCodes).size);
    expect(second?.tool.driver.rules).toEqual([]);
  });

  test("exist for each finding of the catalog, with a name of its own", () => {
    expect(everyRule.map(({ id }) => id)).toEqual(definitions.map(([code]) => code));
    expect(new Set(everyRule.map(({ name }) => name)).size).toBe(everyRule.length);
  });

  test.each([
    ["critical", "error", "9.5"],
    ["high", "error", "8.0"],
    ["medium", "warning", "5.0"],
    ["low", "note", "3.0"],
    ["info", "note", undefined],
  ] as const)("of severity %s are at level %s with the number %s", (severity, level, number) => {
    const codes = definitions.filter(([, definition]) => definition.severity === severity).map(([code]) => code);
    const found = everyRule.filter(({ id }) => codes.some((code) => code === id));
    expect(found.length).toBeGreaterThan(0);
    for (const { defaultConfiguration, properties } of found) {
      expect([defaultConfiguration.level, properties["security-severity"], properties.precision]).toEqual([level, number, "very-high"]);
    }
  });

  test("describe themselves within the limits of GitHub", () => {
    for (const { name, shortDescription, fullDescription, help, properties } of everyRule) {
      for (const text of [name, shortDescription.text, fullDescription.text, help.text, help.markdown]) expect(text).not.toBe("");
      expect(Math.max(shortDescription.text.length, fullDescription.text.length)).toBeLessThanOrEqual(1_024);
      expect(name.length).toBeLessThanOrEqual(255);
      expect(properties.tags.length).toBeLessThanOrEqual(10);
      expect(properties.tags).toContain("security");
      expect(JSON.stringify([shortDescription, fullDescription, help])).not.toContain("{{");
    }
  });

  test("name their weakness, and link to it without an appliance", () => {
    const rule = everyRule.find(({ id }) => id === "security.tls.certificate-expired");
    expect(rule?.properties.tags).toEqual(["security", "transport", "CWE-298", "external/cwe/cwe-298"]);
    expect(rule?.helpUri).toBe("https://cwe.mitre.org/data/definitions/298.html");
  });

  test("link to the pages of an appliance", () => {
    const { rules, informationUri } = firstRun([scanOfEveryFinding()], { origin: "https://assay.example" }).tool.driver;
    expect(informationUri).toBe("https://assay.example");
    expect(rules.find(({ id }) => id === "security.tls.certificate-expired")?.helpUri).toBe(
      "https://assay.example/checks/tls-certificate-validity#security.tls.certificate-expired",
    );
  });

  test("are added for findings whose check is gone", () => {
    const bare = exportedScan("bare");
    const gone = { code: "security.gone.found", checkKey: "gone", severity: "high", riskLevel: "low", effort: "low", values: {} } as const;
    const run = firstRun([{ ...bare, result: bare.result && { ...bare.result, findings: [gone] } }]);
    const rule = run.tool.driver.rules[run.results[0]?.ruleIndex ?? -1];
    expect(rule).toMatchObject({ id: gone.code, name: "GoneFound", defaultConfiguration: { level: "error" } });
    expect(rule?.help.text).toContain("no longer part");
  });
});

describe("results", () => {
  const { results, tool, automationDetails } = firstRun([exportedScan("bare")]);

  test("are the violated findings, each with its rule", () => {
    expect(results.map(({ ruleId }) => ruleId)).toEqual(bareCodes);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(automationDetails.id).toBe("assay/assay-bare-site.org/");
  });

  test("name the URL in their first sentence", () => {
    for (const { message } of results) expect(message.text.split(". ")[0]).toContain("(https://assay-bare-site.org/)");
  });

  test("have a location of one character, and the URL as logical location", () => {
    for (const { locations } of results) {
      expect(locations[0].physicalLocation).toEqual({
        artifactLocation: { uri: "assay-bare-site.org/" },
        region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 },
      });
      expect(locations[0].logicalLocations).toEqual([{ fullyQualifiedName: "https://assay-bare-site.org/" }]);
    }
  });

  test("are all on the anchor if there is one", () => {
    const { results } = firstRun([exportedScan("bare")], { sarifAnchor: "./deploy/nginx.conf" });
    expect(new Set(results.map(({ locations }) => locations[0].physicalLocation.artifactLocation.uri))).toEqual(
      new Set(["deploy/nginx.conf"]),
    );
  });

  const hashesOf = (scans: readonly ExportedScan[]) =>
    runsOf(scans).flatMap(({ results }) => results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash));

  test("have fingerprints of host, path and code, unique in the file and stable", () => {
    const scans = [bareAt("https://a.example/"), bareAt("https://a.example/shop"), bareAt("https://b.example/")];
    const hashes = hashesOf(scans);
    expect(new Set(hashes).size).toBe(3 * bareCodes.length);
    expect(hashes.every((hash) => /^[0-9a-f]{32}:1$/.test(hash))).toBe(true);
    expect(new Set(hashesOf(scans.toReversed()))).toEqual(new Set(hashes));
    expect(hashesOf([bareAt("http://a.example/")])).toEqual(hashes.slice(0, bareCodes.length));
  });

  test("count further findings of the same code", () => {
    const bare = bareAt("https://a.example/");
    const twice = {
      ...bare,
      result: bare.result && { ...bare.result, findings: bare.result.findings.slice(0, 1).flatMap((one) => [one, one]) },
    };
    const [first = "", second] = hashesOf([twice]);
    expect(second).toBe(first.replace(":1", ":2"));
  });

  test("escape what would end the text of an embedded link", () => {
    const bare = exportedScan("bare");
    const finding = bare.result?.findings.find(({ code }) => code === "security.hsts.max-age-too-short");
    if (bare.result === null || finding === undefined) throw new Error("the bare site has changed");
    const values = { ...finding.values, value: "[click](https://evil.example/)" };
    const [result] = firstRun([{ ...bare, result: { ...bare.result, findings: [{ ...finding, values }] } }]).results;
    expect(result?.message.text).toContain("[click\\](https://evil.example/)");
  });
});

describe("marks of a policy", () => {
  const [accepted = "", known = "", fresh = ""] = bareCodes;
  const marked = (marks: Readonly<Record<string, FindingMark>>) => {
    const { results } = firstRun([exportedScan("bare", { marks: new Map(Object.entries(marks)) })]);
    return (code: string) => results.find(({ ruleId }) => ruleId === code);
  };

  test("suppress accepted findings, and leave them in the file", () => {
    const result = marked({ [accepted]: { accepted: { reason: "Until the move.", until: "2027-03-01" }, inBaseline: null } });
    const suppression = { kind: "external", status: "accepted", justification: "Until the move.", properties: { until: "2027-03-01" } };
    expect(result(accepted)?.suppressions).toEqual([suppression]);
    expect(result(fresh)?.suppressions).toEqual([]);
    expect(result(fresh)?.baselineState).toBeUndefined();
  });

  test("give all results a state where a baseline was given", () => {
    const result = marked({ [known]: { accepted: null, inBaseline: true }, [accepted]: { accepted: null, inBaseline: false } });
    expect([known, accepted, fresh].map((code) => result(code)?.baselineState)).toEqual(["unchanged", "new", "new"]);
    expect(result(known)?.suppressions).toBeUndefined();
  });
});

describe("runs", () => {
  test("are one for each host and port", () => {
    const urls = ["https://a.example/", "https://b.example/", "https://a.example/shop", "https://a.example:8443/"];
    const runs = runsOf(urls.map(bareAt));
    expect(runs.map(({ automationDetails }) => automationDetails.id)).toEqual([
      "assay/a.example/",
      "assay/b.example/",
      "assay/a.example_8443/",
    ]);
    expect(runs.map(({ results }) => results.length / bareCodes.length)).toEqual([2, 1, 1]);
  });

  test("exist for a sound site, whose alerts may be closed", () => {
    const { results } = firstRun([soundAt("https://assay-sound-site.org/")]);
    expect(results).toEqual([]);
  });

  test("lack hosts with a page that was not measured", () => {
    const runs = runsOf([exportedScan("old"), failedExport("https://b.example/"), bareAt("https://b.example/shop"), exportedScan("sound")]);
    expect(runs.map(({ automationDetails }) => automationDetails.id)).toEqual(["assay/assay-sound-site.org/"]);
  });

  test("make no file if there is none", () => expect(write([exportedScan("old"), failedExport()], exportSettings())).toBeNull());

  test("say what was not checked", () => {
    const { invocations } = firstRun([exportedScan("shop")]);
    const rows = exportedScan("shop").result?.ledger.filter(({ state }) => state === "notChecked") ?? [];
    const messages = invocations[0].toolExecutionNotifications.map(({ message }) => message.text);
    expect(rows.length).toBeGreaterThan(0);
    for (const { key, notCheckedBecause } of rows) {
      expect(messages.filter((text) => text.includes(`(${key})`) && text.includes(`(${notCheckedBecause})`))).toHaveLength(1);
    }
    expect(messages).toHaveLength(rows.length);
  });
});
