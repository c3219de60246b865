/** Reload of the checks of a running server, by SIGHUP: its pages and its log, for sound and for broken files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pluginSource } from "../../support/plugin-source.ts";
import { endServers, type ServerUnderTest, serve } from "../../support/program.ts";

const pollMs = 20;
let data: string;
let checksDir: string;
let own: string;
let server: ServerUnderTest;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "assay-reload-"));
  checksDir = join(data, "checks");
  own = join(checksDir, "own-check.ts");
  mkdirSync(checksDir);
  server = await serve(["--data", data, "--log-format", "json", "--browser-path", "/nonexistent"]);
});
afterEach(async () => {
  await endServers();
  rmSync(data, { recursive: true, force: true });
});

interface LogLine {
  readonly level: string;
  readonly event: string;
}

function logLines(): readonly LogLine[] {
  return server
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line));
}

/** Log lines from the signal up to the one that ends the reload. */
async function reload(): Promise<readonly LogLine[]> {
  const before = logLines().length;
  process.kill(server.pid, "SIGHUP");
  for (;;) {
    const lines = logLines().slice(before);
    if (lines.some(({ event }) => /^checks (not )?reloaded/.test(event))) return lines;
    await Bun.sleep(pollMs);
  }
}

async function page(path: string): Promise<{ readonly status: number; readonly html: string }> {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, html: await response.text() };
}

describe("SIGHUP", () => {
  test("brings new, changed and removed files into the pages, and the log names them", async () => {
    expect((await page("/checks/own-check")).status).toBe(404);
    writeFileSync(own, pluginSource("own-check"));
    expect((await reload()).at(-1)).toMatchObject({
      level: "info",
      event: "checks reloaded",
      added: "own-check",
      removed: "",
      changed: "",
    });
    const sha256 = new Bun.CryptoHasher("sha256").update(pluginSource("own-check")).digest("hex");
    for (const locale of ["en-gb", "de-de"]) {
      expect((await page(`/checks?locale=${locale}`)).html).toContain(sha256.slice(0, 12));
      expect((await page(`/checks/own-check?locale=${locale}`)).html).toContain(sha256);
    }

    writeFileSync(own, pluginSource("own-check", { label: "Another label" }));
    expect((await reload()).at(-1)).toMatchObject({ event: "checks reloaded", added: "", changed: "own-check" });
    expect((await page("/checks/own-check")).html).toContain("Another label");

    rmSync(own);
    expect((await reload()).at(-1)).toMatchObject({ event: "checks reloaded", removed: "own-check" });
    expect((await page("/checks/own-check")).status).toBe(404);
  });

  test("changes nothing with a broken file, and the log names file, line and reason", async () => {
    writeFileSync(own, pluginSource("own-check"));
    await reload();
    writeFileSync(own, pluginSource("own-check", { label: "Never shown" }).replace("weight", "wieght"));
    writeFileSync(join(checksDir, "own-two.ts"), "\nconst = 1;");
    const lines = (await reload()).map(({ level, event }) => `${level} ${event.replaceAll(`${checksDir}/`, "")}`);
    expect(lines).toEqual([
      "error check own-check.ts:2:16: weight undefined is not from 0 to 10",
      "error check own-check.ts:4:3: unknown key wieght: did you mean weight?",
      expect.stringMatching(/^error check own-two\.ts:2:\d+: /),
      "error checks not reloaded: nothing changed",
    ]);
    expect((await page("/checks/own-check")).html).toContain("Own check");
    expect((await page("/checks/own-two")).status).toBe(404);
  });

  test("twice in a row loads the files as they are after the second signal", async () => {
    writeFileSync(own, `await Bun.sleep(300);\n${pluginSource("own-check", { label: "First" })}`);
    const first = reload();
    await Bun.sleep(100);
    writeFileSync(own, pluginSource("own-check", { label: "Second" }));
    process.kill(server.pid, "SIGHUP");
    await first;
    while (!(await page("/checks/own-check")).html.includes("Second")) await Bun.sleep(pollMs);
  });
});
