/** `assay scan`: scans pages in this process or on a server, prints reports and writes files. */
import { openOneShotScanner } from "../../app/scanning.ts";
import { version } from "../../base/build.ts";
import { createLog, type Log } from "../../base/log.ts";
import { pipelineEnd, verdictOf } from "../../policy/policy.ts";
import { policyKeys } from "../../settings/policy.ts";
import type { Config } from "../../settings/settings.ts";
import { command } from "../command.ts";
import { type ExitCode, exitCodes, stopSignal } from "../exit.ts";
import { type Progress, startProgress } from "../progress.ts";
import { configOf, scanSettings, settingOptions, typedSettings } from "../settings.ts";
import { note, printError, printWhileOpen } from "../terminal.ts";
import { policyOptions, type ScanOptions, scanOptions } from "./options.ts";
import { exportedScanOf, localScanToken, policyPageOf, type ScannedUrl, type ScanSource } from "./outcome.ts";
import { writeBaseline, writeOutputs } from "./outputs.ts";
import { type JudgedCall, policyFaults, policyNotes, scanPolicyOf } from "./policy.ts";
import { renderReports } from "./report-text.ts";
import { openServerSource, serverTargetOf } from "./server.ts";
import type { ServerTarget } from "./server-client.ts";
import { type CredentialsFor, type ScanTargets, targetsFrom } from "./targets.ts";

export const scanCommand = command({
  name: "scan",
  summary: "Scan pages once, without server or account unless --server names one. Progress goes to stderr, reports to stdout.",
  arguments: { "[url...]": "pages to scan; https:// is added where no scheme is given; - reads them from stdin, one a line" },
  options: { ...scanOptions, ...policyOptions, ...settingOptions(["locale.default", ...scanSettings]) },
  help: `
The table [policy] of assay.toml in the current folder may set ${policyKeys.join(", ")}.
Flags override it. That file may hold nothing else; the file of --config may hold both.

Exit codes, the first that applies: 2 usage, 4 internal or browser failure, 3 no target scannable,
5 some targets not scannable, 1 policy not met, 0 ok; 130 interrupted. docs/ci.md has pipelines.`,
  run: async ({ url: given, ...options }, parsed): Promise<ExitCode> => {
    const config = configOf(parsed);
    const { policy, settings, outputs, newBaseline, assertUrls } = scanPolicyOf(options, config);
    const server = serverTargetOf(options, typedSettings(parsed), config);
    const targets = await targetsFrom(given, options, config);
    assertUrls(targets.urls);
    const { scanned, interrupted, checks, texts, origin } = await scanUrls(targets, config, options, server);
    const judged = scanned.map((one) => {
      const page = policyPageOf(one, checks);
      const verdict = verdictOf(page, policy, checks);
      return { page, verdict, scan: exportedScanOf(one, page, verdict.marks) };
    });
    const [pages, verdicts, scans] = [judged.map(({ page }) => page), judged.map(({ verdict }) => verdict), judged.map(({ scan }) => scan)];
    const hasPolicy = policy.baseline !== null || settings.accept !== null;
    const printsReports = outputs.every(({ file }) => file !== null);
    const printed = !printsReports || printWhileOpen(() => renderReports(scans, config, options, texts, hasPolicy));
    const call: JudgedCall = { pages, verdicts, policy, checks, acceptFile: settings.accept, verbose: options.verbose === true };
    for (const line of policyFaults(call)) printError(`assay: ${line}`);
    if (interrupted) return exitCodes.interrupted;
    for (const line of policyNotes(call)) note(`assay: ${line}`);
    const { csv: csvRows, strict, sarif_anchor: sarifAnchor } = settings;
    const exporting = { locale: config["locale.default"], texts, checks, version, origin, csvRows, strict, sarifAnchor };
    const written = [
      printed,
      newBaseline === null || (await writeBaseline(newBaseline, call)),
      await writeOutputs(outputs, scans, exporting),
    ];
    return written.includes(false) ? exitCodes.internal : exitCodes[pipelineEnd(pages, verdicts, policy, targets.complete)];
  },
});

/** Scans on `server`, or in this process for null. @throws ConfigError, CatalogError, BrowserError or CliError before the first scan. */
async function scanUrls(
  { urls, credentialsFor }: ScanTargets,
  config: Config,
  { quiet, verbose }: Pick<ScanOptions, "quiet" | "verbose">,
  server: ServerTarget | null,
) {
  const stop = stopSignal();
  const progress = startProgress(urls.length, quiet !== true, verbose === true);
  try {
    const source =
      server === null
        ? await openLocalSource(config, urls.length, credentialsFor, commandLog(config, quiet, progress))
        : await openServerSource(server, stop);
    try {
      const scanned = await source.scan({ urls, progress, stop });
      const { catalog, origin } = source;
      return { scanned, interrupted: stop.aborted, checks: catalog.checks, texts: catalog.texts, origin };
    } finally {
      progress.stop();
      await source.close();
    }
  } finally {
    progress.stop();
  }
}

/** Log for a terminal: warnings and errors only, as text unless JSON is configured. */
export function commandLog(config: Config, quiet: true | undefined, progress: Progress): Log {
  const level = config["log.level"] === "info" ? "warn" : config["log.level"];
  const format = config["log.format"] === "auto" ? "text" : config["log.format"];
  return createLog({ level: quiet === true ? "error" : level, format, write: progress.interject });
}

/** `urls` is their number. @throws ConfigError, CatalogError or BrowserError before the first scan. */
async function openLocalSource(config: Config, urls: number, credentialsFor: CredentialsFor | null, log: Log): Promise<ScanSource> {
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
