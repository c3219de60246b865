/** Loads plugin check files in a real thread, as start and reload do: what is named as fault, and what joins the catalog. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import { describeFault } from "../../../src/catalog/fault.ts";
import { type CatalogOptions, loadCatalogSafely } from "../../../src/catalog/load.ts";

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-checks-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

/** Loads the catalog with the folder: its keys, or its faults with places relative to the folder. */
async function load(checksDir: string, options: Partial<CatalogOptions> = {}) {
  const { catalog, faults } = await loadCatalogSafely({ checksDir, unknownKeys: "warn", workerFile: workerFiles.catalog, ...options });
  if (catalog === null) return { faults: faults.map((fault) => describeFault(fault).replaceAll(`${checksDir}/`, "")) };
  return {
    keys: catalog.checks.map(({ key }) => key),
    version: catalog.version,
    label: catalog.texts["en-gb"]["own-check"]?.label,
    warnings: catalog.warnings.map((fault) => describeFault(fault).replaceAll(`${checksDir}/`, "")),
    catalog,
  };
}

const texts = (code: string, quoted = "{{value}}") => `{ label: "L", reason: "R", findings: { "${code}": {
  title: "T", detail: "Found ${quoted}", riskStatement: "S", remediation: "M" } } }`;

function declaring(declaration: string): string {
  return checkFile().replace("judge", `${declaration},\n judge`);
}

function withText(text: string): string {
  return checkFile().replaceAll('label: "L"', `label: "L", ${text}`);
}

function withGermanText(text: string): string {
  const [english = "", german = ""] = checkFile().split('"de-de"');
  return `${english}"de-de"${german.replace('label: "L"', `label: "L", ${text}`)}`;
}

function checkFile({ key = "own-check", code = "security.own.found", weight = "2", german = "{{value}}", severity = "low" } = {}): string {
  return `import { passed, registerCheck, violated, valuesNamed } from "assay/check";
export default registerCheck({
  key: "${key}", weight: ${weight}, reads: ["page"],
  findings: { "${code}": { severity: "${severity}", riskLevel: "low", effort: "low" } },
  judge({ page }) {
    const [value] = valuesNamed(page.headers, "x-own");
    return value === undefined ? passed() : violated("${code}", { value });
  },
  texts: { "en-gb": ${texts(code)}, "de-de": ${texts(code, german)} },
});`;
}

describe("plugin checks", () => {
  const builtInKeys = builtInCatalog().checks.map(({ key }) => key);
  /** Begun before the other cases, so that its deadline passes beside them. */
  let endless: ReturnType<typeof load>;

  beforeAll(() => {
    const endlessFile = "for (;;) Bun.sleepSync(10);";
    const files = { "a-check.ts": 'throw new Error("no luck");', "b-check.ts": endlessFile, "own-check.ts": checkFile() };
    endless = load(folderWith(files), { deadlineMs: 4_000 });
  });

  test("a valid one joins the catalog and changes its version", async () => {
    const { keys, version, label, faults } = await load(folderWith({ "own-check.ts": checkFile() }));
    expect(faults).toBeUndefined();
    expect(keys).toEqual([...builtInKeys, "own-check"].sort());
    expect(version).not.toBe(builtInCatalog().version);
    expect(label).toBe("L");
  });

  test("unknown keys are named with the key that was meant, and do not stop the start", async () => {
    const misspelt = declaring('standrads: ["RFC 9110"], zzz: 1')
      .replace('effort: "low"', 'effort: "low", scorecap: 50')
      .replaceAll('label: "L"', 'label: "L", methd: "M"');
    const { keys, warnings, faults } = await load(folderWith({ "own-check.ts": misspelt }));
    expect(faults).toBeUndefined();
    expect(keys).toContain("own-check");
    expect(warnings).toEqual(
      [
        "5:3: unknown key standrads: did you mean standards?",
        "5:28: unknown key zzz",
        '4:89: unknown key findings["security.own.found"].scorecap: did you mean scoreCap?',
        '10:35: unknown key texts["en-gb"].methd: did you mean method?',
        '11:109: unknown key texts["de-de"].methd: did you mean method?',
      ].map((warning) => `check own-check.ts:${warning}`),
    );
    expect((await load(folderWith({ "own-check.ts": checkFile() }))).warnings).toEqual([]);
  });

  test("a missing key beside an unknown one: the error names both", async () => {
    const { faults } = await load(folderWith({ "own-check.ts": checkFile().replace("weight: 2", "wieght: 2") }));
    expect(faults).toEqual([
      "check own-check.ts:2:16: weight undefined is not from 0 to 10",
      "check own-check.ts:3:21: unknown key wieght: did you mean weight?",
    ]);
  });

  test("unknown keys are faults for a reload", async () => {
    const misspelt = declaring("zzz: 1");
    const { faults } = await load(folderWith({ "own-check.ts": misspelt }), { unknownKeys: "refuse" });
    expect(faults).toEqual(["check own-check.ts:5:3: unknown key zzz"]);
  });

  test("area, standards, method and weakness do not change the version", async () => {
    const declared = declaring('area: "mail", standards: ["RFC 7208 section 3"]')
      .replaceAll('label: "L"', 'label: "L", method: "M"')
      .replace('effort: "low"', 'effort: "low", cwe: 319');
    expect((await load(folderWith({ "own-check.ts": declared }))).faults).toBeUndefined();
    expect((await load(folderWith({ "own-check.ts": declared }))).version).toBe(
      (await load(folderWith({ "own-check.ts": checkFile() }))).version as string,
    );
  });

  test("other code of a check, or of a file that it imports, changes its hash and no version, wherever the folder is", async () => {
    const imported = `import { header } from "./_shared.ts";\n${checkFile().replace('"x-own"', "header")}`;
    const codeOf = async (header: string, source = imported) => {
      const files = { "_shared.ts": `export const header = "${header}";`, "own-check.ts": source };
      const { catalog, version } = await load(folderWith(files));
      return { version, digests: catalog?.snapshot?.digests };
    };
    const [one, same, other] = [await codeOf("x-own"), await codeOf("x-own"), await codeOf("x-other")];
    expect(one.digests).toEqual({ "own-check": expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(same).toEqual(one);
    expect(other.version).toBe(one.version);
    expect(other.digests).not.toEqual(one.digests);
    expect((await codeOf("x-own", checkFile().replace('"x-own"', '"x-more"'))).digests).not.toEqual(one.digests);
  });

  test("tests, type declarations and shared code register nothing", async () => {
    const others = {
      "own-check.test.ts": "for (;;);",
      "assay-check.d.ts": "declare const a: 1;",
      "_own.ts": 'throw new Error("no luck");',
    };
    expect((await load(folderWith({ ...others, "own-check.ts": checkFile() }))).keys).toContain("own-check");
  });

  test("a symbolic link is a file of its own name, as in a folder that Kubernetes mounts", async () => {
    const mounted = folderWith({ "_key.ts": 'export const key = "own-check";', "linked.ts": "" });
    writeFileSync(join(mounted, "linked.ts"), `import { key } from "./_key";\n${checkFile().replace('key: "own-check"', "key")}`);
    const folder = folderWith({});
    symlinkSync(join(mounted, "linked.ts"), join(folder, "own-check.ts"));
    const { catalog } = await load(folder);
    expect(catalog?.pluginFiles["own-check"]?.path).toBe(join(folder, "own-check.ts"));
    expect(catalog?.snapshot?.entries).toEqual([join(mounted, "linked.ts")]);
  });

  test("files that begin with an underscore are shared code", async () => {
    const shared = checkFile().replace('key: "own-check"', "key");
    const folder = folderWith({
      "_key.ts": 'export const key = "own-check";',
      "own-check.ts": `import { key } from "./_key.ts";\n${shared}`,
    });
    expect((await load(folder)).keys).toContain("own-check");
  });

  test("a check may import the parsers from their entry", async () => {
    const file = checkFile().replace(", valuesNamed }", " }");
    const folder = folderWith({ "own-check.ts": `import { valuesNamed } from "assay/check/parsers";\n${file}` });
    expect(await load(folder)).toMatchObject({ label: "L" });
  });

  test("a missing folder counts as empty", async () => {
    expect((await load(join(tmpdir(), "assay-no-such-folder"))).keys).toEqual(builtInKeys);
  });

  /** One thread loads all files, because a thread for each takes seconds. A fault of one file must not change the faults of another. */
  describe("of several folders in one", () => {
    const broken: readonly (readonly [words: string, files: Readonly<Record<string, string>>, message: RegExp | string])[] = [
      ["does not parse", { "own-check.ts": "const a = 1;\nexport default {" }, /own-check\.ts:2:\d+: /],
      ["does not parse in two places", { "own-check.ts": "impost { a };\nconst = 1;" }, /own-check\.ts:1:\d+: /],
      ["throws on import", { "own-check.ts": 'throw new Error("no luck");' }, /own-check\.ts:1:\d+: no luck/],
      ["registers nothing", { "own-check.ts": "export {};" }, /exactly one check, but registered 0/],
      ["has another key than its file", { "other.ts": checkFile() }, /its key is "own-check", but must equal the file name, "other"/],
      [
        "has a built-in key",
        { "https-available.ts": checkFile({ key: "https-available" }) },
        /https-available\.ts: "https-available" is the key of a built-in check/,
      ],
      [
        "registers twice",
        { "own-check.ts": `${checkFile()}\nregisterCheck({ key: "own-two" });` },
        /own-check\.ts:13:17: must register exactly one check, but registered 2 \(own-check, own-two\)/,
      ],
      [
        "throws in a shared file",
        { "_shared.ts": '\nthrow new TypeError("no luck");', "own-check.ts": `import "./_shared";\n${checkFile()}` },
        /_shared\.ts:2:\d+: no luck/,
      ],
      ["imports a missing file", { "own-check.ts": 'import "assay/check";\nimport "./no.ts";' }, /own-check\.ts:2:9: Cannot find module/],
      [
        "imports a missing name",
        { "own-check.ts": `import { nothing } from "assay/check";\n${checkFile()}nothing();` },
        /own-check\.ts:1:10: Export named 'nothing' not found/,
      ],
      ["imports broken JSON", { "_d.json": "{", "own-check.ts": 'import d from "./_d.json"; d();' }, /_d\.json: JSON Parse error/],
      ["breaks its thread", { "own-check.ts": "throw null;" }, /own-check\.ts: threw null/],
      ["has a finding that is no object", { "own-check.ts": checkFile().replace(/{ severity.*}/, "7 }") }, /:4:\d+: severity of/],
      ["has texts that are no object", { "own-check.ts": checkFile().replace(/"de-de": {.*$/s, '"de-de": 7 } });') }, /no texts for de-de/],
      ["has a malformed key", { "Own_Check.ts": checkFile({ key: "Own_Check" }) }, /lower-case words joined by hyphens/],
      ["has a malformed code", { "own-check.ts": checkFile({ code: "own.found" }) }, /not of the form security\.<kind>\.<name>/],
      ["reads an unknown reading", { "own-check.ts": declaring('reads: ["pagee"]') }, /reads contains "pagee"; allowed are navigation/],
      ["consults an unknown reading", { "own-check.ts": declaring('consults: ["tsl"]') }, /consults contains "tsl"/],
      ["has an unknown condition", { "own-check.ts": declaring('appliesTo: ["htps"]') }, /appliesTo contains "htps"; allowed are https/],
      ["has an unknown area", { "own-check.ts": declaring('area: "mial"') }, /area "mial" is not one of headers/],
      ["has standards that are no list", { "own-check.ts": declaring('standards: "RFC 1"') }, /standards is not a list/],
      ["has a blank standard", { "own-check.ts": declaring('standards: [" "]') }, /standards contains " "/],
      [
        "has too many standards",
        { "own-check.ts": declaring('standards: Array(21).fill("RFC 1")') },
        /standards has 21 entries; at most 20/,
      ],
      ["has its method in one language", { "own-check.ts": withGermanText('method: "M"') }, /en-gb: no method/],
      ["has a blank method", { "own-check.ts": withText('method: " "') }, /en-gb: no method/],
      [
        "quotes a value in its method",
        { "own-check.ts": withText('notApplicable: "{{value}}"') },
        /notApplicable quotes a value, but only findings/,
      ],
      ["has a too long method", { "own-check.ts": withText('method: "M".repeat(1001)') }, /method has 1001 characters/],
      [
        "names a header in capitals",
        { "own-check.ts": declaring('headers: ["X-Own"]') },
        /headers contains "X-Own"; names must be in lower case/,
      ],
      ["has an unknown headersFrom", { "own-check.ts": declaring('headersFrom: "x"') }, /headersFrom contains "x"/],
      ["has a negative weight", { "own-check.ts": checkFile({ weight: "-1" }) }, /weight -1 is not from 0 to 10/],
      ["is a note with a severity", { "own-check.ts": checkFile({ weight: "0" }) }, /belongs to a check of weight 0: its severity is info/],
      [
        "has an unknown severity",
        { "own-check.ts": checkFile({ severity: "dire" }) },
        /severity of "security\.own\.found" is not one of critical/,
      ],
      ["quotes other values in German", { "own-check.ts": checkFile({ german: "{{wert}}" }) }, /quote different values/],
      ["has no German texts", { "own-check.ts": checkFile().replace('"de-de"', '"fr-fr"') }, /no texts for de-de/],
      [
        "shares a code with another",
        { "own-check.ts": checkFile(), "own-two.ts": checkFile({ key: "own-two" }) },
        /both declare the code "security\.own\.found"/,
      ],
      // Line and column of each fault, from its message.
      ["has a wrong severity", { "own-check.ts": checkFile({ severity: "dire" }) }, "check own-check.ts:4:39: severity of"],
      ["has another key", { "own-check.ts": checkFile({ key: "other-check" }) }, "check own-check.ts:3:3: its key is"],
      ["has a weight", { "own-check.ts": checkFile({ weight: "11" }) }, "check own-check.ts:3:21: weight 11"],
      [
        "has German placeholders",
        { "own-check.ts": checkFile({ german: "{{wert}}" }) },
        "check own-check.ts:10:134: the locales quote different values",
      ],
      ["has an unknown reading", { "own-check.ts": declaring('reads: ["pagee"]') }, "check own-check.ts:3:32: reads contains"],
    ];
    /** Names of the same length, so that columns stay. */
    const ownNames = (at: number) =>
      [
        ["own-check", `own-chk${String(at).padStart(2, "0")}`],
        ["own-two", `own-x${String(at).padStart(2, "0")}`],
      ] as const;
    const renamed = (text: string, at: number) => ownNames(at).reduce((all, [name, own]) => all.replaceAll(name, own), text);
    const namedBack = (text: string, at: number) => ownNames(at).reduce((all, [name, own]) => all.replaceAll(own, name), text);
    let all: readonly string[];

    beforeAll(async () => {
      const named = broken.flatMap(([, files], at) =>
        Object.entries(files).map(([name, text]) => [renamed(name, at), renamed(text, at)] as const),
      );
      expect(new Set(named.map(([name]) => name)).size).toBe(named.length);
      all = (await load(folderWith(Object.fromEntries(named)))).faults ?? [];
    });

    /** Faults in the files of one case, in the names of the case. */
    function faultsOfCase(at: number): readonly string[] {
      const names = Object.keys(broken[at]?.[1] ?? {}).map((name) => renamed(name, at));
      return all.filter((fault) => names.includes(/^check ([^:]+)/.exec(fault)?.[1] ?? "")).map((fault) => namedBack(fault, at));
    }

    test.each(broken.map(([words, , message], at) => [words, message, at] as const))(
      "one that %s is named with file and reason",
      (_words, message, at) => {
        expect(faultsOfCase(at).join("\n")).toMatch(message);
      },
    );

    test("no case is without its own fault", () => {
      const found = broken.map((_each, at) => faultsOfCase(at).length);
      expect(found).not.toContain(0);
      expect(found.reduce((sum, count) => sum + count)).toBe(all.length);
    });
  });

  test("all faults of all files are named at once, each file by itself", async () => {
    const { faults } = await load(
      folderWith({
        "a-check.ts": "const = 1;",
        "b-check.ts": 'throw new Error("no luck");',
        "c-check.ts": checkFile({ key: "c-check", severity: "dire", weight: "-1" }),
        "own-check.ts": checkFile(),
        "own-two.ts": checkFile({ key: "own-two" }),
      }),
    );
    expect(faults?.map((fault) => fault.split(":")[0])).toEqual([
      "check a-check.ts",
      "check b-check.ts",
      "check c-check.ts",
      "check c-check.ts",
      "check own-two.ts",
    ]);
  });

  test("a shared file that is broken is named once", async () => {
    const files = { "_shared.ts": "const = 1;", "a-one.ts": 'import "./_shared.ts";', "b-two.ts": 'import "./_shared.ts";' };
    const { faults } = await load(folderWith(files));
    expect(faults?.filter((fault) => fault.includes("_shared.ts:1:"))).toHaveLength(1);
  });

  test("a file that loops at import is named after the deadline", async () => {
    expect((await load(folderWith({ "own-check.ts": "for (;;);" }), { deadlineMs: 500 })).faults).toEqual([
      "check own-check.ts: did not finish loading within 0.5 seconds",
    ]);
  });

  test("a file that never ends at import is named after the deadline, with the faults before it", async () => {
    expect((await endless).faults).toEqual([
      expect.stringMatching(/a-check\.ts:1:\d+: no luck/),
      "check b-check.ts: did not finish loading within 4 seconds",
    ]);
  });

  test.each([
    ["an end of its thread", "process.exit(0);", /own-check\.ts: ended its thread while it loaded/, undefined],
    ["an await without end", "await new Promise(() => {});", /own-check\.ts: ended its thread while it loaded/, undefined],
    ["an await of a timer", "await Bun.sleep(60_000);", /own-check\.ts: did not finish loading within 0\.5 seconds/, 500],
  ])("a file that waits or ends its thread at import is named: %s", async (_words, statement, message, deadlineMs) => {
    const folder = folderWith({ "own-check.ts": `${statement}\n${checkFile()}` });
    expect((await load(folder, deadlineMs === undefined ? {} : { deadlineMs })).faults?.join("\n")).toMatch(message);
  });

  test("a world-writable file is refused", async () => {
    const folder = folderWith({ "own-check.ts": checkFile() });
    Bun.spawnSync(["chmod", "o+w", join(folder, "own-check.ts")]);
    expect((await load(folder)).faults?.join("\n")).toMatch(/any user may write/);
  });

  test("a file in a world-writable folder is refused", async () => {
    const folder = folderWith({ "own-check.ts": checkFile() });
    Bun.spawnSync(["chmod", "o+w", folder]);
    expect((await load(folder)).faults?.join("\n")).toMatch(/any user may write to this folder/);
  });
});
