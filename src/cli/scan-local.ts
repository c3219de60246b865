/** Scans in this process, with browser, checks and settings of this machine. */
import { openOneShotScanner } from "../app/one-shot.ts";
import type { Config } from "../app/settings.ts";
import type { Log } from "../base/log.ts";
import type { CredentialsFor } from "./scan-credentials.ts";
import { localScanToken, type ScannedUrl } from "./scan-outcome.ts";
import type { ScanSource } from "./scan-source.ts";

export interface LocalSourceOptions {
  readonly config: Config;
  /** Number of URLs of the call. */
  readonly urls: number;
  readonly credentialsFor: CredentialsFor | null;
  readonly log: Log;
}

/** @throws ConfigError, CatalogError or BrowserError before the first scan. */
export async function openLocalSource({ config, urls, credentialsFor, log }: LocalSourceOptions): Promise<ScanSource> {
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
