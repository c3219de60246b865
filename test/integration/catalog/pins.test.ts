/** Hashes that plugin files must have: real files and the real output of sha256sum. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { describeFault } from "../../../src/catalog/fault.ts";
import { loadCatalogSafely } from "../../../src/catalog/load.ts";
import { pluginSource } from "../../support/plugin-source.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-pins-"));
const checksDir = join(folder, "checks");
const pinsFile = join(folder, "checks.sha256");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(checksDir, { recursive: true, force: true });
  mkdirSync(checksDir);
  writeFileSync(join(checksDir, "_shared.ts"), "export const weight = 2;\n");
  writeFileSync(join(checksDir, "own-check.ts"), `import { weight } from "./_shared";\n${pluginSource("own-check", { weight: "weight" })}`);
  writeFileSync(pinsFile, sums("*.ts"));
});

/** Output of the program that operators use. */
function sums(files: string): string {
  return Bun.spawnSync(["sh", "-c", `sha256sum ${files}`], { cwd: checksDir }).stdout.toString();
}

async function faults(): Promise<readonly string[] | null> {
  const outcome = await loadCatalogSafely({ checksDir, pinsFile, unknownKeys: "warn", workerFile: workerFiles.catalog });
  return outcome.faults?.map((fault) => describeFault(fault).replaceAll(`${folder}/`, "")) ?? null;
}

test("files that are listed with their hash are loaded, and the catalog tells it", async () => {
  const { catalog } = await loadCatalogSafely({ checksDir, pinsFile, unknownKeys: "warn", workerFile: workerFiles.catalog });
  expect(sums("own-check.ts")).toBe(`${catalog?.pluginFiles["own-check"]?.sha256}  own-check.ts\n`);
});

describe("refused is", () => {
  test("a file that changed", async () => {
    writeFileSync(join(checksDir, "own-check.ts"), pluginSource("own-check", { weight: "3" }));
    expect(await faults()).toEqual([
      expect.stringMatching(/^check checks\/own-check\.ts: has the SHA-256 [0-9a-f]{64}, but the file of checks\.require_sha256 lists/),
    ]);
  });

  test("shared code that changed, before it runs", async () => {
    writeFileSync(join(checksDir, "_shared.ts"), "for (;;);");
    expect(await faults()).toEqual([expect.stringMatching(/^check checks\/_shared\.ts: has the SHA-256/)]);
  });

  test("a file that is not listed", async () => {
    writeFileSync(join(checksDir, "own-two.ts"), "for (;;);");
    expect(await faults()).toEqual(["check checks/own-two.ts: is not listed in the file of checks.require_sha256"]);
  });

  test("a listed file that is gone", async () => {
    rmSync(join(checksDir, "own-check.ts"));
    expect(await faults()).toEqual([expect.stringMatching(/^check checks\.sha256: lists .*checks\/own-check\.ts, which does not exist/)]);
  });

  test("an import of a package, whose files are not read", async () => {
    mkdirSync(join(checksDir, "node_modules/pad"), { recursive: true });
    writeFileSync(join(checksDir, "node_modules/pad/index.js"), "module.exports = 1;");
    writeFileSync(join(checksDir, "own-check.ts"), `import pad from "pad";\n${pluginSource("own-check")}pad;`);
    writeFileSync(pinsFile, sums("*.ts"));
    expect(await faults()).toEqual([expect.stringMatching(/own-check\.ts: imports .*node_modules\/pad\/index\.js, whose hash/)]);
  });
});

describe("a list of hashes", () => {
  test("may have comments, empty lines, the mark for binary files and absolute paths", async () => {
    const own = sums(join(checksDir, "own-check.ts")).replace("  ", " *");
    writeFileSync(pinsFile, `# reviewed\n\n${own}${sums("./_shared.ts")}`);
    expect(await faults()).toBeNull();
  });

  test("with another line is a fault of that line", async () => {
    writeFileSync(pinsFile, `${sums("*.ts")}own-check.ts=abc\n`);
    expect(await faults()).toEqual([expect.stringMatching(/^check checks\.sha256:3:1: is not a line of sha256sum/)]);
  });

  test("that is missing, or writable for anyone, is a fault", async () => {
    chmodSync(pinsFile, 0o666);
    expect(await faults()).toEqual([expect.stringMatching(/any user may write to this list of hashes/)]);
    rmSync(pinsFile);
    expect(await faults()).toEqual([expect.stringMatching(/this list of hashes .* cannot be read/)]);
  });
});
