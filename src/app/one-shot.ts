/** Wiring of `assay scan`: browser, catalog and scanner without server, store and account. */
import type { Log } from "../base/log.ts";
import { loadCatalog } from "../catalog/load.ts";
import type { CheckDefinition } from "../check/registry.ts";
import type { Scanner } from "../scan/scanner.ts";
import { createTexts, type Texts } from "../text/i18n.ts";
import { configuredAdvisories } from "./advisories-file.ts";
import { configuredPreloadList } from "./preload-file.ts";
import { caPems, checksDirOf, egressSettings, openConfiguredBrowsers, openConfiguredScanner } from "./scanning.ts";
import type { Config } from "./settings.ts";

export interface OneShotScanner extends Scanner {
  readonly checks: readonly CheckDefinition[];
  readonly texts: Texts;
}

/** @throws ConfigError or CatalogError before anything is started. */
export async function openOneShotScanner(config: Config, concurrency: number, log: Log): Promise<OneShotScanner> {
  const trustedPems = caPems(config);
  const scriptAdvisories = configuredAdvisories(config, new Date());
  const preloadList = configuredPreloadList(config, new Date());
  const checksDir = checksDirOf(config);
  const catalog = await loadCatalog({ checksDir });
  const browsers = openConfiguredBrowsers(config, log);
  const egress = egressSettings(config, []);
  const options = { egress, caPems: trustedPems, scriptAdvisories, preloadList, concurrency, checksDir, browsers, log };
  const scanner = openConfiguredScanner(config, options);
  return {
    checks: catalog.checks,
    texts: createTexts(catalog.texts, catalog.checks),
    scanUrl: scanner.scanUrl,
    startBrowser: scanner.startBrowser,
    close: async () => {
      await scanner.close();
      await browsers.stop();
    },
  };
}
