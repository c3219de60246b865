/** What a worker needs to know before it starts, and the addresses that its scans may not reach. */
import { localAddresses } from "../egress/address-policy.ts";
import { lookupAddresses } from "../egress/dns-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { WorkerReach } from "../fleet/messages.ts";
import type { NatsUrl } from "../parse/address.ts";
import { ConfigError } from "./config.ts";
import { urlHost } from "./listen-at.ts";
import type { Config } from "./settings.ts";

export interface WorkerSettings {
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

export function natsUrlText({ host, port, tls }: NatsUrl): string {
  return `${tls ? "tls" : "nats"}://${urlHost(host)}:${port}`;
}

/** Public addresses need no setting: any allowed range is a private one. */
export function reachOf({ profile, "scan.allow_cidrs": ranges }: Config): WorkerReach {
  return profile === "internal" || ranges.length > 0 ? "private" : "public";
}

type OwnEndpoints = EgressSettings["ownEndpoints"];

const lookupMsMax = 5_000;

/** Addresses of nats-server. A name that cannot be resolved has none, and cannot be connected to either. */
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
