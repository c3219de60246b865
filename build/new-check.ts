/** `npm run new-check KEY`: writes a new built-in check, its test and its two text blocks, and touches no other file. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isCheckKey } from "../src/catalog/validate.ts";
import { type CheckTexts, locales } from "../src/check/check.ts";

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
  const code = `security.missing-header.${key}`;
  const sources = [
    { path: `checks/${key}.ts`, text: checkSource(key, code) },
    { path: `test/unit/checks/${key}.test.ts`, text: testSource(key, code) },
  ];
  const taken = sources.find(({ path }) => existsSync(join(root, path)));
  if (taken !== undefined) throw new KeyError(`${taken.path} exists already`);
  return [
    ...sources,
    ...locales.map((locale) => {
      const path = `locales/${locale}.json`;
      return { path, text: withTexts(path, readFileSync(join(root, path), "utf8"), key, code) };
    }),
  ];
}

function checkSource(key: string, code: string): string {
  return `/** Checks the response header ${key}. */
import { passed, registerCheck, setHeader, violated } from "assay/check";

export default registerCheck({
  key: "${key}",
  weight: 1,
  area: "headers",
  reads: ["page"],
  headers: ["${key}"],
  findings: {
    "${code}": { severity: "info", riskLevel: "low", effort: "low" },
  },
  fixes: {
    "${code}": [setHeader("${key}", "value")],
  },
  judge({ headers }) {
    const [value] = headers${key.includes("-") ? `["${key}"]` : `.${key}`};
    return value === undefined ? violated("${code}") : passed();
  },
});
`;
}

function testSource(key: string, code: string): string {
  return `/** Cases of the check of the response header ${key}. */
import check from "../../../checks/${key}.ts";
import { testCheck } from "../../support/check-tester.ts";

testCheck(check, {
  passed: [["the header is sent", { headers: { "${key}": "value" } }]],
  notApplicable: [],
  violated: {
    "${code}": [["no header", {}]],
  },
});
`;
}

/** `Fill in` marks what the author has to write; the test of the check fails as long as it is there. */
function textsOf(key: string, code: string): CheckTexts {
  return {
    label: key,
    reason: "Fill in: why this is checked.",
    method: "Fill in: what is read, and which value decides.",
    findings: {
      [code]: {
        title: `Fill in: the fact, such as "${key} is missing"`,
        detail: "Fill in: what was found on {{host}}.",
        riskStatement: "Fill in: what can happen.",
        remediation: "Fill in: what to do.",
      },
    },
  };
}

/** The locale file with the block at its alphabetical position. */
function withTexts(path: string, text: string, key: string, code: string): string {
  const file: LocaleFile = JSON.parse(text);
  const owner = Object.entries(file.checks).find(([other, { findings }]) => other === key || code in findings)?.[0];
  if (owner !== undefined) throw new KeyError(`${path} has texts for ${owner === key ? key : `${code}, in "${owner}"`} already`);
  if (format(file) !== text) throw new KeyError(`${path} is not formatted: run "npm run format" first`);
  const blocks = [...Object.entries(file.checks), [key, textsOf(key, code)] as const].sort(([one], [other]) => (one < other ? -1 : 1));
  return format({ ...file, checks: Object.fromEntries(blocks) });
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
      `${files.map(({ path }) => path).join("\n")}\n\nWrite the rule, its cases and its texts there, then: npx bun test ${files[1]?.path}`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    console.error(`new-check: ${error.message}`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
