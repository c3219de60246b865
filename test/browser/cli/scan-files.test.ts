/** Files of real scans: all formats at once, stdout, baselines of several pages, and ends that write nothing. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportFormats } from "../../../src/export/formats.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { environment, programUnderTest, run, sharedBrowser } from "../../support/program.ts";

const data = mkdtempSync(join(tmpdir(), "assay-files-"));
const scanMsMax = 300_000;

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    const headers = { "content-type": "text/html", ...(pathname === "/better" ? { "x-content-type-options": "nosniff" } : {}) };
    if (pathname === "/gone") return new Response("<title>gone</title>", { status: 410, headers });
    if (pathname === "/slow") return Bun.sleep(scanMsMax).then(() => new Response("late"));
    return new Response("<!doctype html><title>A page</title>", { headers });
  },
});
const page = `http://127.0.0.1:${site.port}/`;
const better = `${page}better`;
const gone = `${page}gone`;
const unreachable = `http://127.0.0.1:${portWithoutListener()}/`;
const mayScan = ["--data", data, "--profile", "internal"];
let folder = data;

beforeAll(() => {
  folder = mkdtempSync(join(data, "out-"));
});
afterAll(() => {
  site.stop(true);
  rmSync(data, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
const scan = (...args: readonly string[]) => run(["scan", ...mayScan, ...args]);

describe("files", () => {
  test(
    "of every format are written at once, with a line on stderr for each",
    async () => {
      const formats = Object.entries(exportFormats);
      const outputs = formats.flatMap(([name, { extension }]) => ["-o", `${name}=${at(`all.${extension}`)}`]);
      const { code, stdout, stderr } = await scan(page, better, ...outputs);
      expect([code, stdout.startsWith(`${page}\n`)]).toEqual([0, true]);
      expect(readdirSync(folder).sort()).toEqual(formats.map(([, { extension }]) => `all.${extension}`).sort());
      for (const [, { extension }] of formats) {
        const text = readFileSync(at(`all.${extension}`), "utf8");
        expect(text).toContain("x-content-type-options");
        expect(stderr).toMatch(new RegExp(`wrote \\S*/all\\.${extension} \\([0-9.]+ (bytes|kB)\\)`));
      }
    },
    scanMsMax,
  );

  test(
    "of some pages are written if others cannot be scanned, in every format",
    async () => {
      const formats = Object.keys(exportFormats);
      const outputs = formats.flatMap((name) => ["-o", `${name}=${at(`some.${name}`)}`]);
      const { code, stderr } = await scan(page, unreachable, ...outputs, "--quiet");
      expect(code).toBe(5);
      expect([formats.filter((name) => !existsSync(at(`some.${name}`))), stderr]).toEqual([[], ""]);
    },
    scanMsMax,
  );

  test(
    "on stdout are alone there",
    async () => {
      const { code, stdout, stderr } = await scan(page, "-o", "json=-", "-o", `csv=${at("beside.csv")}`, "--quiet");
      expect([code, stderr]).toEqual([0, ""]);
      expect(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => (JSON.parse(line) as { url: string }).url),
      ).toEqual([page]);
      expect(existsSync(at("beside.csv"))).toBe(true);
    },
    scanMsMax,
  );

  test(
    "and the exit code do not depend on the reader of stdout",
    async () => {
      const command = [...programUnderTest, "scan", ...mayScan, page, "--fail-under", "100", "-o", `json=${at("unread.json")}`, "--quiet"];
      const { stdout } = await run(["-c", `{ "$@"; echo $? > ${at("code")}; } | true`, "sh", ...command], { command: ["sh"] });
      expect([stdout, readFileSync(at("code"), "utf8"), existsSync(at("unread.json"))]).toEqual(["", "1\n", true]);
    },
    scanMsMax,
  );

  test(
    "that cannot be written are exit 4, and the others are written",
    async () => {
      const { code, stderr } = await scan(page, "-o", "json=/dev/full", "-o", `json=${at("whole.json")}`, "--fail-under", "100", "--quiet");
      expect([code, existsSync(at("whole.json"))]).toEqual([4, true]);
      expect(stderr).toContain("/dev/full could not be written: the disk is full");
      const full = async (...args: readonly string[]) => {
        const command = [...programUnderTest, "scan", ...mayScan, page, ...args, "-o", `json=${at("whole.json")}`, "--quiet"];
        const ended = await run(["-c", '"$@" > /dev/full', "sh", ...command], { command: ["sh"] });
        return [ended.code, ended.stderr];
      };
      rmSync(at("whole.json"));
      expect(await full()).toEqual([4, "assay: stdout could not be written: the disk is full\n"]);
      expect(existsSync(at("whole.json"))).toBe(true);
      expect(await full("-o", "sarif=-")).toEqual([4, "assay: stdout could not be written: the disk is full\n"]);
    },
    scanMsMax,
  );

  test(
    "of a page without score are as of one that failed",
    async () => {
      writeFileSync(at("old.sarif"), "old");
      const only = await scan(gone, "-o", `sarif=${at("old.sarif")}`, "--fail-under", "100", "--quiet");
      expect([only.code, existsSync(at("old.sarif"))]).toEqual([3, false]);
      expect(only.stderr).toContain("old.sarif was not written: no page was measured; the earlier file was removed");
      expect(only.stderr).toContain(
        `${gone}: its score is not measured, under 100 (--fail-under); not measured, so it counts as not scannable`,
      );
      const some = await scan(gone, page, "-o", `sarif=${at("no.sarif")}`, "-o", `gitlab=${at("some.json")}`, "--quiet");
      expect([some.code, existsSync(at("no.sarif")), existsSync(at("some.json"))]).toEqual([5, false, true]);
      expect(some.stderr).toContain("no.sarif was not written: each host has a page that was not measured\n");
      expect((await scan(gone, "--strict", "--quiet")).code).toBe(3);
      expect((await scan(gone, "--quiet")).code).toBe(0);
    },
    scanMsMax,
  );

  test(
    "keep their content when the scan is interrupted",
    async () => {
      writeFileSync(at("kept.json"), "kept");
      const outputs = ["-o", `json=${at("kept.json")}`, "-o", `html=${at("never.html")}`, "--write-baseline", at("never.json")];
      const child = Bun.spawn([...programUnderTest, "scan", ...mayScan, page, `${page}slow`, "--verbose", ...outputs], {
        stdout: "pipe",
        stderr: "pipe",
        env: environment(sharedBrowser),
      });
      for await (const chunk of child.stderr) if (new TextDecoder().decode(chunk).includes(`browsing 20%  ${page}slow`)) break;
      child.kill("SIGINT");
      await child.exited;
      expect(child.exitCode).toBe(130);
      expect(readFileSync(at("kept.json"), "utf8")).toBe("kept");
      expect(readdirSync(folder).filter((name) => name.startsWith("never") || name.startsWith(".assay"))).toEqual([]);
    },
    scanMsMax,
  );
});

describe("a baseline", () => {
  test(
    "holds several pages, and is not written while one of them is not measured",
    async () => {
      const file = at("baseline.json");
      const failed = await scan(page, better, gone, "--write-baseline", file, "--quiet");
      expect([failed.code, existsSync(file)]).toEqual([5, false]);
      expect(failed.stderr).toContain(`baseline.json was not written: not measured: ${gone}`);
      expect((await scan(page, better, "--write-baseline", file, "--fail-on", "info", "--quiet")).code).toBe(0);
      expect(Object.keys((JSON.parse(readFileSync(file, "utf8")) as { findings: object }).findings)).toEqual([page, better]);
      // In any order, and also a part of it.
      expect((await scan(better, "--baseline", file, "--quiet")).code).toBe(0);
    },
    scanMsMax,
  );

  test(
    "names what is fixed, and the JSON what is new or accepted",
    async () => {
      const file = at("other.json");
      const code = "security.missing-header.x-content-type-options";
      await scan(page, "--write-baseline", file, "--quiet");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replaceAll(page, better));
      const fixed = await scan(better, "--baseline", file);
      expect(fixed.code).toBe(0);
      expect(fixed.stderr).toContain(`${better}: fixed since the baseline: ${code}\n`);
      expect(fixed.stderr).toContain("write it anew with --write-baseline");
      writeFileSync(file, text.replace(`      "${code}",\n`, ""));
      writeFileSync(at("accept.toml"), `[[accept]]\ncode = "${code}"\nreason = "known"\n`);
      const accepted = await scan(page, "--baseline", file, "--accept", at("accept.toml"), "--format", "json", "--quiet");
      expect([accepted.code, (JSON.parse(accepted.stdout) as { policy: object }).policy]).toEqual([
        0,
        { accepted: { [code]: { reason: "known", until: null } }, new: [code] },
      ]);
    },
    scanMsMax,
  );
});
