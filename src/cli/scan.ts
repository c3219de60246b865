/** `assay scan`: scans pages once, without server or account, and applies the policy of the caller. */
import { Command } from "commander";
import type { Config } from "../app/settings.ts";
import type { ExitCode } from "./exit.ts";
import { addScanOptions, type ScanOptions } from "./scan-options.ts";
import { codeOf, type Policy, shortfalls, undecided } from "./scan-outcome.ts";
import { renderReports } from "./scan-reports.ts";
import { scanUrls } from "./scan-run.ts";
import { urlsFrom } from "./scan-targets.ts";
import { addSettings, configOf, scanSettings } from "./settings.ts";
import { printError } from "./terminal.ts";

export function scanCommand(onExit: (code: ExitCode) => void): Command {
  const scan = new Command("scan")
    .description("Scan pages once, without server or account. Progress goes to stderr, reports to stdout.")
    .argument("<url...>", "pages to scan; https:// is added where no scheme is given; - reads them from stdin, one a line")
    .action(async (given: string[], _options, command: Command) => {
      onExit(await scanAll(await urlsFrom(given), configOf(command), command.optsWithGlobals()));
    });
  return addSettings(addScanOptions(scan), ["locale.default", ...scanSettings]);
}

async function scanAll(urls: readonly string[], config: Config, options: ScanOptions): Promise<ExitCode> {
  const { scanned, interrupted, catalog } = await scanUrls(urls, config, options);
  const policy: Policy = { failOn: options.failOn ?? null, failUnder: options.failUnder ?? null };
  const code = codeOf(scanned, policy, interrupted);
  renderReports(scanned, config, options, catalog);
  for (const note of [...shortfalls(scanned, policy), ...undecided(scanned, policy)]) printError(`assay: ${note}`);
  return code;
}
