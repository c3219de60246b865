/** Scans of real pages from the command line: reports on stdout, progress on stderr, and the exit code of each kind of end. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/evidence/evidence.ts";
import type { FullReport } from "../../../src/text/render.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { environment, processesMentioning, programUnderTest, run, sharedBrowser } from "../../support/program.ts";

type Report = FullReport<unknown, unknown>;

const data = mkdtempSync(join(tmpdir(), "assay-scan-"));
const scanMsMax = 300_000;

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => {
    // Longer than the test that interrupts it.
    const { pathname } = new URL(request.url);
    if (pathname === "/long")
      return new Response("<title>long</title>", {
        headers: {
          "content-type": "text/html",
          "content-security-policy": `script-src https://${"a".repeat(600)}.example 'unsafe-inline'`,
        },
      });
    if (pathname === "/gone") return new Response("<title>gone</title>", { status: 410, headers: { "content-type": "text/html" } });
    if (pathname === "/private") return new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="private"' } });
    if (pathname === "/slow") return Bun.sleep(scanMsMax).then(() => new Response("late"));
    return new Response("<!doctype html><title>A page</title>", { headers: { "content-type": "text/html", server: "\x1b[31mtest" } });
  },
});
const page = `http://127.0.0.1:${site.port}/`;
const closedPort = portWithoutListener();
const unreachable = `http://127.0.0.1:${closedPort}/`;
const mayScan = ["--data", data, "--allow-cidr", "127.0.0.1", "--allow-port", String(site.port), "--allow-port", String(closedPort)];

afterAll(() => {
  site.stop(true);
  rmSync(data, { recursive: true, force: true });
});

function scan(...args: string[]) {
  return run(["scan", ...mayScan, ...args]);
}

describe("assay scan", () => {
  test(
    "prints a text report, and its progress on stderr",
    async () => {
      const { code, stdout, stderr } = await scan(page);
      expect(code).toBe(0);
      expect(stdout.startsWith(`${page}\n  Lines to paste are for nginx, because the response names no server`)).toBe(true);
      expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^ {2}Score \d+ of 100: /);
      expect(stdout).not.toContain("Caddy:");
      expect(stdout).toContain("security.");
      expect(stdout).not.toContain("\x1b");
      expect(stderr.split("\n").filter((line) => !line.includes("browser runs without sandbox"))).toEqual([`[1/1] finished  ${page}`, ""]);
    },
    scanMsMax,
  );

  test(
    "prints the lines of a chosen server, and each stage on request",
    async () => {
      const { stdout, stderr } = await scan(page, "--lines", "iis", "--verbose");
      expect(stdout).toContain("  Lines to paste are for IIS.\n");
      expect(stdout).toContain('    <add name="X-Content-Type-Options" value="nosniff" />');
      expect(stderr).toContain(`browsing 20%  ${page}`);
    },
    scanMsMax,
  );

  test(
    "prints German on request",
    async () => {
      const { stdout } = await scan(page, "--locale", "de-de", "--quiet");
      expect(stdout).toContain("von 100 Punkten");
    },
    scanMsMax,
  );

  test(
    "prints one line of JSON with the full report for each URL, in order, and exits 5 when some failed",
    async () => {
      const { code, stdout, stderr } = await run(["scan", "-", ...mayScan, "--format", "json", "--quiet"], {
        stdin: `${unreachable}\n\n${page}\n`,
      });
      expect([code, stderr]).toEqual([5, ""]);
      const [first, second] = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Report);
      expect([first?.url, first?.status, first?.security?.measured]).toEqual([unreachable, "failed", false]);
      expect([second?.url, second?.status]).toEqual([page, "finished"]);
      expect(second?.evidence).not.toBeNull();
      expect(second?.security?.checks?.length).toBe(second?.security?.checkSummary?.total as number);
    },
    scanMsMax,
  );

  test(
    "does not judge an error page as the site, says why, and exits as with any page",
    async () => {
      const text = await scan(`${page}gone`, "--fail-on", "critical", "--quiet");
      expect(text.stdout).toContain("No score: the page itself could not be read. The server responded with an error (4xx).");
      expect(text.stdout).toContain("Scan an address that shows visitors a page");
      expect(text.stderr).toMatch(/^assay: \S+gone: .*; not measured, so --fail-on saw only part of the checks\n$/);
      const json = await scan(`${page}private`, "--format", "json", "--locale", "de-de", "--quiet");
      expect([json.code, json.stderr]).toEqual([0, ""]);
      const report = JSON.parse(json.stdout) as Report;
      expect(report.security).toMatchObject({ measured: false, score: null, band: "unknown", rank: "unknown" });
      expect(report.notChecked).toContainEqual({ key: "content-security-policy", because: "page: sign-in-required" });
      expect(report.notMeasuredBecause).toContain("Der Server verlangt eine Anmeldung (401)");
      expect((await scan(`${page}gone`, "--fail-under", "0", "--quiet")).code).toBe(1);
    },
    scanMsMax,
  );

  test(
    "reads longer headers on request",
    async () => {
      const cut = await scan(`${page}long`, "--quiet");
      expect(cut.stdout).toMatch(/\d+ checks: A decisive header was longer than a scan keeps \(header-truncated\)/);
      expect((await scan(`${page}long`, "--quiet", "--verbose")).stdout).toContain("content-security-policy (header-truncated)");
      const read = await scan(`${page}long`, "--format", "json", "--quiet", "--header-chars-max", "1024");
      const report = JSON.parse(read.stdout) as FullReport<Evidence, unknown>;
      expect(report.evidence?.subject.headerValueCharsMax).toBe(1_024);
      expect(report.security?.checks?.find(({ key }) => key === "csp-script-inline")?.state).toBe("violated");
    },
    scanMsMax,
  );

  test(
    "exits 1 when a policy is violated, and names it",
    async () => {
      const { code, stdout, stderr } = await scan(page, "--fail-on", "info", "--fail-under", "100", "--quiet");
      expect(code).toBe(1);
      expect(stdout).toContain("Score");
      expect(stderr).toContain("(--fail-on)");
      expect(stderr).toContain("(--fail-under)");
    },
    scanMsMax,
  );

  test(
    "exits 3 for an unreachable target, and for a blocked one with the setting that allows it",
    async () => {
      const refused = await scan(unreachable);
      expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining("127.0.0.1 refused the connection")]);
      const shut = await run(["scan", page, "--data", data, "--allow-port", String(site.port)]);
      expect(shut.code).toBe(3);
      expect(shut.stderr).toContain("scan.allow_cidrs");
    },
    scanMsMax,
  );

  test(
    "exits 4 without a browser",
    async () => {
      const { code, stderr } = await scan(page, "--browser-path", join(data, "no-such-browser"));
      expect(code).toBe(4);
      expect(stderr).toContain("which is not an executable file");
    },
    scanMsMax,
  );

  test(
    "exits 130 when interrupted, and ends its browser",
    async () => {
      const child = Bun.spawn([...programUnderTest, "scan", ...mayScan, `${page}slow`, "--verbose"], {
        stdout: "pipe",
        stderr: "pipe",
        env: environment(sharedBrowser),
      });
      for await (const chunk of child.stderr) if (new TextDecoder().decode(chunk).includes("browsing")) break;
      child.kill("SIGINT");
      await child.exited;
      expect(child.exitCode).toBe(130);
      expect(await processesMentioning(data)).toEqual([]);
    },
    scanMsMax,
  );
});
