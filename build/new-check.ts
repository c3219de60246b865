/** `npm run new-check KEY`: writes a new built-in check, its test and its two text blocks, and touches no other file. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkSource, codeOfNewCheck, type NewCheck, testSource, textsToFillIn } from "../src/authoring/scaffold-plugin.ts";
import { isCheckKey } from "../src/catalog/validate.ts";
import { type CheckTexts, locales } from "../src/check/check.ts";

// reads: checks/, locales/, test/unit/checks/
const usage = `Usage: npm run new-check KEY

Writes checks/KEY.ts, test/unit/checks/KEY.test.ts and a block in locales/en-gb.json and locales/de-de.json.
KEY is lower-case words joined by hyphens, such as x-frame-options. The template reads the response header of that name.
docs/writing-checks.md explains the rest.`;

/** Path from the root of the repository, and the new content. */
export interface ScaffoldedFile {
  readonly path: string;
  readonly text: string;
}

/** A key that cannot be used. The message is one sentence for the author. */
class KeyError extends Error {
  override readonly name = "KeyError";
}

interface LocaleFile {
  readonly checks: Readonly<Record<string, CheckTexts>>;
}

/**
 * The four files of a new check, not yet written.
 * @throws KeyError for a malformed key, and for one that is in use.
 */
export function scaffoldCheck(root: string, key: string): readonly ScaffoldedFile[] {
  if (!isCheckKey(key)) throw new KeyError(`"${key}" is not lower-case words joined by hyphens, such as x-frame-options`);
  const check = { key, header: key };
  const testPlace = { checkImport: `../../../checks/${key}.ts`, testerImport: "../../support/check-tester.ts", captured: null };
  const sources = [
    { path: `checks/${key}.ts`, text: checkSource(check, null) },
    { path: `test/unit/checks/${key}.test.ts`, text: testSource(check, testPlace) },
  ];
  const taken = sources.find(({ path }) => existsSync(join(root, path)));
  if (taken !== undefined) throw new KeyError(`${taken.path} exists already`);
  return [
    ...sources,
    ...locales.map((locale) => {
      const path = `locales/${locale}.json`;
      return { path, text: withTexts(path, readFileSync(join(root, path), "utf8"), check) };
    }),
  ];
}

/** The locale file with the block at its alphabetical position. */
function withTexts(path: string, text: string, check: NewCheck): string {
  const { key } = check;
  const code = codeOfNewCheck(check);
  const file: LocaleFile = JSON.parse(text);
  const owner = Object.entries(file.checks).find(([other, { findings }]) => other === key || code in findings)?.[0];
  if (owner !== undefined) throw new KeyError(`${path} has texts for ${owner === key ? key : `${code}, in "${owner}"`} already`);
  if (format(file) !== text) throw new KeyError(`${path} is not formatted: run "npm run format" first`);
  const blocks = [...Object.entries(file.checks), [key, textsOf(check)] as const].sort(([one], [other]) => (one < other ? -1 : 1));
  return format({ ...file, checks: Object.fromEntries(blocks) });
}

/** With the sentences for owners of websites, which plugins may do without. */
function textsOf(check: NewCheck): CheckTexts {
  const { findings, ...texts } = textsToFillIn(check);
  const plain = "Fill in: what it means for the owner of the website, without technical terms.";
  return { ...texts, findings: Object.fromEntries(Object.entries(findings).map(([code, finding]) => [code, { ...finding, plain }])) };
}

function format(file: LocaleFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Returns the exit code. */
function main(args: readonly string[]): number {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const [key = "", ...more] = args;
  if (key === "--help" || key === "-h") {
    console.log(usage);
    return 0;
  }
  if (key === "" || more.length > 0) {
    console.error(usage);
    return 2;
  }
  try {
    const files = scaffoldCheck(root, key);
    for (const { path, text } of files) writeFileSync(join(root, path), text);
    // Long keys break lines differently.
    Bun.spawnSync([join(root, "node_modules/.bin/biome"), "format", "--write", ...files.map(({ path }) => path)], { cwd: root });
    console.log(
      `${files.map(({ path }) => path).join("\n")}\n\nWrite the rule, its cases and its texts there, then: npm test -- ${files[1]?.path}`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    console.error(`new-check: ${error.message}`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
