/** Reads every data file of the configuration at a start. */
import { usePublicSuffixes } from "../parse/site.ts";
import type { LocalGathererOptions } from "../scan/gatherer.ts";
import { configuredAdvisories } from "./advisories-file.ts";
import { configuredPreloadList } from "./preload-file.ts";
import { configuredPublicSuffixes } from "./public-suffixes-file.ts";
import type { Config } from "./settings.ts";

/** Data of the gatherer. The public suffix list is used by this thread and by those that it starts. @throws ConfigError */
export function loadDataFiles(config: Config): Required<Pick<LocalGathererOptions, "scriptAdvisories" | "preloadList">> {
  const now = new Date();
  usePublicSuffixes(configuredPublicSuffixes(config, now));
  return { scriptAdvisories: configuredAdvisories(config, now), preloadList: configuredPreloadList(config, now) };
}
