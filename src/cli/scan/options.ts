/** Options of `assay scan`. */
import { Option } from "commander";
import { tokenVariable } from "../../settings/config.ts";
import { type PolicyKey, policyKeys, policySettings } from "../../settings/policy.ts";
import type { Setting } from "../../settings/setting.ts";
import { serverNames } from "../../text/servers/server-lines.ts";
import { type GlobalValues, repeated, type Values } from "../command.ts";
import { formatNames } from "./outputs.ts";

export const scanOptions = {
  "--format <format>": { text: "json is one line for each URL", choices: ["text", "json"], default: "text" },
  "--lines <server>": {
    text: "print lines to paste for this server; by default for the one that the response names, else nginx",
    choices: serverNames,
  },
  "--verbose": "list codes and checks where a line only counts them, and each stage of a scan",
  "-o, --output <format=path>": {
    text: `write a file: ${formatNames.join(", ")}; the path - is stdout (repeatable)`,
    parse: repeated,
  },
  "--urls <file>": "scan the pages of this file too, one a line; # begins a comment",
  "--from-sitemap <url>": "scan the pages of this sitemap too: of its own origin, at most 100",
  "--header-file <file>": "send these request headers to the pages' own origin, over https alone; a line is Name: value",
  "--cookie-file <file>": "send the cookies of this file (Netscape format) likewise",
  "--server <url>": `scan on this assay server, with the API token in ${tokenVariable} or --token-file`,
  "--location <name>": "with --server: scan from this location of its workers, or local",
  "--token-file <file>": "with --server: file with the API token, which only you may read",
  "--write-baseline <file>": "write the findings to this file; they do not fail the build",
} as const;
export type ScanOptions = Values<typeof scanOptions> & GlobalValues;

export const policyOptions = Object.fromEntries(policyKeys.map((key) => [flagOf(key), policySettings[key].doc]));

function flagOf(key: PolicyKey): string {
  const { flag } = policySettings[key] as Setting;
  if (flag === undefined) throw new Error(`${key} has no flag`);
  return flag;
}

/** Values of the policy's flags by key; undefined for those that were not typed. */
export function policyFlags(options: ScanOptions): { readonly [K in PolicyKey]?: string | true } {
  const typed = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(policyKeys.map((key) => [key, typed.get(new Option(flagOf(key)).attributeName())]));
}
