/** Wiring of `assay scan`: browser, catalog and scanner without server, store and account. */
import type { Log } from "../base/log.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CheckDefinition } from "../check/registry.ts";
import type { Scanner, ScannerOptions } from "../scan/scanner.ts";
import { createTexts, type Texts } from "../text/i18n.ts";
import { loadConfiguredCatalog } from "./configured-catalog.ts";
import { loadDataFiles } from "./load-data-files.ts";
import { caPems, egressSettings, openConfiguredBrowsers, openConfiguredScanner } from "./scanning.ts";
import type { Config } from "./settings.ts";

export interface OneShotScanner extends Omit<Scanner, "scanStored"> {
  readonly checks: readonly CheckDefinition[];
  readonly texts: Texts;
}

export interface OneShotOptions {
  /** By default the catalog of the configuration. */
  readonly catalog?: Catalog | null;
  /** Null or absent for pages without sign-in. */
  readonly credentialsFor?: ScannerOptions["credentialsFor"] | null;
}

/** @throws ConfigError or CatalogError before anything is started. */
export async function openOneShotScanner(
  config: Config,
  concurrency: number,
  log: Log,
  { catalog: given = null, credentialsFor = null }: OneShotOptions = {},
): Promise<OneShotScanner> {
  const trustedPems = caPems(config);
  const data = loadDataFiles(config);
  const catalog = given ?? (await loadConfiguredCatalog(config));
  const browsers = openConfiguredBrowsers(config, log);
  const egress = egressSettings(config, []);
  const ofScans = credentialsFor === null ? {} : { credentialsFor };
  const options = { egress, caPems: trustedPems, ...data, concurrency, catalog, browsers, log, ...ofScans };
  const scanner = openConfiguredScanner(config, options);
  return {
    checks: catalog.checks,
    texts: createTexts(catalog.texts, catalog.checks),
    scanUrl: scanner.scanUrl,
    startBrowser: scanner.startBrowser,
    useCatalog: scanner.useCatalog,
    close: async () => {
      await scanner.close();
      await browsers.stop();
    },
  };
}
