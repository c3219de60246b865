/** Policy of a pipeline from flags and files: which file is read, what it may hold, and the place of each fault. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/settings/config.ts";
import { loadPolicy, type PolicySources } from "../../../src/settings/policy.ts";

const root = mkdtempSync(join(tmpdir(), "assay-policy-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A new folder with these files. */
function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(root, "folder-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

function load(given: Partial<PolicySources>) {
  return loadPolicy({ flags: {}, configFile: null, currentFolder: folder(), dataDir: folder(), ...given });
}

function local(toml: string): Partial<PolicySources> {
  return { currentFolder: folder({ "assay.toml": toml }) };
}

const defaults = {
  fail_on: null,
  fail_under: null,
  baseline: null,
  accept: null,
  strict: false,
  csv: "findings",
  sarif_anchor: null,
};

describe("is read", () => {
  test("without a file", () => {
    expect(load({})).toEqual({ settings: defaults, file: null });
    expect(load(local(""))).toEqual({ settings: defaults, file: null });
  });

  test("from flags, with paths relative to the current folder", () => {
    const currentFolder = folder();
    const flags = {
      fail_on: "high",
      fail_under: "80",
      baseline: "b.json",
      accept: "/a.toml",
      strict: true,
      csv: "checks",
      sarif_anchor: "a/b.conf",
    } as const;
    expect(load({ currentFolder, flags }).settings).toEqual({
      ...flags,
      fail_under: 80,
      baseline: join(currentFolder, "b.json"),
    });
  });

  test("from the current folder, with paths relative to it; flags override it", () => {
    const sources = local('[policy]\nfail_on = "low"\nfail_under = 70\nbaseline = "ci/b.json"\nstrict = true');
    const { settings, file } = load({ ...sources, flags: { fail_on: "high" } });
    expect(settings).toEqual({
      ...defaults,
      fail_on: "high",
      fail_under: 70,
      strict: true,
      baseline: join(sources.currentFolder ?? "", "ci/b.json"),
    });
    expect(file).toBe(join(sources.currentFolder ?? "", "assay.toml"));
  });

  test("from the file of --config in place of the current folder, beside settings", () => {
    const configFile = join(folder({ "ci.toml": '[scan]\ntimeout = 30\n[policy]\naccept = "a.toml"' }), "ci.toml");
    const sources = { ...local("[policy]\nfail_under = 1"), configFile };
    expect(load(sources).settings).toEqual({ ...defaults, accept: join(configFile, "..", "a.toml") });
    expect(loadConfig({ flags: {}, env: {}, configFile })["scan.timeout"]).toBe(30);
  });

  test("from the data folder, if the current folder has none, beside settings", () => {
    const dataDir = folder({ "assay.toml": '[policy]\nfail_on = "low"\n[scan]\ntimeout = 30' });
    expect(load({ dataDir }).settings.fail_on).toBe("low");
    expect(load({ dataDir, ...local("[policy]\nfail_under = 1") }).settings).toEqual({ ...defaults, fail_under: 1 });
    expect(load({ dataDir, currentFolder: dataDir }).settings.fail_on).toBe("low");
  });
});

describe("refuses, with line and column,", () => {
  test.each([
    ["settings", '[policy]\n[checks]\ndir = "evil"', "line 2, column 1: ", '"checks" is not allowed'],
    ["a setting with dots", '[policy]\n\nfail_on = "low"\n[checks.x]\n', "line 4, column 1: ", '"checks" is not allowed'],
    ["a single key", 'profile = "internal"\n[policy]', "line 1, column 1: ", '"profile" is not allowed'],
    ["an unknown key", "[policy]\nfail_one = 1", "line 2, column 1: ", 'unknown key "fail_one" in [policy]; did you mean fail_on?'],
    ["a key that would run code", '[policy]\n"checks.dir" = "x"', "line 2, column 1: ", 'unknown key "checks.dir"'],
    ["a policy that is no table", "policy = 1", "line 1, column 1: ", "must be a table"],
    ["a severity in another spelling", '[policy]\n  fail_on = "hihg"', "line 2, column 3, ", "did you mean high?"],
    ["a score that is too high", "[policy]\nfail_under = 101", "line 2, column 1, ", "a whole number from 0 to 100"],
    ["a score that is a text", '[policy]\nfail_under = "70"', "line 2, column 1, ", "a whole number from 0 to 100"],
    ["a path that is a number", "[policy]\nbaseline = 3", "line 2, column 1, ", "it takes a file"],
    ["an anchor outside", '[policy]\nsarif_anchor = "../x"', "line 2, column 1, ", "without .."],
    ["broken TOML", "[policy\n", "line 1, column 8: ", "Invalid TOML"],
  ])("%s", (_words, toml, place, reason) => {
    const sources = local(toml);
    const file = join(sources.currentFolder ?? "", "assay.toml");
    const message = (() => {
      try {
        return load(sources);
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message).toContain(`${file}, ${place}`);
    expect(message).toContain(reason);
  });

  test("a wrong value that a flag overrides", () => {
    expect(() => load({ ...local("[policy]\nfail_under = 101"), flags: { fail_under: "1" } })).toThrow("line 2");
  });
});

describe("refuses", () => {
  test.each([
    [{ csv: "check" }, 'csv = "check" from --csv is not allowed: it takes findings or checks; did you mean checks?'],
    [{ sarif_anchor: "/etc/passwd" }, "sarif_anchor"],
    [{ sarif_anchor: "a/../../b" }, "sarif_anchor"],
    [{ sarif_anchor: "https://a.example/" }, "sarif_anchor"],
    [{ baseline: "" }, "--baseline"],
  ] as const)("%j", (flags, sentence) => {
    expect(() => load({ flags })).toThrow(sentence);
  });

  test("a link, a folder and a large file in the current folder", () => {
    const elsewhere = folder({ "real.toml": "" });
    for (const target of ["real.toml", "missing.toml"]) {
      const currentFolder = folder();
      symlinkSync(join(elsewhere, target), join(currentFolder, "assay.toml"));
      expect(() => load({ currentFolder })).toThrow("is not a regular file");
    }
    const holding = folder();
    mkdirSync(join(holding, "assay.toml"));
    expect(() => load({ currentFolder: holding })).toThrow("is not a regular file");
    const large = folder({ "assay.toml": "" });
    truncateSync(join(large, "assay.toml"), 64 * 1024 + 1);
    expect(() => load({ currentFolder: large })).toThrow("larger than 64 KiB");
  });

  test("a named file that does not exist", () => {
    expect(() => load({ configFile: join(root, "none.toml") })).toThrow("cannot be read (ENOENT)");
  });
});
