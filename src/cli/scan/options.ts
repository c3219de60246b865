/** Options of `assay scan`. */
import { type Command, Option } from "commander";
import { tokenVariable } from "../../settings/config.ts";
import { type PolicyKey, policyKeys, policySettings } from "../../settings/policy.ts";
import type { Setting } from "../../settings/setting.ts";
import { formatNames } from "./outputs.ts";
import type { TargetOptions } from "./targets.ts";

export interface ScanOptions extends TargetOptions {
  readonly format: "text" | "json";
  /** `FORMAT=PATH`, as typed. */
  readonly output?: readonly string[];
  readonly writeBaseline?: string;
  readonly server?: string;
  readonly location?: string;
  readonly tokenFile?: string;
  readonly quiet?: boolean;
  readonly color: boolean;
}

export function addScanOptions(command: Command): Command {
  command
    .addOption(new Option("--format <format>", "json is one line for each URL").choices(["text", "json"]).default("text"))
    .addOption(
      new Option("-o, --output <format=path>", `write a file: ${formatNames.join(", ")}; the path - is stdout (repeatable)`).argParser(
        (value, before: readonly string[] | undefined) => [...(before ?? []), value],
      ),
    )
    .option("--urls <file>", "scan the pages of this file too, one a line; # begins a comment")
    .option("--from-sitemap <url>", "scan the pages of this sitemap too: of its own origin, at most 100")
    .option("--header-file <file>", "send these request headers to the pages' own origin, over https alone; a line is Name: value")
    .option("--cookie-file <file>", "send the cookies of this file (Netscape format) likewise")
    .option("--server <url>", `scan on this assay server, with the API token in ${tokenVariable} or --token-file`)
    .option("--location <name>", "with --server: scan from this location of its workers, or local")
    .option("--token-file <file>", "with --server: file with the API token, which only you may read")
    .option("--write-baseline <file>", "write the findings to this file; they do not fail the build");
  for (const key of policyKeys) command.addOption(policyOption(key));
  return command.addHelpText("after", policyHelp);
}

function policyOption(key: PolicyKey): Option {
  const { flag, doc } = policySettings[key] as Setting;
  if (flag === undefined) throw new Error(`${key} has no flag`);
  return new Option(flag, doc);
}

/** Values of the policy's flags; undefined for those that were not typed. */
export function policyFlags(command: Command): { readonly [K in PolicyKey]?: string | true } {
  const typed = command.optsWithGlobals() as Readonly<Record<string, string | true | undefined>>;
  return Object.fromEntries(policyKeys.map((key) => [key, typed[policyOption(key).attributeName()]]));
}

const policyHelp = `
The table [policy] of assay.toml in the current folder may set ${policyKeys.join(", ")}.
Flags override it. That file may hold nothing else; the file of --config may hold both.

Exit codes, the first that applies: 2 usage, 4 internal or browser failure, 3 no target scannable,
5 some targets not scannable, 1 policy not met, 0 ok; 130 interrupted. docs/ci.md has pipelines.`;
