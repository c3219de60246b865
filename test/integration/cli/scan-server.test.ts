/** `assay scan --server` against the real API and store. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInProcess } from "../../support/program.ts";
import { type ScanningApi, startScanningApi } from "../../support/scanning-api.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-scan-server-"));
const path = (name: string) => join(folder, name);
const page = (name: string) => `https://site.example/${name}`;
let api: ScanningApi;

beforeAll(async () => {
  api = await startScanningApi();
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

function scan(...args: readonly string[]) {
  return runInProcess(["scan", "--data", folder, "--server", api.origin, ...args], { env: { ASSAY_TOKEN: api.token } });
}

describe("reports", () => {
  test("are those of the server, with progress on stderr", async () => {
    const { code, stdout, stderr } = await scan(page("bare"), "--format", "json", "--verbose");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`[1/1] finished  ${page("bare")}`) });
    expect(stderr).toContain(`queued  ${page("bare")}`);
    const report = JSON.parse(stdout) as { token: string };
    const file = await api.request(`/api/v1/scans/${report.token}/report.json`, { token: api.token });
    expect(report).toEqual(JSON.parse(await file.text()));
  });
  test("name the location from which a page was scanned", async () => {
    const { code, stdout } = await scan(page("bare"), "--location", "berlin");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+bare\n {2}Location: berlin\n/) });
    const json = await scan(page("bare"), "--location", "berlin", "--format", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({ location: "berlin" });
    expect((await scan(page("bare"), "--location", "local")).stdout).not.toContain("Location:");
  });
  test("of many pages end with a table, and failed scans with their exit codes", async () => {
    writeFileSync(path("urls"), `${page("sound")}\n${page("fails-timeout")}\n`);
    const { code, stdout } = await scan(page("shop"), "--urls", path("urls"));
    expect(code).toBe(5);
    const rows = stdout.slice(stdout.indexOf("3 pages, the worst first:")).trimEnd().split("\n").slice(3);
    expect(rows.map((row) => row.split(/ {2,}/).at(-1))).toEqual([page("fails-timeout"), page("shop"), page("sound")]);
    expect((await scan(page("fails-crashed"))).code).toBe(4);
    expect((await scan(page("fails-timeout"))).code).toBe(3);
  });
});

describe("the policy of the caller", () => {
  test("marks and fails what is new, in report and files", async () => {
    const [baseline, sarif, html] = [path("baseline.json"), path("a.sarif"), path("a.html")];
    expect((await scan(page("bare"), "--fail-on", "info")).code).toBe(1);
    expect((await scan(page("bare"), "--write-baseline", baseline)).code).toBe(0);
    expect((await scan(page("bare"), "--baseline", baseline)).code).toBe(0);
    const findings = JSON.parse(readFileSync(baseline, "utf8")) as { findings: Record<string, string[]> };
    const [code = "", ...others] = findings.findings[page("bare")] ?? [];
    writeFileSync(baseline, JSON.stringify({ ...findings, findings: { [page("bare")]: others } }));
    const { code: exit, stderr } = await scan(page("bare"), "--baseline", baseline, "-o", `sarif=${sarif}`, "-o", `html=${html}`);
    expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining(`new findings: 1 (--baseline): ${code}`) });
    expect(readFileSync(sarif, "utf8")).toContain(`${api.origin}/checks/`);
    expect(existsSync(html)).toBe(true);
  });
});
