/** The catalog of the configuration. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Catalog } from "../catalog/catalog.ts";
import { type CatalogOptions, loadCatalog } from "../catalog/load.ts";
import { ConfigError } from "./config.ts";
import { workerFiles } from "./placement.ts";
import type { Config } from "./settings.ts";

/** The folder may be missing unless `checks.dir` names it: a missing check changes every score. @throws ConfigError */
function catalogOptions(config: Config): Omit<CatalogOptions, "unknownKeys"> {
  const named = config["checks.dir"];
  if (named !== null && !existsSync(named)) throw new ConfigError(`checks.dir: there is no folder ${named}`);
  return { checksDir: named ?? join(config.data, "checks"), pinsFile: config["checks.require_sha256"], workerFile: workerFiles.catalog };
}

/** For a start: unknown keys are warnings. @throws ConfigError, or CatalogError with every fault. */
export function loadConfiguredCatalog(config: Config): Promise<Catalog> {
  return loadCatalog({ ...catalogOptions(config), unknownKeys: "warn" });
}
