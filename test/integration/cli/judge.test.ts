/** `assay judge` replays judging on a landmark, a full report and bare evidence, and refuses what holds none. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import type { Evidence } from "../../../src/evidence/evidence.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import bareSite from "../../support/landmarks/bare-site.json" with { type: "json" };
import { runInProcess } from "../../support/program.ts";

const dir = mkdtempSync(join(tmpdir(), "assay-judge-"));
afterAll(() => rmSync(dir, { recursive: true }));

function file(content: unknown, name = "evidence.json"): string {
  const path = join(dir, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const judge = (path: string, ...flags: readonly string[]) => runInProcess(["judge", path, "--data", dir, ...flags]);

const catalog = builtInCatalog();
/** Result by today's catalog, which may have more checks than the landmark. */
const expected = performJudge({ evidence: bareSite.evidence as unknown as Evidence, hung: [] }, catalog, () => {}).result;

describe("judges", () => {
  test.each([
    ["a landmark", bareSite],
    ["bare evidence", bareSite.evidence],
    ["a full report", { schemaVersion: 1, token: "x", security: null, evidence: bareSite.evidence, timings: {} }],
  ])("%s", async (_words, content) => {
    const { code, stdout, stderr } = await judge(file(content), "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const report = JSON.parse(stdout) as { url: string; security: { score: number; findings: { code: string }[] } };
    expect(report.url).toBe(bareSite.evidence.subject.url);
    expect(report.security.score).toBe(expected.score);
    const codes = report.security.findings.map((finding) => finding.code);
    expect(codes.toSorted()).toEqual(expected.findings.map((finding) => finding.code).toSorted());
  });

  test("as text in the requested language", async () => {
    const { code, stdout } = await judge(file(bareSite), "--locale", "de-de");
    expect(code).toBe(0);
    expect(stdout).toContain(`${expected.score} von 100 Punkten`);
  });

  test("evidence of an unreachable page with the same outcome as its failed scan", async () => {
    const failed = { status: "failed", because: "refused" };
    const { code, stdout } = await judge(file({ ...bareSite.evidence, navigation: failed, page: failed, tls: failed }), "--json");
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ status: "failed", resultAvailable: false });
  });
});

describe("exit 2 for", () => {
  test.each([
    ["text that is not JSON", '{\n  "evidence": x\n}', "is not JSON: line 2, column 15"],
    ["a report without evidence", { status: "finished", evidence: null }, "holds no evidence"],
    ["a list", [1], "holds no evidence"],
    ["evidence without URL", { subject: {} }, "without subject.url"],
    ["a malformed reading", { ...bareSite.evidence, tls: 3 }, "malformed reading, tls"],
  ])("%s", async (_words, content, sentence) => {
    const { code, stdout, stderr } = await judge(file(content));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd().split("\n").length).toBe(1);
  });

  test("a missing file, a folder and a file that is too large", async () => {
    expect(await judge(join(dir, "none.json"))).toMatchObject({ code: 2, stderr: `assay: ${join(dir, "none.json")} does not exist\n` });
    expect((await judge(dir)).code).toBe(2);
    const large = file("{}", "large.json");
    truncateSync(large, 16 * 1024 ** 2 + 1);
    expect(await judge(large)).toMatchObject({ code: 2, stderr: expect.stringContaining("larger than 16 MB") });
  });
});
