/** Options of `assay scan`. */
import { type Command, Option } from "commander";
import { type Severity, severities } from "../check/check.ts";
import { CliError, exitCodes } from "./exit.ts";

export interface ScanOptions {
  readonly format: "text" | "json";
  readonly failOn?: Severity;
  readonly failUnder?: number;
  readonly quiet?: boolean;
  readonly color: boolean;
}

export function addScanOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "json is one line for each URL").choices(["text", "json"]).default("text"))
    .addOption(new Option("--fail-on <severity>", "exit 1 if a finding is at least so severe; notes do not count").choices(severities))
    .addOption(new Option("--fail-under <score>", "exit 1 if a score is lower, or could not be measured").argParser(scoreFrom));
}

function scoreFrom(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 100)
    throw new CliError(exitCodes.usage, `--fail-under ${text} is not a whole number from 0 to 100`);
  return Number(text);
}
