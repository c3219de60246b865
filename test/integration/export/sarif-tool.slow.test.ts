/** SARIF files judged by Microsoft's own tool, with its rules for GitHub code scanning. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeSarif } from "../../../src/export/sarif.ts";
import { exportedScan, exportSettings } from "../../support/exported-scans.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";

// reads: node_modules/
const program: string = createRequire(import.meta.url)("@microsoft/sarif-multitool-linux");
/** Refuses connections: the tool looks for the pages that a file links to, and accepts those it cannot reach. */
const closedProxy = "http://127.0.0.1:9";

const bare = exportedScan("bare");
const [accepted, known] = bare.result?.findings ?? [];
const marks = new Map([
  [accepted?.code ?? "", { accepted: { reason: "Replaced in March.", until: "2027-03-31" }, inBaseline: null }],
  [known?.code ?? "", { accepted: null, inBaseline: true }],
]);
const sites = [bare, exportedScan("sound"), exportedScan("shop"), exportedScan("plain"), exportedScan("silent")];
const addressUrl = "http://[::1]:8443/a:b|c?d=e";

const files: Readonly<Record<string, string | null>> = {
  english: writeSarif(sites, exportSettings()),
  german: writeSarif([bare], exportSettings({ locale: "de-de" })),
  appliance: writeSarif([bare], exportSettings({ origin: "https://assay.example" })),
  marked: writeSarif([{ ...bare, marks }], exportSettings()),
  anchored: writeSarif([bare], exportSettings({ sarifAnchor: "deploy/nginx.conf" })),
  hostile: writeSarif([exportedScan(poisonedScan())], exportSettings()),
  address: writeSarif([{ ...bare, scan: { ...bare.scan, url: addressUrl } }], exportSettings()),
  // Cut down, to see that the tool complains at all.
  broken:
    writeSarif([bare], exportSettings())
      ?.replace('"informationUri"', '"name2"')
      .replace(/"ruleIndex":\d+/, '"ruleIndex":9999') ?? null,
};

let folder: string;
/** Rules that a file breaks, by the name of the file. */
let complaints: ReadonlyMap<string, readonly string[]>;
beforeAll(() => {
  // npm runs the script of the package that does this only if it is allowed to.
  chmodSync(program, 0o755);
  folder = mkdtempSync(join(tmpdir(), "assay-sarif-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.sarif`), text ?? "");
  complaints = complaintsByFile(Object.keys(files));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

interface Complaint {
  readonly ruleId: string;
  readonly level: string;
  readonly message: unknown;
  readonly locations: readonly { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }[];
}

/** One call for all files, because a start of the tool takes a second. The exit code says nothing about broken rules. */
function complaintsByFile(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const log = join(folder, "log.json");
  const proxies = { HTTP_PROXY: closedProxy, HTTPS_PROXY: closedProxy, http_proxy: closedProxy, https_proxy: closedProxy };
  const paths = names.map((name) => join(folder, `${name}.sarif`));
  const command = [program, "validate", ...paths, "--rule-kind", "Sarif;Ghas", "--output", log];
  // Compiling each method only once takes a third less time in a process that lives this shortly.
  const runtime = { DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1", DOTNET_TieredCompilation: "0" };
  const { stdout, stderr } = Bun.spawnSync(command, { env: { ...process.env, ...proxies, ...runtime } });
  const output = `${stdout}${stderr}`;
  expect(output).toContain(`${names.length} files scanned`);
  expect(output).toContain("Analysis completed successfully");
  const { runs } = JSON.parse(readFileSync(log, "utf8").replace(/^\ufeff/, ""));
  const [{ results = [], invocations = [] }] = runs;
  // Notifications are about the run of the tool: none may occur.
  expect(invocations.flatMap(({ toolExecutionNotifications = [] }) => toolExecutionNotifications)).toEqual([]);
  const found = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const { ruleId, level, message, locations } of results as readonly Complaint[]) {
    const name = basename(locations[0]?.physicalLocation.artifactLocation.uri ?? "", ".sarif");
    const ofFile = found.get(name);
    if (ofFile === undefined) throw new Error(`a complaint names no file that was given: ${JSON.stringify([ruleId, level, message])}`);
    ofFile.push(JSON.stringify([ruleId, level, message]));
  }
  return found;
}

test.each(Object.keys(files).filter((name) => name !== "broken"))("the tool has no complaint about the file: %s", (name) => {
  expect(files[name]).not.toBeNull();
  expect(complaints.get(name)).toEqual([]);
});

test("the tool complains about a broken file", () => {
  expect(complaints.get("broken")?.length).toBeGreaterThan(0);
});
