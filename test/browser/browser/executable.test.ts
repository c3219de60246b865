/** Browser executable: the embedded one is unpacked once, the operator's has priority, and errors name the remedy. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findExecutable } from "../../../src/browser/executable.ts";

let dir = "";

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-executable-"));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const module = resolve(import.meta.dirname, "../../../src/browser/executable.ts");

describe("the embedded browser", () => {
  test("is unpacked completely, also by concurrent processes", async () => {
    const home = join(dir, "shared");
    const script = `import { findExecutable } from ${JSON.stringify(module)}; console.log((await findExecutable({ path: null, dir: ${JSON.stringify(home)} })).path)`;
    const finders = Array.from({ length: 3 }, () => Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" }));
    const paths = await Promise.all(finders.map(({ stdout }) => new Response(stdout).text()));
    expect(new Set(paths).size).toBe(1);
    const path = paths[0]?.trim() ?? "";
    expect(statSync(path).size).toBeGreaterThan(100_000_000);
    // One folder, and no temporary one.
    expect(readdirSync(home)).toHaveLength(1);
    const { environment } = await findExecutable({ path: null, dir: home });
    expect(readdirSync(environment.LD_LIBRARY_PATH ?? "")).toContain("libnss3.so");
    expect(readFileSync(join(environment.FONTCONFIG_PATH ?? "", "fonts.conf"), "utf8")).toContain(home);
    expect(existsSync(join(environment.FONTCONFIG_PATH ?? "", "fonts"))).toBe(true);
  });

  test("is not unpacked again", async () => {
    const home = join(dir, "shared");
    const { path } = await findExecutable({ path: null, dir: home });
    const before = statSync(path).mtimeMs;
    await findExecutable({ path: null, dir: home });
    expect(statSync(path).mtimeMs).toBe(before);
  });

  test("that cannot be unpacked gives an error with the remedy", async () => {
    const file = join(dir, "file");
    writeFileSync(file, "");
    await expect(findExecutable({ path: null, dir: join(file, "browser") })).rejects.toThrow(/cannot be unpacked into .*set browser\.dir/);
  });

  test("on a noexec file system gives an error with the remedy", async () => {
    const home = join(dir, "noexec");
    const { path } = await findExecutable({ path: null, dir: home });
    chmodSync(path, 0o600);
    await expect(findExecutable({ path: null, dir: home })).rejects.toThrow(/cannot be executed.*noexec/);
  });
});

describe("the operator's browser", () => {
  test("has priority, without additional environment", async () => {
    expect(await findExecutable({ path: "/bin/sh", dir: join(dir, "unused") })).toEqual({ path: "/bin/sh", environment: {} });
    expect(existsSync(join(dir, "unused"))).toBe(false);
  });

  test("that is not executable is named in the error", async () => {
    await expect(findExecutable({ path: "/nowhere/chromium", dir })).rejects.toThrow(
      "browser.path names /nowhere/chromium, which is not an executable file",
    );
  });
});
