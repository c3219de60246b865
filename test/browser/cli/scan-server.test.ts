/** `assay scan --server` from end to end: a real server and its browser, the pipeline of docs/ci.md, and an interruption. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  endServers,
  environment,
  programScript,
  programUnderTest,
  run,
  type ServerUnderTest,
  serve,
  sharedBrowser,
} from "../../support/program.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";

// reads: docs/ci.md
const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "assay-scan-server-"));
const testMsMax = 300_000;
const settings = ["--data", join(folder, "data"), "--profile", "internal", "--concurrency", "1"];

let server: ServerUnderTest;
let site: TestServer;
let token = "";
const page = (name: string) => `http://127.0.0.1:${site.port}/${name}`;

beforeAll(async () => {
  site = await startHttp({
    "/page": { headers: { "x-content-type-options": "nosniff" }, body: "<!doctype html><title>A page</title>" },
    "/slow": () => {},
  });
  server = await serve(settings);
  await run(["user", "create", "first@assay.test", ...settings.slice(0, 2)]);
  token = (await run(["token", "create", "--user", "first@assay.test", "--name", "ci", ...settings.slice(0, 2)])).stdout.trim();
}, testMsMax);
afterAll(async () => {
  await endServers();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const scan = (...args: readonly string[]) => run(["scan", ...args], { env: { ASSAY_TOKEN: token, ASSAY_DATA: join(folder, "data") } });

interface Report {
  readonly token: string;
  readonly catalogVersion: string;
  readonly ledgerEvidence: object;
  readonly security: { readonly checks: object; readonly findings: object };
}

test(
  "the report is that of a scan in this process",
  async () => {
    const remote = await scan(page("page"), "--server", server.url, "--format", "json");
    expect(remote.code).toBe(0);
    expect(remote.stderr).toMatch(/\[1\/1\] finished/);
    const local = await scan(page("page"), "--profile", "internal", "--format", "json");
    const [one, other] = [remote, local].map(({ stdout }) => JSON.parse(stdout) as Report);
    expect(one?.token).not.toBe("local");
    for (const part of ["catalogVersion", "ledgerEvidence", "security"] as const) expect(one?.[part]).toEqual(other?.[part]);
  },
  testMsMax,
);

test(
  "the pipeline of docs/ci.md writes its file",
  async () => {
    const section = readFileSync(join(root, "docs/ci.md"), "utf8").split("## With a central server")[1]?.split(/^## /m)[0] ?? "";
    const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
    const { security } = Bun.YAML.parse(yaml) as { readonly security: { readonly script: readonly string[] } };
    writeFileSync(join(folder, "program"), programScript);
    const child = Bun.spawn(["bash", "-eo", "pipefail", "-c", security.script.join("\n")], {
      cwd: folder,
      stdout: "pipe",
      stderr: "pipe",
      env: environment({
        ...sharedBrowser,
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
        ASSAY_TOKEN: token,
        ASSAY_DATA: join(folder, "data"),
        BINARY_URL: `file://${folder}/program`,
        BINARY_SHA256: new Bun.CryptoHasher("sha256").update(programScript).digest("hex"),
        TARGET_URL: page("page"),
        SERVER_URL: server.url,
        LOCATION: "local",
      }),
    });
    const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("wrote") });
    const issues = JSON.parse(readFileSync(join(folder, "gl-code-quality.json"), "utf8")) as { check_name: string }[];
    expect(issues.map(({ check_name }) => check_name)).toContain("security.missing-header.content-security-policy");
  },
  testMsMax,
);

test(
  "Ctrl+C cancels the scan that waits, and names the one that goes on",
  async () => {
    const urls = [page("slow"), page("page")];
    const child = Bun.spawn([...programUnderTest, "scan", ...urls, "--server", server.url, "--verbose"], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: environment({ ...sharedBrowser, ASSAY_TOKEN: token, ASSAY_DATA: join(folder, "data") }),
    });
    let stderr = "";
    for await (const chunk of child.stderr) {
      stderr += new TextDecoder().decode(chunk);
      if (/browsing/.test(stderr)) child.kill("SIGINT");
    }
    expect(await child.exited).toBe(130);
    expect(stderr).toContain("assay: cancelled on the server, as they still waited: 1");
    expect(stderr).toMatch(new RegExp(`the scan of ${page("slow")} goes on: ${server.url}/scans/\\w+`));
  },
  testMsMax,
);
