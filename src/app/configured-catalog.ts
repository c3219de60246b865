/** The catalog of the configuration. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type CatalogHolder, createCatalogHolder, type ReloadResult } from "../catalog/catalog-holder.ts";
import { describeFaults, faultOfFile } from "../catalog/fault.ts";
import { type CatalogOptions, loadCatalog, loadCatalogSafely } from "../catalog/load.ts";
import { ConfigError } from "./config.ts";
import { workerFiles } from "./placement.ts";
import type { Config } from "./settings.ts";

export function catalogOptions(config: Config): Omit<CatalogOptions, "unknownKeys"> {
  const named = config["checks.dir"];
  return { checksDir: named ?? join(config.data, "checks"), pinsFile: config["checks.require_sha256"], workerFile: workerFiles.catalog };
}

/** The folder may be missing unless `checks.dir` names it: a missing check changes every score. */
function isFolderMissing(config: Config): boolean {
  const named = config["checks.dir"];
  return named !== null && !existsSync(named);
}

/** For a start: unknown keys are warnings. @throws ConfigError, or CatalogError with every fault. */
export async function loadConfiguredCatalog(config: Config): Promise<Catalog> {
  if (isFolderMissing(config)) throw new ConfigError(`checks.dir: there is no folder ${config["checks.dir"]}`);
  return loadCatalog({ ...catalogOptions(config), unknownKeys: "warn" });
}

/** The catalog of a server, with the log lines of its reloads. `onReplaced` gets each new catalog. */
export function openConfiguredCatalog(
  first: Catalog,
  { config, log, onReplaced }: { readonly config: Config; readonly log: Log; readonly onReplaced: (catalog: Catalog) => void },
): CatalogHolder {
  return createCatalogHolder(first, {
    load: async () => {
      const options = catalogOptions(config);
      if (isFolderMissing(config)) return { catalog: null, faults: [faultOfFile(options.checksDir ?? "", "there is no such folder")] };
      return loadCatalogSafely({ ...options, unknownKeys: "refuse" });
    },
    onReload: (result, catalog) => {
      logReload(result, log);
      if (result.outcome === "replaced") onReplaced(catalog);
    },
    now: () => new Date(),
  });
}

function logReload(result: ReloadResult, log: Log): void {
  if (result.outcome === "refused") {
    for (const fault of describeFaults(result.faults)) log.error(fault);
    log.error("checks not reloaded: nothing changed", { faults: result.faults.length });
    return;
  }
  const { version, added, removed, changed } = result;
  const listed = { added: added.join(" "), removed: removed.join(" "), changed: changed.join(" ") };
  log.info("checks reloaded", { catalogVersion: version, ...listed });
}
