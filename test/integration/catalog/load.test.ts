/** Loads plugin check files, each time in a separate process, as at start. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const loader = resolve(import.meta.dirname, "../../support/load-catalog.ts");
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

/** Loads the catalog with the folder: its keys, or the error message. */
function load(checksDir: string): {
  readonly keys?: readonly string[];
  readonly version?: string;
  readonly label?: string;
  readonly error?: string;
  readonly warnings?: readonly string[];
} {
  const { stdout, stderr } = Bun.spawnSync([process.execPath, loader, checksDir], { stdout: "pipe", stderr: "pipe" });
  const line = stdout.toString().trim();
  if (line === "") throw new Error(stderr.toString());
  return JSON.parse(line);
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
  const builtIn = load(folderWith({}));

  test("a valid one joins the catalog and changes its version", () => {
    const { keys, version, label, error } = load(folderWith({ "own-check.ts": checkFile() }));
    expect(error).toBeUndefined();
    expect(keys).toEqual([...(builtIn.keys ?? []), "own-check"].sort());
    expect(version).not.toBe(builtIn.version);
    expect(label).toBe("L");
  });

  test("unknown keys are named with the key that was meant, and do not stop the start", () => {
    const misspelt = declaring('standrads: ["RFC 9110"], zzz: 1')
      .replace('effort: "low"', 'effort: "low", scorecap: 50')
      .replaceAll('label: "L"', 'label: "L", methd: "M"');
    const folder = folderWith({ "own-check.ts": misspelt });
    const file = join(folder, "own-check.ts");
    const { keys, warnings, error } = load(folder);
    expect(error).toBeUndefined();
    expect(keys).toContain("own-check");
    expect(warnings).toEqual(
      [
        "standrads: did you mean standards?",
        "zzz",
        'findings["security.own.found"].scorecap: did you mean scoreCap?',
        'texts["en-gb"].methd: did you mean method?',
        'texts["de-de"].methd: did you mean method?',
      ].map((warning) => `check ${file}: unknown key ${warning}`),
    );
    expect(load(folderWith({ "own-check.ts": checkFile() })).warnings).toEqual([]);
  });

  test("a missing key beside an unknown one: the error names both", () => {
    const { error } = load(folderWith({ "own-check.ts": checkFile().replace("weight: 2", "wieght: 2") }));
    expect(error).toContain("weight undefined is not from 0 to 10; unknown key wieght: did you mean weight?");
  });

  test("area, standards, method and weakness do not change the version", () => {
    const declared = declaring('area: "mail", standards: ["RFC 7208 section 3"]')
      .replaceAll('label: "L"', 'label: "L", method: "M"')
      .replace('effort: "low"', 'effort: "low", cwe: 319');
    expect(load(folderWith({ "own-check.ts": declared })).error).toBeUndefined();
    expect(load(folderWith({ "own-check.ts": declared })).version).toBe(
      load(folderWith({ "own-check.ts": checkFile() })).version as string,
    );
  });

  test("files that begin with an underscore are shared code", () => {
    const shared = checkFile().replace('key: "own-check"', "key");
    const folder = folderWith({
      "_key.ts": 'export const key = "own-check";',
      "own-check.ts": `import { key } from "./_key.ts";\n${shared}`,
    });
    expect(load(folder).keys).toContain("own-check");
  });

  test("a check may import the parsers from their entry", () => {
    const file = checkFile().replace(", valuesNamed }", " }");
    const folder = folderWith({ "own-check.ts": `import { valuesNamed } from "assay/check/parsers";\n${file}` });
    expect(load(folder)).toMatchObject({ label: "L" });
  });

  test("a missing folder counts as empty", () => {
    expect(load(join(tmpdir(), "assay-no-such-folder")).keys).toEqual(builtIn.keys as string[]);
  });

  test.each([
    ["does not parse", { "own-check.ts": "const a = 1;\nexport default {" }, /own-check\.ts: line 2, column \d+: /],
    ["does not parse in two places", { "own-check.ts": "impost { a };\nconst = 1;" }, /own-check\.ts: line 1, column \d+: /],
    ["throws on import", { "own-check.ts": 'throw new Error("no luck");' }, /own-check\.ts: no luck/],
    ["registers nothing", { "own-check.ts": "export {};" }, /exactly one check, but registered 0/],
    ["has another key than its file", { "other.ts": checkFile() }, /its key is "own-check", but must equal the file name, "other"/],
    ["has a built-in key", { "https-available.ts": checkFile({ key: "https-available" }) }, /two checks have the key "https-available"/],
    ["has a malformed key", { "Own_Check.ts": checkFile({ key: "Own_Check" }) }, /lower-case words joined by hyphens/],
    ["has a malformed code", { "own-check.ts": checkFile({ code: "own.found" }) }, /not of the form security\.<kind>\.<name>/],
    ["reads an unknown reading", { "own-check.ts": declaring('reads: ["pagee"]') }, /reads contains "pagee"; allowed are navigation/],
    ["consults an unknown reading", { "own-check.ts": declaring('consults: ["tsl"]') }, /consults contains "tsl"/],
    ["has an unknown condition", { "own-check.ts": declaring('appliesTo: ["htps"]') }, /appliesTo contains "htps"; allowed are https/],
    ["has an unknown area", { "own-check.ts": declaring('area: "mial"') }, /area "mial" is not one of headers/],
    ["has standards that are no list", { "own-check.ts": declaring('standards: "RFC 1"') }, /standards is not a list/],
    ["has a blank standard", { "own-check.ts": declaring('standards: [" "]') }, /standards contains " "/],
    ["has too many standards", { "own-check.ts": declaring('standards: Array(21).fill("RFC 1")') }, /standards has 21 entries; at most 20/],
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
  ] as [string, Record<string, string>, RegExp][])("one that %s stops the start with file and reason", (_words, files, message) => {
    expect(load(folderWith(files)).error).toMatch(message);
  });

  test("a world-writable file is refused", () => {
    const folder = folderWith({ "own-check.ts": checkFile() });
    Bun.spawnSync(["chmod", "o+w", join(folder, "own-check.ts")]);
    expect(load(folder).error).toMatch(/any user may write/);
  });

  test("a file in a world-writable folder is refused", () => {
    const folder = folderWith({ "own-check.ts": checkFile() });
    Bun.spawnSync(["chmod", "o+w", folder]);
    expect(load(folder).error).toMatch(/folder .*any user may write/);
  });
});
