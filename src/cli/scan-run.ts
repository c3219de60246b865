/** Runs the scans of one call, and shows their progress. */

import type { Config } from "../app/settings.ts";
import { createLog, type Log } from "../base/log.ts";
import { type Progress, startProgress } from "./progress.ts";
import { openLocalSource } from "./scan-local.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ReportCatalog, ScannedUrl } from "./scan-outcome.ts";
import { openServerSource, type ServerTarget } from "./scan-server.ts";
import type { ScanTargets } from "./scan-targets.ts";
import { stopSignal } from "./shutdown.ts";

export interface ScanRun {
  /** In the order of the URLs; without scans that were interrupted, which have no report. */
  readonly scanned: readonly ScannedUrl[];
  readonly interrupted: boolean;
  /** Checks and texts that judged. */
  readonly catalog: ReportCatalog;
  /** Origin of the server that scanned; null for this process. */
  readonly origin: string | null;
}

/** On `server`, or in this process for null. @throws ConfigError, CatalogError, BrowserError or CliError before the first scan. */
export async function scanUrls(
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
