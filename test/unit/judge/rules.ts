/**
 * The rules by which evidence becomes a score, as one hash that comments and formatting leave as it is.
 * `bun test/unit/judge/rules.ts --pin` writes it down beside the version of the rules.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { algorithmVersion } from "../../../src/judge/result.ts";

const root = resolve(import.meta.dirname, "../../..");
/** Whatever can move a verdict. What becomes of it afterwards, in texts and in pages, cannot. */
const folders = ["checks", "src/check", "src/judge", "src/parse"];
const hexChars = 16;

export interface PinnedRules {
  readonly algorithmVersion: number;
  readonly rules: string;
}

export const pinFile = join(import.meta.dirname, "rules.json");

/** The rules as they are now. */
export function currentRules(): PinnedRules {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun", minifyWhitespace: true });
  const files = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)).sort();
  const codes = files.map((file) => transpiler.transformSync(readFileSync(join(root, file), "utf8")));
  const hash = createHash("sha256");
  // The version is no rule: it follows from them.
  for (const [at, file] of files.entries()) hash.update(`${file}\n${codes[at]?.replace(/\balgorithmVersion=\d+/, "")}\n`);
  // A list of public suffixes that grew moves verdicts as well.
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies))
    if (codes.some((code) => code.includes(`"${name}"`) || code.includes(`"${name}/`))) hash.update(`${name} ${version}\n`);
  return { algorithmVersion, rules: hash.digest("hex").slice(0, hexChars) };
}

if (import.meta.main && process.argv.includes("--pin")) writeFileSync(pinFile, `${JSON.stringify(currentRules(), null, 2)}\n`);
