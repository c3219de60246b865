/** Fleet of the server, and addresses of nats-server, built from the configuration. */
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { hourMs } from "../base/units.ts";
import { localAddresses } from "../egress/address-policy.ts";
import { lookupAddresses } from "../egress/dns-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { Fleet } from "../fleet/head/open-fleet.ts";
import { type NatsUrl, natsUrlText } from "../parse/address.ts";
import { ConfigError } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import type { Store } from "../store/store.ts";
import { scanDeadlines } from "./scanning.ts";

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

type OwnEndpoints = EgressSettings["ownEndpoints"];

const lookupMsMax = 5_000;

/** Addresses of nats-server, which no scan may reach. A name that cannot be resolved has no address, and no scan can reach it either. */
export async function natsEndpoints(servers: readonly NatsUrl[]): Promise<OwnEndpoints> {
  const local = new Set(localAddresses());
  const found = await Promise.all(
    servers.map(async ({ host, port }) => {
      const addresses = await lookupAddresses(host, [], AbortSignal.timeout(lookupMsMax)).catch(() => []);
      // A server on this machine may listen on each of its addresses.
      return addresses.map((address) => ({ address: local.has(address) ? null : address, port }));
    }),
  );
  return found.flat();
}
