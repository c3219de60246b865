/** Configuration of the defaults, whatever machine runs the test. */
import { loadConfig } from "../../src/settings/config.ts";
import type { Config } from "../../src/settings/settings.ts";

/** `changes` replaces values, as the settings have them after parsing. */
export function configWith(changes: Partial<Config> = {}): Config {
  return { ...loadConfig({ flags: { data: "/nonexistent" }, env: {}, configFile: null }), ...changes };
}
