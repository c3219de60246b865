/**
 * Hashes of the rules that turn evidence into a score; comments and formatting do not change them. `bun test/unit/judge/rules.ts --pin`
 * writes them to rules.json. Pin before each release: a check that is not pinned yet may still change freely.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { algorithmVersion } from "../../../src/judge/result.ts";

// reads: checks/, src/check/, src/judge/, src/parse/, package.json
const root = resolve(import.meta.dirname, "../../..");
/** Folders, beside the checks themselves, whose code can change a verdict. */
const folders = ["src/check", "src/judge", "src/parse"];
const hexChars = 16;

export interface PinnedRules {
  readonly algorithmVersion: number;
  /** Hash of the code that all checks share. */
  readonly rules: string;
  /** Hashes by key. A new check needs no pin, because it changes the catalog's version. */
  readonly checks: Readonly<Record<string, string>>;
}

export const pinFile = join(import.meta.dirname, "rules.json");

export function currentRules(): PinnedRules {
  const shared = folders.flatMap((folder) => codeIn(folder));
  const checks = codeIn("checks").filter(({ file }) => file !== "checks/index.ts");
  // A longer list of public suffixes changes verdicts as well.
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = Object.entries(dependencies)
    .filter(([name]) => [...shared, ...checks].some(({ code }) => code.includes(`"${name}"`) || code.includes(`"${name}/`)))
    .map(([name, version]) => `${name} ${version}\n`);
  return {
    algorithmVersion,
    // The version follows from the rules and is not one of them.
    rules: hashOf([...shared.map(({ file, code }) => `${file}\n${code.replace(/\balgorithmVersion=\d+/, "")}\n`), ...packages].join("")),
    checks: Object.fromEntries(checks.map(({ file, code }) => [file.replace(/^checks\/|\.ts$/g, ""), hashOf(code)])),
  };
}

function codeIn(folder: string): readonly { readonly file: string; readonly code: string }[] {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", minifyWhitespace: true });
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => ({ file: `${folder}/${name}`, code: transpiler.transformSync(readFileSync(join(root, folder, name), "utf8")) }));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, hexChars);
}

if (import.meta.main && process.argv.includes("--pin")) writeFileSync(pinFile, `${JSON.stringify(currentRules(), null, 2)}\n`);
