/** Follows the guide for authors of plugins literally: the compiled program in an empty folder, without node, on a real server. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SecurityResult } from "../../src/text/render.ts";
import { apiClient } from "../support/api-client.ts";
import { compiledBinary, install, skippedNote } from "../support/binary.ts";
import { blocksOf } from "../support/document-blocks.ts";
import { endServers, run, serve } from "../support/program.ts";

/** The first scan unpacks the browser. */
const guideMsMax = 300_000;
const reloadMsMax = 60_000;

const tsc = resolve(import.meta.dirname, "../../node_modules/.bin/tsc");

/** Places of the guide, which the test has elsewhere. */
const guidePage = "https://shop.acme.example/";
const guideData = "/var/lib/assay";

describe.skipIf(compiledBinary === null)(`the guide for plugins${skippedNote}`, () => {
  const installed = compiledBinary === null ? null : install();
  const { folder, binary } = installed ?? { folder: "", binary: "" };
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html><title>shop</title>", { headers: { "content-type": "text/html", "x-acme-team": "Web Shop" } }),
  });
  const page = `http://127.0.0.1:${site.port}/`;
  const data = join(folder, "data");
  const settings = { HOME: folder, ASSAY_DATA: data, ASSAY_SCAN_ALLOW_CIDRS: "127.0.0.1", ASSAY_SCAN_ALLOW_PORTS: String(site.port) };

  afterAll(async () => {
    await endServers();
    site.stop(true);
    installed?.remove();
  });

  /** A path with the program and the commands of the guide, and nothing else. */
  function programs(serverPid: number): string {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    symlinkSync(binary, join(bin, "assay"));
    for (const name of ["cp", "mkdir"]) symlinkSync(`/bin/${name}`, join(bin, name));
    const systemctl = join(bin, "systemctl");
    writeFileSync(systemctl, `#!/bin/sh\n[ "$*" = "reload assay" ] && kill -HUP ${serverPid}\n`);
    chmodSync(systemctl, 0o755);
    return bin;
  }

  /** What differs between runs: times, and the place of the page. */
  const comparable = (text: string) =>
    text
      .replaceAll(page, guidePage)
      .replace(/\d+(\.\d+)? ms/g, "0 ms")
      .replace(/scanned at \S+/g, "scanned at TIME")
      .trim();

  test(
    "leads from an empty folder to a row of a report, in both languages",
    async () => {
      const server = await serve([], { command: [binary], env: settings, cwd: folder });
      const env = { ...settings, PATH: programs(server.pid) };
      let cwd = join(folder, "work");
      mkdirSync(cwd);
      let printed = "";
      const codes: string[] = [];
      for (const { language, path, text } of blocksOf("docs/writing-checks.md", "A plugin in fifteen minutes")) {
        if (path !== null) writeFileSync(join(cwd, path), text);
        else if (language === "text") expect(comparable(printed)).toBe(comparable(text));
        else {
          for (const line of text.trim().split("\n")) {
            const command = line.replaceAll(guidePage, page).replaceAll(guideData, data);
            if (command.startsWith("cd ")) cwd = join(cwd, command.slice("cd ".length));
            else {
              const { code, stdout, stderr } = await run(["-c", command], { command: ["/bin/sh"], env, cwd });
              printed = stdout;
              codes.push(`${code} ${line}`);
              if (code === 2) throw new Error(stderr);
            }
          }
        }
      }
      expect(codes).toEqual([
        "0 assay checks new acme-team --header X-Acme-Team",
        // The texts are not written yet.
        "1 assay checks test",
        `0 assay checks try acme-team.ts ${guidePage}`,
        `0 assay evidence capture ${guidePage} -o shop.json`,
        "0 assay evidence show shop.json",
        "0 assay checks test",
        `0 mkdir -p ${guideData}/checks`,
        `0 cp acme-team.ts ${guideData}/checks/`,
        `0 assay checks list --data ${guideData}`,
        "0 systemctl reload assay",
      ]);
      // With the types that the program wrote, as editors do; authors need no compiler.
      const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", cwd, "--noEmit", "--strict"], { cwd });
      expect([stdout.toString(), exitCode]).toEqual(["", 0]);
      await expectInService(server, env);
      expect(await server.end("SIGTERM")).toBe(0);
    },
    guideMsMax,
  );

  async function expectInService(server: Awaited<ReturnType<typeof serve>>, env: Record<string, string>): Promise<void> {
    const deadline = Date.now() + reloadMsMax;
    while (!server.stderr().includes("checks reloaded") && Date.now() < deadline) await Bun.sleep(20);
    const options = { command: [binary], env };
    await run(["user", "create", "author@assay.test"], options);
    const created = await run(["token", "create", "--user", "author@assay.test", "--name", "guide"], options);
    const client = apiClient(server.url, created.stdout.trim());
    const token = (await client.start(page)) ?? "";
    const { security } = await client.ended(token, guideMsMax);
    expect(security?.checks?.find(({ key }) => key === "acme-team")).toMatchObject({ state: "violated", label: "Responsible team" });
    const german = await client.get<SecurityResult>(`/api/v1/scans/${token}/security?locale=de-de`);
    const finding = german.body.security?.findings.find(({ code }) => code === "security.invalid-header.acme-team");
    expect(finding).toMatchObject({ title: "X-Acme-Team nennt kein Team", detail: "Der Header lautet \u201eWeb Shop\u201c." });
    for (const [locale, words] of [
      ["en-gb", "X-Acme-Team is missing"],
      ["de-de", "X-Acme-Team fehlt"],
    ]) {
      const described = await fetch(`${server.url}/checks/acme-team?locale=${locale}`);
      expect([described.status, await described.text()]).toEqual([200, expect.stringContaining(String(words))]);
    }
  }
});
