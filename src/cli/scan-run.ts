/** Runs the scans of one call, and shows their progress. */
import { type OneShotScanner, openOneShotScanner } from "../app/one-shot.ts";
import type { Config } from "../app/settings.ts";
import { createLog, type Log } from "../base/log.ts";
import { type Progress, startProgress } from "./progress.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ReportCatalog, ScannedUrl } from "./scan-outcome.ts";
import type { ScanTargets } from "./scan-targets.ts";
import { stopSignal } from "./shutdown.ts";

export interface ScanRun {
  /** In the order of the URLs; without scans that were interrupted, which have no report. */
  readonly scanned: readonly ScannedUrl[];
  readonly interrupted: boolean;
  /** Checks and texts that judged. */
  readonly catalog: ReportCatalog;
}

/** @throws ConfigError, CatalogError or BrowserError before the first scan. */
export async function scanUrls({ urls, credentialsFor }: ScanTargets, config: Config, options: ScanOptions): Promise<ScanRun> {
  const stop = stopSignal();
  const progress = startProgress(urls.length, options.quiet !== true);
  const concurrency = Math.min(urls.length, config["scan.concurrency"]);
  const log = commandLog(config, options, progress);
  const scanner = await openOneShotScanner(config, concurrency, log, { credentialsFor }).catch((error) => {
    progress.stop();
    throw error;
  });
  try {
    const scanned = await scannedBy(scanner, { urls, concurrency, stop, progress });
    const complete = Object.values(scanned).filter(({ outcome }) => outcome.status === "finished" || outcome.code !== "interrupted");
    return { scanned: complete, interrupted: stop.aborted, catalog: scanner };
  } finally {
    progress.stop();
    await scanner.close();
  }
}

interface Run {
  readonly urls: readonly string[];
  readonly concurrency: number;
  readonly stop: AbortSignal;
  readonly progress: Progress;
}

/** Sparse where the stop came before a scan began. */
async function scannedBy(scanner: OneShotScanner, { urls, concurrency, stop, progress }: Run): Promise<readonly ScannedUrl[]> {
  const scanned: ScannedUrl[] = [];
  const waiting = urls.map((url, at) => ({ url, at }));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !stop.aborted; next = waiting.shift()) {
      const { url, at } = next;
      const outcome = await scanner.scanUrl(url, (stage) => progress.stage(url, stage), stop);
      scanned[at] = { url, outcome, endedAt: new Date().toISOString() };
      progress.ended(url, stop.aborted && outcome.status === "failed" ? "interrupted" : outcome.status);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return scanned;
}

/** Log for a terminal: warnings and errors only, as text unless JSON is configured. */
export function commandLog(config: Config, { quiet }: Pick<ScanOptions, "quiet">, progress: Progress): Log {
  const level = config["log.level"] === "info" ? "warn" : config["log.level"];
  const format = config["log.format"] === "auto" ? "text" : config["log.format"];
  return createLog({ level: quiet === true ? "error" : level, format, write: progress.interject });
}
