/** Settings of the doctor, built from the configuration. */
import { createLog } from "../base/log.ts";
import type { DoctorSettings } from "../doctor/system-checks.ts";
import { loadConfiguredCatalog } from "./configured-catalog.ts";
import { egressSettings, openConfiguredBrowsers, openConfiguredScanner } from "./scanning.ts";
import type { Config } from "./settings.ts";

export function doctorSettings(config: Config): DoctorSettings {
  // Findings name each failure already, so the log shows errors only.
  const log = createLog({ level: "error", format: "text" });
  return {
    dataDir: config.data,
    listen: config.listen,
    dnsServers: config["dns.servers"],
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
