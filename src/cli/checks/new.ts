/** `assay checks new`: writes the folder of a new plugin. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { codeOfNewCheck, scaffoldPlugin } from "../../authoring/scaffold-plugin.ts";
import { builtInCatalog } from "../../catalog/catalog.ts";
import { isCheckKey } from "../../catalog/validate.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import sampleScan from "../../web/report/sample-scan.json" with { type: "json" };
import { CliError, exitCodes } from "../exit.ts";
import { note, print, stripControls } from "../terminal.ts";

/** RFC 9110 section 5.1: a field name is a token. */
const headerPattern = /^[!#$%&'*+.^`|~\w-]{1,128}$/;
const shownCharsMax = 100;

const examples = `
Examples:
  assay checks new acme-build --header X-Acme-Build
  cd acme-build && assay checks test`;

export function newCheckCommand(): Command {
  return new Command("new")
    .description("Write a folder with a new check, its test, captured evidence and the types for editors.")
    .argument("<key>", "key of the check and name of the folder: lower-case words joined by hyphens")
    .option("--header <name>", "response header that the check reads (default: the key)")
    .addHelpText("after", examples)
    .action((key: string, { header }: { readonly header?: string }) => {
      const check = { key, header: header ?? key };
      assertUsable(check.key, check.header);
      const files = scaffoldPlugin(check, sampleScan.evidence as unknown as Evidence);
      createFolder(key);
      for (const { name, text } of files) writeFileSync(join(key, name), text, { mode: 0o644 });
      print(files.map(({ name }) => join(key, name)).join("\n"));
      note(`\nNext: cd ${key} && assay checks test --watch, then edit ${key}.ts; README.md has the other steps.`);
    });
}

/** @throws CliError for a key or header that cannot be used. */
function assertUsable(key: string, header: string): void {
  if (!isCheckKey(key)) throw usage(`"${shown(key)}" is no key: use lower-case words joined by hyphens${suggestion(key)}`);
  if (!headerPattern.test(header)) throw usage(`--header "${shown(header)}" is no name of a header, such as X-Frame-Options`);
  const { checks } = builtInCatalog();
  if (checks.some((check) => check.key === key))
    throw usage(`"${key}" is the key of a built-in check; choose another one, such as own-${key}`);
  const code = codeOfNewCheck({ key, header });
  const owner = checks.find(({ findings }) => Object.hasOwn(findings, code));
  if (owner !== undefined) throw usage(`the finding ${code} belongs to the check "${owner.key}"; choose another key, such as own-${key}`);
  if (existsSync(key)) throw usage(`${key} exists already; choose another key or remove it`);
}

function createFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    throw usage(`the folder ${path} cannot be created (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The key that was probably meant: `Acme_Build` is "acme-build". */
function suggestion(key: string): string {
  const words = key
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return isCheckKey(words) ? `; did you mean ${words}?` : ", such as acme-build";
}

function shown(text: string): string {
  return stripControls(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}...` : text);
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
