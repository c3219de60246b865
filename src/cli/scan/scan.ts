/** `assay scan`: scans pages in this process or on a server, prints reports and writes files. */
import { Command } from "commander";
import { openOneShotScanner } from "../../app/scanning.ts";
import { createLog, type Log } from "../../base/log.ts";
import { pipelineEnd, verdictOf } from "../../policy/policy.ts";
import type { Config } from "../../settings/settings.ts";
import { type ExitCode, exitCodes, stopSignal } from "../exit.ts";
import { type Progress, startProgress } from "../progress.ts";
import { addSettings, configOf, scanSettings } from "../settings.ts";
import { note, printError, printWhileOpen } from "../terminal.ts";
import { addScanOptions, type ScanOptions } from "./options.ts";
import {
  exitCodeOf,
  exportedScanOf,
  localScanToken,
  policyPageOf,
  type ReportCatalog,
  type ScannedUrl,
  type ScanSource,
} from "./outcome.ts";
import { exportSettingsOf, writeBaseline, writeOutputs } from "./outputs.ts";
import { type JudgedCall, policyFaults, policyNotes, type ScanPolicy, scanPolicyOf } from "./policy.ts";
import { renderReports } from "./reports.ts";
import { openServerSource, type ServerTarget } from "./server.ts";
import { serverTargetOf } from "./server-target.ts";
import { type CredentialsFor, type ScanTargets, targetsFrom } from "./targets.ts";

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

interface ScanRun {
  /** In the order of the URLs; without scans that were interrupted, which have no report. */
  readonly scanned: readonly ScannedUrl[];
  readonly interrupted: boolean;
  /** Checks and texts that judged. */
  readonly catalog: ReportCatalog;
  /** Origin of the server that scanned; null for this process. */
  readonly origin: string | null;
}

/** On `server`, or in this process for null. @throws ConfigError, CatalogError, BrowserError or CliError before the first scan. */
async function scanUrls(
  { urls, credentialsFor }: ScanTargets,
  config: Config,
  options: ScanOptions,
  server: ServerTarget | null,
): Promise<ScanRun> {
  const stop = stopSignal();
  const progress = startProgress(urls.length, options.quiet !== true);
  try {
    const source =
      server === null
        ? await openLocalSource({ config, urls: urls.length, credentialsFor, log: commandLog(config, options, progress) })
        : await openServerSource(server, stop);
    try {
      const scanned = await source.scan({ urls, progress, stop });
      return { scanned, interrupted: stop.aborted, catalog: source.catalog, origin: source.origin };
    } finally {
      progress.stop();
      await source.close();
    }
  } finally {
    progress.stop();
  }
}

/** Log for a terminal: warnings and errors only, as text unless JSON is configured. */
export function commandLog(config: Config, { quiet }: Pick<ScanOptions, "quiet">, progress: Progress): Log {
  const level = config["log.level"] === "info" ? "warn" : config["log.level"];
  const format = config["log.format"] === "auto" ? "text" : config["log.format"];
  return createLog({ level: quiet === true ? "error" : level, format, write: progress.interject });
}

interface LocalSourceOptions {
  readonly config: Config;
  /** Number of URLs of the call. */
  readonly urls: number;
  readonly credentialsFor: CredentialsFor | null;
  readonly log: Log;
}

/** @throws ConfigError, CatalogError or BrowserError before the first scan. */
async function openLocalSource({ config, urls, credentialsFor, log }: LocalSourceOptions): Promise<ScanSource> {
  const concurrency = Math.min(urls, config["scan.concurrency"]);
  const scanner = await openOneShotScanner(config, concurrency, log, { credentialsFor });
  return {
    catalog: scanner,
    origin: null,
    scan: async ({ urls, progress, stop }) => {
      const scanned: ScannedUrl[] = [];
      const waiting = urls.map((url, at) => ({ url, at }));
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined && !stop.aborted; next = waiting.shift()) {
          const { url, at } = next;
          const outcome = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop);
          scanned[at] = { url, token: localScanToken, outcome, endedAt: new Date().toISOString() };
          progress.ended(url, stop.aborted && outcome.status === "failed" ? "interrupted" : outcome.status);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      // Sparse where the stop came before a scan began.
      return Object.values(scanned).filter(({ outcome }) => outcome.status === "finished" || outcome.code !== "interrupted");
    },
    close: () => scanner.close(),
  };
}
