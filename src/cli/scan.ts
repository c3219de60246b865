/** `assay scan`: scans pages once, in this process or on a server, and applies the policy of the caller. */
import { Command } from "commander";
import type { Config } from "../app/settings.ts";
import { pipelineEnd, verdictOf } from "../policy/policy.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { type JudgedCall, policyFaults, policyNotes } from "./scan-notes.ts";
import { addScanOptions, type ScanOptions } from "./scan-options.ts";
import { exitCodeOf, exportedScanOf, policyPageOf } from "./scan-outcome.ts";
import { exportSettingsOf, writeBaseline, writeOutputs } from "./scan-outputs.ts";
import { type ScanPolicy, scanPolicyOf } from "./scan-policy.ts";
import { renderReports } from "./scan-reports.ts";
import { scanUrls } from "./scan-run.ts";
import type { ServerTarget } from "./scan-server.ts";
import { serverTargetOf } from "./scan-server-target.ts";
import { type ScanTargets, targetsFrom } from "./scan-targets.ts";
import { addSettings, configOf, scanSettings } from "./settings.ts";
import { note, printError, printWhileOpen } from "./terminal.ts";

export function scanCommand(onExit: (code: ExitCode) => void): Command {
  const scan = new Command("scan")
    .description("Scan pages once, without server or account unless --server names one. Progress goes to stderr, reports to stdout.")
    .argument("[url...]", "pages to scan; https:// is added where no scheme is given; - reads them from stdin, one a line")
    .action(async (given: string[], _options, command: Command) => {
      const config = configOf(command);
      const ofCall = scanPolicyOf(command, config);
      const options: ScanOptions = command.optsWithGlobals();
      const server = serverTargetOf(command, config);
      const targets = await targetsFrom(given, options, config);
      ofCall.assertUrls(targets.urls);
      onExit(await scanAll({ targets, config, options, ofCall, server }));
    });
  return addSettings(addScanOptions(scan), ["locale.default", ...scanSettings]);
}

interface ScanCall {
  readonly targets: ScanTargets;
  readonly config: Config;
  readonly options: ScanOptions;
  readonly ofCall: ScanPolicy;
  /** Null to scan in this process. */
  readonly server: ServerTarget | null;
}

async function scanAll({ targets, config, options, ofCall, server }: ScanCall): Promise<ExitCode> {
  const { policy, settings, outputs, newBaseline } = ofCall;
  const { scanned, interrupted, catalog, origin } = await scanUrls(targets, config, options, server);
  const { checks } = catalog;
  const judged = scanned.map((one) => {
    const page = policyPageOf(one, checks);
    const verdict = verdictOf(page, policy, checks);
    return { page, verdict, scan: exportedScanOf(one, page, verdict.marks) };
  });
  const [pages, verdicts, scans] = [judged.map(({ page }) => page), judged.map(({ verdict }) => verdict), judged.map(({ scan }) => scan)];
  const hasPolicy = policy.baseline !== null || settings.accept !== null;
  const printsReports = outputs.every(({ file }) => file !== null);
  const printed = !printsReports || printWhileOpen(() => renderReports(scans, config, options, catalog, hasPolicy));
  const call: JudgedCall = { pages, verdicts, policy, checks, acceptFile: settings.accept };
  for (const line of policyFaults(call)) printError(`assay: ${line}`);
  if (interrupted) return exitCodes.interrupted;
  for (const line of policyNotes(call)) note(`assay: ${line}`);
  const written = [
    printed,
    newBaseline === null || (await writeBaseline(newBaseline, call)),
    await writeOutputs(outputs, scans, exportSettingsOf(config["locale.default"], { catalog, origin }, settings)),
  ];
  return written.includes(false) ? exitCodes.internal : exitCodeOf(pipelineEnd(pages, verdicts, policy, targets.complete));
}
