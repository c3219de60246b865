/** Loads real check files from beside the binary, each time in a process of its own, as at start. */
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

/** What the catalog answers when it is loaded with that folder: its keys, or the error's sentence. */
function load(checksDir: string): {
  readonly keys?: readonly string[];
  readonly version?: string;
  readonly label?: string;
  readonly error?: string;
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

describe("checks beside the binary", () => {
  const builtIn = load(folderWith({}));

  test("a sound one joins the catalog, and the catalog's version changes", () => {
    const { keys, version, label, error } = load(folderWith({ "own-check.ts": checkFile() }));
    expect(error).toBeUndefined();
    expect(keys).toEqual([...(builtIn.keys ?? []), "own-check"].sort());
    expect(version).not.toBe(builtIn.version);
    expect(label).toBe("L");
  });

  test("where readers find it and what it rests on change no score", () => {
    const told = declaring('area: "mail", standards: ["RFC 7208 section 3"]').replaceAll('label: "L"', 'label: "L", method: "M"');
    expect(load(folderWith({ "own-check.ts": told })).error).toBeUndefined();
    expect(load(folderWith({ "own-check.ts": told })).version).toBe(load(folderWith({ "own-check.ts": checkFile() })).version as string);
  });

  test("it may share code through files that begin with an underscore", () => {
    const shared = checkFile().replace('key: "own-check"', "key");
    const folder = folderWith({
      "_key.ts": 'export const key = "own-check";',
      "own-check.ts": `import { key } from "./_key.ts";\n${shared}`,
    });
    expect(load(folder).keys).toContain("own-check");
  });

  test("it may import the parsers from their own entry", () => {
    const file = checkFile().replace(", valuesNamed }", " }");
    const folder = folderWith({ "own-check.ts": `import { valuesNamed } from "assay/check/parsers";\n${file}` });
    expect(load(folder)).toMatchObject({ label: "L" });
  });

  test("a folder that is not there is an empty one", () => {
    expect(load(join(tmpdir(), "assay-no-such-folder")).keys).toEqual(builtIn.keys as string[]);
  });

  test.each([
    ["does not parse", { "own-check.ts": "const a = 1;\nexport default {" }, /own-check\.ts: line 2, column \d+: /],
    ["does not parse in two places", { "own-check.ts": "impost { a };\nconst = 1;" }, /own-check\.ts: line 1, column \d+: /],
    ["throws on import", { "own-check.ts": 'throw new Error("no luck");' }, /own-check\.ts: no luck/],
    ["registers nothing", { "own-check.ts": "export {};" }, /exactly one check, but registered 0/],
    ["has another key than its file", { "other.ts": checkFile() }, /its key is "own-check", but must equal the file name, "other"/],
    ["takes a built-in key", { "https-available.ts": checkFile({ key: "https-available" }) }, /two checks have the key "https-available"/],
    ["has a key out of form", { "Own_Check.ts": checkFile({ key: "Own_Check" }) }, /lower-case words joined by hyphens/],
    ["has a code out of form", { "own-check.ts": checkFile({ code: "own.found" }) }, /not of the form security\.<kind>\.<name>/],
    ["reads what is no reading", { "own-check.ts": declaring('reads: ["pagee"]') }, /reads contains "pagee"; allowed are navigation/],
    ["consults what is no reading", { "own-check.ts": declaring('consults: ["tsl"]') }, /consults contains "tsl"/],
    [
      "applies to what is no condition",
      { "own-check.ts": declaring('appliesTo: ["htps"]') },
      /appliesTo contains "htps"; allowed are https/,
    ],
    ["stands in no area", { "own-check.ts": declaring('area: "mial"') }, /area "mial" is not one of headers/],
    ["rests on no list", { "own-check.ts": declaring('standards: "RFC 1"') }, /standards is not a list/],
    ["rests on nothing", { "own-check.ts": declaring('standards: [" "]') }, /standards contains " "/],
    ["rests on too much", { "own-check.ts": declaring('standards: Array(21).fill("RFC 1")') }, /standards has 21 entries; at most 20/],
    ["tells its method in one language", { "own-check.ts": withGermanText('method: "M"') }, /en-gb: no method/],
    ["tells nothing as its method", { "own-check.ts": withText('method: " "') }, /en-gb: no method/],
    [
      "quotes a value before there is one",
      { "own-check.ts": withText('notApplicable: "{{value}}"') },
      /notApplicable quotes a value, but only findings/,
    ],
    ["tells its method at length", { "own-check.ts": withText('method: "M".repeat(1001)') }, /method has 1001 characters/],
    [
      "names a header in capitals",
      { "own-check.ts": declaring('headers: ["X-Own"]') },
      /headers contains "X-Own"; names must be in lower case/,
    ],
    ["takes headers from nowhere", { "own-check.ts": declaring('headersFrom: "x"') }, /headersFrom contains "x"/],
    ["weighs nothing", { "own-check.ts": checkFile({ weight: "0" }) }, /weight 0 is not above 0/],
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

  test("one that everybody may write to is refused", () => {
    const folder = folderWith({ "own-check.ts": checkFile() });
    Bun.spawnSync(["chmod", "o+w", join(folder, "own-check.ts")]);
    expect(load(folder).error).toMatch(/any user may write/);
  });

  test("one in a folder to which everybody may add is refused", () => {
    const folder = folderWith({ "own-check.ts": checkFile() });
    Bun.spawnSync(["chmod", "o+w", folder]);
    expect(load(folder).error).toMatch(/folder .*any user may write/);
  });
});
