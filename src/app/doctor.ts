/** Settings of the doctor, built from the configuration. */
import { existsSync } from "node:fs";
import { systemClock } from "../base/clock.ts";
import { createLog, type Log } from "../base/log.ts";
import type { DoctorSettings } from "../doctor/system-checks.ts";
import type { NatsExamination } from "../fleet/nats-maintenance.ts";
import { loadConfiguredCatalog } from "./configured-catalog.ts";
import { oidcExamination } from "./oidc.ts";
import { egressSettings, openConfiguredBrowsers, openConfiguredScanner } from "./scanning.ts";
import type { Config } from "./settings.ts";
import { natsUrlText } from "./worker-settings.ts";

export function doctorSettings(config: Config): DoctorSettings {
  // Findings name each failure already, so the log shows errors only.
  const log = createLog({ level: "error", format: "text" });
  return {
    dataDir: config.data,
    listen: config.listen,
    dnsServers: config["dns.servers"],
    examineNats: config["nats.url"].length === 0 ? null : () => examineConfiguredNats(config, log),
    examineOidc: oidcExamination(config),
    loadCatalog: () => loadConfiguredCatalog(config),
    openBrowsers: () => openConfiguredBrowsers(config, log),
    openScanner: (browsers, port, catalog) =>
      openConfiguredScanner(config, {
        egress: { ...egressSettings(config, []), allowCidrs: ["127.0.0.1"], allowPorts: [port] },
        caPems: [],
        concurrency: 1,
        catalog,
        browsers,
        log,
      }),
  };
}

/** Without NATS, its packages are not loaded. */
async function examineConfiguredNats(config: Config, log: Log): Promise<NatsExamination> {
  const [{ examineNats }, { headSeedFile }] = await Promise.all([import("../fleet/nats-maintenance.ts"), import("../fleet/identity.ts")]);
  const seedFile = headSeedFile(config.data);
  // The server makes its seed at its first start; the doctor changes nothing.
  const credentialsFile = config["nats.credentials_file"] ?? (existsSync(seedFile) ? seedFile : null);
  const servers = config["nats.url"].map(natsUrlText);
  return examineNats({ servers, credentialsFile, caFile: config["nats.ca_file"], clock: systemClock, log });
}
