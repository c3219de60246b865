/** SARIF files judged by Microsoft's own tool, with its rules for GitHub code scanning. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
beforeAll(() => {
  // npm runs the script of the package that does this only if it is allowed to.
  chmodSync(program, 0o755);
  folder = mkdtempSync(join(tmpdir(), "assay-sarif-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.sarif`), text ?? "");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Rules that a file breaks, from the log that the tool writes. Its exit code says nothing about them. */
function complaintsOn(name: string): readonly string[] {
  const log = join(folder, `${name}.log.json`);
  const proxies = { HTTP_PROXY: closedProxy, HTTPS_PROXY: closedProxy, http_proxy: closedProxy, https_proxy: closedProxy };
  const command = [program, "validate", join(folder, `${name}.sarif`), "--rule-kind", "Sarif;Ghas", "--output", log];
  const { stdout, stderr } = Bun.spawnSync(command, { env: { ...process.env, ...proxies, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" } });
  const output = `${stdout}${stderr}`;
  expect(output).toContain("Analysis completed successfully");
  const { runs } = JSON.parse(readFileSync(log, "utf8").replace(/^\ufeff/, ""));
  const [{ results = [], invocations = [] }] = runs;
  const notes = invocations.flatMap(({ toolExecutionNotifications = [] }) => toolExecutionNotifications);
  return [...results, ...notes].map((each) => JSON.stringify([each.ruleId, each.level, each.message]));
}

test.each(Object.keys(files).filter((name) => name !== "broken"))(
  "the tool has no complaint about the file: %s",
  (name) => {
    expect(files[name]).not.toBeNull();
    expect(complaintsOn(name)).toEqual([]);
  },
  60_000,
);

test("the tool complains about a broken file", () => {
  expect(complaintsOn("broken").length).toBeGreaterThan(0);
}, 60_000);
