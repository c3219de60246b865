/** A public suffix list of the operator reaches the threads that gather and those that judge. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Evidence } from "../../../src/evidence/evidence.ts";
import type { FullReport } from "../../../src/text/render.ts";
import { publicSuffixFile } from "../../support/embedded-public-suffixes.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { run } from "../../support/program.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";

const scanMsMax = 300_000;
const folder = mkdtempSync(join(tmpdir(), "assay-suffix-scan-"));
const listFile = join(folder, "list-2026-11-01.dat");
/** Judged with a thread of its own, as with every plugin. */
const checksDir = join(folder, "checks");
let site: TestServer;

beforeAll(async () => {
  writeFileSync(listFile, publicSuffixFile(["com", "intra.corp"]));
  mkdirSync(checksDir);
  writeFileSync(join(checksDir, "own-check.ts"), pluginSource("own-check"), { mode: 0o644 });
  const headers = { "content-security-policy": "script-src *.intra.corp" };
  site = await startHttp({
    "/": { body: "<!doctype html><title>Inside</title><script src=http://cdn.shop.intra.corp/a.js></script>", headers },
  });
});

afterAll(async () => {
  await site?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function reportOf(...args: readonly string[]) {
  const { stdout, stderr } = await run([...args, "--format", "json", "--data", folder, "--checks-dir", checksDir]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as FullReport<Evidence, unknown>;
}

const anyHost = ({ security }: FullReport<Evidence, unknown>) =>
  security?.findings?.some(({ code }) => code === "security.csp.script-any-host") ?? null;

test(
  "in a scan, and where its evidence is judged again",
  async () => {
    const reach = ["--allow-cidr", "127.0.0.1", "--connect-to", `www.shop.intra.corp:80=127.0.0.1:${site.port}`];
    const scan = ["scan", "http://www.shop.intra.corp/", ...reach];
    const [plain, listed] = [await reportOf(...scan), await reportOf(...scan, "--public-suffixes-file", listFile)];
    expect(plain.evidence?.subject).not.toHaveProperty("publicSuffixesDate");
    expect(plain.evidence?.subject.registrableDomain).toBeNull();
    expect(plain.basis?.dataDates).not.toHaveProperty("publicSuffixes");
    expect(listed.evidence?.subject).toMatchObject({ registrableDomain: "shop.intra.corp", publicSuffixesDate: "2026-11-01" });
    expect(listed.basis?.dataDates).toMatchObject({ publicSuffixes: "2026-11-01" });
    expect([anyHost(plain), anyHost(listed)]).toEqual([false, true]);
    const stored = join(folder, "listed.json");
    writeFileSync(stored, JSON.stringify(listed));
    expect(anyHost(await reportOf("judge", stored, "--public-suffixes-file", listFile))).toBe(true);
    expect(anyHost(await reportOf("judge", stored))).toBe(false);
  },
  scanMsMax,
);
