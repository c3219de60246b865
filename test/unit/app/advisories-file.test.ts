/** The operator's file of advisories: its date, and messages about faults. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../../src/settings/config.ts";
import { configuredAdvisories } from "../../../src/settings/files.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-advisories-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const content = JSON.stringify({
  jquery: { npm: "jquery", advisories: [{ below: "3.5.0", severity: "medium", ids: ["CVE-2020-11022"] }] },
});
const libraries = { jquery: ["<3.5.0 medium CVE-2020-11022"] };

function written(name: string, text = content): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function read(file: string | null) {
  const env = file === null ? {} : { ASSAY_SCRIPTS_ADVISORIES_FILE: file };
  return configuredAdvisories(loadConfig({ flags: { data: folder }, env, configFile: null }), new Date("2026-11-22T12:00:00Z"));
}

test("without the setting the list of the program counts", () => expect(read(null)).toBeNull());

test("a date in the name is the date of the list", () => {
  expect(read(written("libraries-2026-10-02.json"))).toEqual({ date: "2026-10-02", libraries });
  expect(() => read(written("libraries-2027-01-02.json"))).toThrow("the date in its name, 2027-01-02, is in the future");
});

test.each(["libraries.json", "libraries-2026-13-45.json"])("without a date in the name (%s) the last change counts", (name) => {
  const file = written(name);
  utimesSync(file, 0, Date.parse("2026-10-11T12:00:00Z") / 1000);
  expect(read(file)).toEqual({ date: "2026-10-11", libraries });
});

test("faults name the setting, the file and the place", () => {
  const broken = written("broken.json", '{"jquery":{"advisories":[{"below":"3.5.0"}]}}');
  expect(() => read(broken)).toThrow(`scripts.advisories_file: ${broken} is no list of advisories: it needs a "severity"`);
  expect(() => read(join(folder, "absent.json"))).toThrow("scripts.advisories_file: ");
  expect(() => read(join(folder, "absent.json"))).toThrow("cannot be read (ENOENT)");
  expect(() => read(written("large.json", " ".repeat(4 * 1024 ** 2 + 1)))).toThrow("it has more than 4194304 bytes");
  expect(() => read(folder)).toThrow("cannot be read (EISDIR)");
});

test("a file without an end is not read to it", () => {
  expect(() => read("/dev/zero")).toThrow("scripts.advisories_file: /dev/zero is no list of advisories: it has more than 4194304 bytes");
});
