/** The inventory of `assay doctor --offline`: places, dates, ages, and everything that was configured and cannot be read. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { offlineReport } from "../../../src/doctor/offline-report.ts";
import { loadConfig } from "../../../src/settings/config.ts";
import type { SettingKey } from "../../../src/settings/settings.ts";
import { testAuthority } from "../../support/certificates.ts";
import { publicSuffixFile } from "../../support/embedded-public-suffixes.ts";
import { runInProcess } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-offline-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date("2026-11-22T08:00:00Z");

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

function report(flags: { readonly [K in SettingKey]?: string } = {}, env: Readonly<Record<string, string>> = {}) {
  return offlineReport(loadConfig({ flags: { data: folder, ...flags }, env: {}, configFile: null }), env, now);
}

const named = (findings: ReturnType<typeof report>, name: string) => findings.find((finding) => finding.name === name);

describe("without settings", () => {
  const findings = report({ "scan.system_roots": "false" });

  test("everything is embedded, with the dates of the data", () => {
    expect(findings.filter(({ state }) => state === "failed")).toEqual([]);
    expect(
      findings.filter(({ date, what }) => date !== null && what === "data").map(({ name, date, ageDays }) => [name, date, ageDays]),
    ).toEqual([
      ["HSTS preload list", "2026-06-01", 174],
      ["public suffix list", "2026-11-15", 7],
      ["script advisories", "2026-08-22", 92],
    ]);
  });

  test("the bundled roots are named with the day of the newest", () => {
    const [bundled, ...others] = findings.filter(({ what }) => what === "roots");
    expect([bundled?.name, others]).toEqual([`Mozilla's roots, as in Bun ${Bun.version}`, []]);
    expect(bundled?.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(Number(/certificates: (\d+)/.exec(bundled?.detail ?? "")?.[1])).toBeGreaterThan(100);
  });

  test("no service is configured, and nothing else is contacted", () => {
    expect(findings.filter(({ what }) => what === "service").map(({ name }) => name)).toEqual(["none"]);
    expect(findings.at(-1)).toMatchObject({ what: "else", name: "nothing else", state: "ok" });
  });
});

test("what is configured is named with its setting, its date and its age", () => {
  const findings = report(
    {
      "dns.servers": "192.0.2.53,192.0.2.54:5353",
      "hsts.preload_file": file("hsts-2025-01-01.tsv", "a.example\t1\n"),
      "public_suffixes.file": file("list.dat", `// VERSION: 2026-11-20_01-02-03_UTC\n${publicSuffixFile(["com"])}`),
      "scan.ca_files": file("root.pem", testAuthority().root.pem),
      "nats.url": "tls://nats.example.com:4222",
      "oidc.issuer": "https://id.example.com",
      public_url: "https://assay.example.com",
      "smtp.url": "smtp://user:hunter2@mail.example.com",
      "smtp.from": "assay@example.com",
    },
    { SSL_CERT_FILE: file("system.pem", testAuthority().root.pem) },
  );
  expect(findings.filter(({ what }) => what === "resolver").map(({ name, source }) => [name, source])).toEqual([
    ["192.0.2.53:53", "dns.servers"],
    ["192.0.2.54:5353", "dns.servers"],
  ]);
  const list = { source: `hsts.preload_file = ${join(folder, "hsts-2025-01-01.tsv")}`, date: "2025-01-01", ageDays: 690 };
  expect(named(findings, "HSTS preload list")).toMatchObject({ ...list, detail: "older than a year" });
  expect(named(findings, "public suffix list")).toMatchObject({ date: "2026-11-20", ageDays: 2 });
  expect(named(findings, join(folder, "root.pem"))).toMatchObject({ what: "roots", source: "scan.ca_files", state: "ok" });
  expect(named(findings, "roots of this machine")).toMatchObject({ source: `SSL_CERT_FILE=${join(folder, "system.pem")}`, state: "ok" });
  expect(findings.filter(({ what }) => what === "service").map(({ name, source }) => [name, source])).toEqual([
    ["tls://nats.example.com:4222", "nats.url"],
    ["https://id.example.com", "oidc.issuer"],
    ["smtp://user:***@mail.example.com:587", "smtp.url"],
  ]);
});

test("what was configured and cannot be read fails, each with its reason", () => {
  const absent = join(folder, "absent");
  const findings = report(
    {
      "hsts.preload_file": absent,
      "public_suffixes.file": file("page.html", "<!doctype html>"),
      "scripts.advisories_file": absent,
      "scan.ca_files": file("empty.pem", ""),
      "legal.imprint_file": absent,
    },
    { SSL_CERT_FILE: absent },
  );
  expect(findings.filter(({ state }) => state === "failed").map(({ detail }) => detail)).toEqual([
    `SSL_CERT_FILE: ${absent} cannot be read`,
    `scan.ca_files: ${join(folder, "empty.pem")} holds no PEM certificate`,
    `hsts.preload_file: ${absent} cannot be read (ENOENT)`,
    `public_suffixes.file: ${join(folder, "page.html")} is no public suffix list: line 1 is no rule`,
    `scripts.advisories_file: ${absent} cannot be read (ENOENT)`,
    `legal.imprint_file: ${absent} cannot be read (ENOENT)`,
  ]);
});

describe("the command", () => {
  const offline = ["doctor", "--offline", "--data", folder, "--dns", "192.0.2.53"];

  test("prints a table, or JSON, and exits 1 if something cannot be read", async () => {
    const sound = await runInProcess(offline);
    expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining("192.0.2.53:53")]);
    const broken = await runInProcess([...offline, "--json", "--hsts-preload-file", join(folder, "absent")]);
    const states = (JSON.parse(broken.stdout) as { readonly name: string; readonly state: string }[]).filter(
      ({ state }) => state === "failed",
    );
    expect([broken.code, states.map(({ name }) => name)]).toEqual([1, ["HSTS preload list"]]);
  });

  test("refuses --store beside --offline", async () => {
    expect(await runInProcess([...offline, "--store"])).toMatchObject({ code: 2, stderr: expect.stringContaining("exclude each other") });
  });
});
