/** Fleet of the server, and settings of a worker, built from the configuration. */
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { hourMs } from "../base/units.ts";
import { localAddresses } from "../egress/address-policy.ts";
import { lookupAddresses } from "../egress/dns-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { Fleet } from "../fleet/head/open-fleet.ts";
import type { WorkerReach } from "../fleet/messages.ts";
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

interface WorkerSettings {
  readonly servers: readonly NatsUrl[];
  readonly location: string;
  readonly credentialsFile: string;
}

/** @throws ConfigError for the first setting without which a worker cannot start. */
export function workerSettings(config: Config): WorkerSettings {
  const { "nats.url": servers, "fleet.location": location, "nats.credentials_file": credentialsFile } = config;
  if (servers.length === 0)
    throw new ConfigError("nats.url is not set: a worker needs the address of nats-server, as in --nats tls://nats.example.com");
  if (location === null)
    throw new ConfigError("fleet.location is not set: a worker needs the location that it was enrolled for, as in --location berlin");
  if (credentialsFile === null)
    throw new ConfigError(
      "nats.credentials_file is not set: a worker needs the file with its seed, as in --nats-credentials berlin.nk; assay fleet enrol on the server makes it",
    );
  return { servers, location, credentialsFile };
}

/** Addresses that the worker may scan. Public ones need no setting, so an allowed range is always a private one. */
export function reachOf({ profile, "scan.allow_cidrs": ranges }: Config): WorkerReach {
  return profile === "internal" || ranges.length > 0 ? "private" : "public";
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
