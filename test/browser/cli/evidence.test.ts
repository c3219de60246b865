/** `assay evidence capture` and `assay checks try URL` on real pages. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readEvidenceFile } from "../../../src/authoring/evidence-file.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { run } from "../../support/program.ts";
import { removeScaffoldedPlugins, scaffoldedPlugin } from "../../support/scaffolded-plugin.ts";

const work = mkdtempSync(join(tmpdir(), "assay-evidence-"));
const data = join(work, "data");
const scanMsMax = 300_000;

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () =>
    new Response("<!doctype html><title>A page</title>", {
      headers: {
        "content-type": "text/html",
        "x-acme-build": "17",
        "set-cookie": "sid=0123456789abcdef; Path=/",
        "x-auth-token": "hidden-secret",
      },
    }),
});
const page = `http://127.0.0.1:${site.port}/`;
const closedPort = portWithoutListener();
const mayScan = ["--data", data, "--allow-cidr", "127.0.0.1", "--allow-port", String(site.port), "--allow-port", String(closedPort)];

afterAll(() => {
  site.stop(true);
  removeScaffoldedPlugins();
  rmSync(work, { recursive: true, force: true });
});

describe("assay evidence capture", () => {
  test(
    "writes the evidence of a page without its secrets, whatever lies in the checks folder",
    async () => {
      mkdirSync(join(data, "checks"), { recursive: true });
      writeFileSync(join(data, "checks", "broken.ts"), "((");
      const file = join(work, "page.json");
      const { code, stdout, stderr } = await run(["evidence", "capture", page, "-o", file, ...mayScan]);
      expect([code, stdout]).toEqual([0, ""]);
      expect(stderr).toContain(`wrote ${file}; "assay evidence show ${file}" prints it`);
      const evidence = readEvidenceFile(file);
      expect([evidence.subject.url, evidence.page.status, evidence.dom.status]).toEqual([page, "read", "read"]);
      const text = readFileSync(file, "utf8");
      expect(text).toContain('"value": "17"');
      expect(text).not.toMatch(/0123456789abcdef|hidden-secret/);
      const shown = await run(["evidence", "show", file]);
      expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("x-acme-build: 17")]);
      rmSync(join(data, "checks", "broken.ts"));
    },
    scanMsMax,
  );

  test(
    "prints to stdout without -o, and fails with a sentence",
    async () => {
      const printed = await run(["evidence", "capture", page, "--quiet", ...mayScan]);
      expect([printed.code, JSON.parse(printed.stdout).subject.url, printed.stderr]).toEqual([
        0,
        page,
        expect.not.stringContaining("wrote"),
      ]);
      const file = join(work, "absent.json");
      const unreachable = await run(["evidence", "capture", `http://127.0.0.1:${closedPort}/`, "-o", file, ...mayScan]);
      expect([unreachable.code, unreachable.stderr, existsSync(file)]).toEqual([
        3,
        expect.stringContaining("refused the connection"),
        false,
      ]);
      const blocked = await run(["evidence", "capture", page, "--data", data]);
      expect([blocked.code, blocked.stderr]).toEqual([3, expect.stringContaining("--profile internal, or --allow-cidr and")]);
      const unwritable = await run(["evidence", "capture", page, "-o", join(work, "absent", "page.json"), ...mayScan]);
      expect([unwritable.code, unwritable.stderr]).toEqual([
        2,
        expect.stringMatching(/^assay: \S+ cannot be written: its folder does not exist\n$/),
      ]);
    },
    scanMsMax,
  );
});

test(
  "assay checks try captures a URL, and judges it with one check",
  async () => {
    const { folder } = scaffoldedPlugin();
    const { code, stdout } = await run(["checks", "try", folder, page, ...mayScan]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^acme-build on http:\/\/127\.0\.0\.1:\d+\/, scanned at \S+\npassed\n {2}page: read\n {2}header x-acme-build: "17"\n$/,
      ),
    ]);
  },
  scanMsMax,
);
