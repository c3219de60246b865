/** Fleet of the server, built from the configuration. */
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { hourMs } from "../base/units.ts";
import type { Fleet } from "../fleet/head/open-fleet.ts";
import type { Store } from "../store/store.ts";
import { ConfigError } from "./config.ts";
import { scanDeadlines } from "./scanning.ts";
import type { Config } from "./settings.ts";
import { natsUrlText } from "./worker-settings.ts";

export function waitMaxMsOf(config: Config): number {
  return config["fleet.wait_max"] * hourMs;
}

/**
 * Null without `nats.url`. Then no code of NATS is loaded.
 * @throws ConfigError if the fleet cannot work as it is set up.
 */
export async function openConfiguredFleet(
  config: Config,
  { store, log }: { readonly store: Store; readonly log: Log },
): Promise<Fleet | null> {
  const servers = config["nats.url"].map(natsUrlText);
  if (servers.length === 0) return null;
  const { openFleet } = await import("../fleet/head/open-fleet.ts");
  const { FleetError } = await import("../fleet/connection.ts");
  const { headIdentity, headSeedFile, SeedFileError } = await import("../fleet/identity.ts");
  try {
    if (config["nats.credentials_file"] === null) headIdentity(config.data);
    return await openFleet({
      servers,
      credentialsFile: config["nats.credentials_file"] ?? headSeedFile(config.data),
      caFile: config["nats.ca_file"],
      store,
      jobSettings: { deadlines: scanDeadlines(config), screenshot: true, headerCharsMax: config["scan.header_chars_max"] },
      readers: config.readers,
      waitMaxMs: waitMaxMsOf(config),
      clock: systemClock,
      log,
    });
  } catch (error) {
    if (error instanceof FleetError || error instanceof SeedFileError) throw new ConfigError(`the fleet cannot start: ${error.message}`);
    throw error;
  }
}
