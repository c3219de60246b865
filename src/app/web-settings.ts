/** Settings of the pages, built from the configuration and from the parts of the server. */
import { readFileSync } from "node:fs";
import { openapiDocument } from "../api/openapi.ts";
import { version } from "../base/build.ts";
import type { LoadedChecks } from "../catalog/catalog-holder.ts";
import { createTargetPrecheck } from "../egress/address-policy.ts";
import { ownUserAgent } from "../egress/settings.ts";
import { createClientAddress } from "../http/client-address.ts";
import { createServerOrigin } from "../http/server-origin.ts";
import { ConfigError } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import type { Operator } from "../web/admin/operator.ts";
import { openPictures } from "../web/picture/pictures.ts";
import { startHeartbeats } from "../web/scans/events.ts";
import type { PagesSettings, ScanningSettings } from "../web/settings.ts";
import { workerFiles } from "./placement.ts";
import { egressSettings } from "./scanning.ts";

const legalCharsMax = 65_536;

interface Running extends Pick<PagesSettings, "store" | "sites" | "now" | "log" | "printPdf" | "decodeLogo" | "mail"> {
  readonly accounts: Pick<PagesSettings["accounts"], "actions" | "oidc">;
  readonly checks: () => LoadedChecks;
  readonly operator: Operator & { noteUntrustedForwarder(peer: string): void };
  readonly scanning: Pick<
    ScanningSettings,
    "ready" | "progress" | "locations" | "wake" | "cancelled" | "cancelScan" | "cancelProof" | "limits" | "scoreOfLines"
  >;
}

/**
 * The function gives the same object until the checks are replaced: pages keep what they rendered by it.
 * @throws ConfigError if a legal text cannot be read or is too long.
 */
export function webSettings(config: Config, { checks, ...running }: Running): () => PagesSettings {
  const fixed = fixedSettings(config, running);
  let settings: PagesSettings = { ...fixed, ...checks() };
  return () => {
    if (settings.catalog !== checks().catalog) settings = { ...fixed, ...checks() };
    return settings;
  };
}

function fixedSettings(
  config: Config,
  { scanning, accounts, ...running }: Omit<Running, "checks">,
): Omit<PagesSettings, keyof LoadedChecks> {
  const { operator } = running;
  return {
    ...running,
    version,
    config,
    addresses: {
      calling: createClientAddress(config.trusted_proxies),
      own: createServerOrigin({
        publicUrl: config.public_url,
        trustedProxies: config.trusted_proxies,
        onUntrustedForwarding: operator.noteUntrustedForwarder,
      }),
    },
    scanning: {
      ...scanning,
      startHeartbeats,
      // The own port is not known yet. The SSRF guard checks it again for each scan.
      mayBeScanned: createTargetPrecheck(egressSettings(config, [])),
    },
    accounts,
    legal: {
      imprint: textOf("legal.imprint_file", config["legal.imprint_file"]),
      privacy: textOf("legal.privacy_file", config["legal.privacy_file"]),
    },
    reference: {
      api: openapiDocument(config["scan.header_chars_max"]),
      userAgent: ownUserAgent,
    },
    pictures: openPictures({ workerFile: workerFiles.picture, log: running.log }),
  };
}

function textOf(key: string, file: string | null): string | null {
  if (file === null) return null;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${key} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text.length > legalCharsMax) throw new ConfigError(`${key} names ${file}, which is longer than ${legalCharsMax} characters`);
  return text;
}
