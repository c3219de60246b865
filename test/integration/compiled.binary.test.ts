/** Tests the compiled program alone in an empty folder, as an unprivileged user: it needs no other file. */

import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { FullReport, SecurityResult } from "../../src/text/render.ts";
import { apiClient } from "../support/api-client.ts";
import { compiledBinary, type Installed, install, skippedNote } from "../support/binary.ts";
import { portWithoutListener } from "../support/ports.ts";
import { endServers, processesMentioning, run, serve } from "../support/program.ts";

/** User id of `nobody` on Debian. */
const unprivilegedUid = 65_534;
const starts = 3;
/** The first start unpacks the browser. */
const scanMsMax = 300_000;

const customCheck = `import { registerCheck, violated } from "assay/check";
import { valuesNamed } from "assay/check/parsers";
const texts = (title) => ({ label: title, reason: "R", findings: { "security.own.always": {
  title, detail: "D", riskStatement: "S", remediation: "M" } } });
export default registerCheck({
  key: "own-check", weight: 1, reads: ["page"],
  findings: { "security.own.always": { severity: "low", riskLevel: "low", effort: "low" } },
  judge: ({ page }) => violated("security.own.always", { fields: valuesNamed(page.headers, "x-own").length }),
  texts: { "en-gb": texts("Own check"), "de-de": texts("Eigene Pr\\u00fcfung") },
});`;

/** Made of embedded files: icons, and the picture that the renderer and the font in the binary draw. */
const embeddedImages = (token: string) => [
  ["/favicon.ico", "image/x-icon"],
  ["/apple-touch-icon.png", "image/png"],
  [`/scans/${token}/image.png`, "image/png"],
];

describe.skipIf(compiledBinary === null)(`the compiled program${skippedNote}`, () => {
  const installed: Installed | null = compiledBinary === null ? null : install();
  const { folder, binary } = installed ?? { folder: "", binary: "" };
  const asRoot = process.getuid?.() === 0;
  const unprivileged = ["setpriv", `--reuid=${unprivilegedUid}`, `--regid=${unprivilegedUid}`, "--clear-groups"];
  const options = { command: asRoot ? [...unprivileged, binary] : [binary], cwd: folder, env: { HOME: folder } };
  if (installed !== null && asRoot) for (const path of [folder, binary]) chownSync(path, unprivilegedUid, unprivilegedUid);

  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>site</title>", { headers: { "content-type": "text/html" } }),
  });
  const page = `http://127.0.0.1:${site.port}/`;
  const scanOptions = ["--allow-cidr", "127.0.0.1", "--allow-port", String(site.port)];

  afterAll(async () => {
    await endServers();
    site.stop(true);
    installed?.remove();
  });

  test("prints its version, and its commit behind it", async () => {
    const oneLine = expect.stringMatching(/^\d+\.\d+\.\d+( \(commit [0-9a-f]{12}(, modified)?\))?\n$/);
    expect(await run(["--version"], options)).toEqual({ code: 0, stdout: oneLine, stderr: "" });
  });

  test("ignores configuration files in the current folder", async () => {
    const trap = join(folder, "trap");
    mkdirSync(trap);
    writeFileSync(join(trap, "preload.ts"), 'process.stdout.write("trapped");');
    writeFileSync(join(trap, "bunfig.toml"), 'preload = ["./preload.ts"]');
    writeFileSync(join(trap, ".env"), "ASSAY_NONSENSE=1");
    const { code, stdout, stderr } = await run(["--quiet", "user", "list", "--data", join(folder, "trap-data")], { ...options, cwd: trap });
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
  });

  test("answers after each start, and ends in order", async () => {
    for (let start = 0; start < starts; start++) {
      const server = await serve(["--data", join(folder, "start-data")], options);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect(await server.end("SIGTERM")).toBe(0);
    }
  });

  test(
    "serves a scan in two languages, with a check from the checks folder",
    async () => {
      const data = join(folder, "data");
      mkdirSync(join(data, "checks"), { recursive: true });
      writeFileSync(join(data, "checks", "own-check.ts"), customCheck, { mode: 0o644 });
      if (asRoot) for (const path of [data, join(data, "checks")]) chownSync(path, unprivilegedUid, unprivilegedUid);

      const server = await serve(["--data", data, ...scanOptions], options);
      expect(server.stderr()).toMatch(/^assay listens on http:/);
      expect(server.stderr()).toContain(`${binary} user create you@example.com`);
      await run(["user", "create", "first@assay.test", "--data", data], options);
      const created = await run(["token", "create", "--user", "first@assay.test", "--name", "test", "--data", data], options);
      const client = apiClient(server.url, created.stdout.trim());
      const token = await client.start(page);
      const result = await client.ended(token ?? "", scanMsMax);
      expect([result.status, result.security?.dimension]).toEqual(["finished", "security"]);
      expect(server.stderr()).toMatch(/^\{"time":"\S+","level":"info","event":"scan ended"/m);
      expect(result.security?.checks?.find(({ key }) => key === "own-check")).toMatchObject({ state: "violated", label: "Own check" });
      const german = await client.get<SecurityResult>(`/api/v1/scans/${token}/security?locale=de-de`);
      expect(german.body.security?.findings.find(({ code }) => code === "security.own.always")?.title).toBe("Eigene Pr\u00fcfung");

      for (const [path, type] of embeddedImages(token ?? "")) {
        const image = await fetch(`${server.url}${path}`);
        expect([path, image.status, image.headers.get("content-type")]).toEqual([path, 200, type]);
        expect((await image.bytes()).length).toBeGreaterThan(1_000);
      }

      expect(readFileSync(`/proc/${server.pid}/maps`, "utf8")).not.toContain("node_modules");
      expect(await server.end("SIGTERM")).toBe(0);
      expect(await processesMentioning(data)).toEqual([]);
    },
    scanMsMax,
  );

  test(
    "scans once: prints the report and exits with a code for each outcome",
    async () => {
      const scan = (...args: string[]) => run(["scan", "--data", join(folder, "scan-data"), ...scanOptions, ...args], options);
      const text = await scan(page, "--fail-on", "low");
      expect([text.code, text.stdout]).toEqual([1, expect.stringContaining("of 100")]);
      const json = await scan(page, "--format", "json", "--quiet");
      expect([json.code, json.stderr]).toEqual([0, ""]);
      expect((JSON.parse(json.stdout) as FullReport<unknown, unknown>).security?.measured).toBe(true);
      const closedPort = portWithoutListener();
      const unreachable = await scan(`http://127.0.0.1:${closedPort}/`, "--allow-port", String(closedPort), "--quiet");
      expect([unreachable.code, unreachable.stdout]).toEqual([3, expect.stringContaining("127.0.0.1 refused the connection")]);
    },
    scanMsMax,
  );
});
