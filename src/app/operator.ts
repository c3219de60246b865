/** State of this process for the pages of administrators, and settings of the doctor, built from the configuration. */

import { existsSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import { commit, version } from "../base/build.ts";
import { systemClock } from "../base/clock.ts";
import { diskSpaceOf } from "../base/disk.ts";
import { createLog, type Log, messageOf } from "../base/log.ts";
import type { Browsers } from "../browser/browser.ts";
import type { CatalogHolder, ReloadResult } from "../catalog/catalog-holder.ts";
import { createDoctorRun } from "../doctor/background-run.ts";
import { type DoctorSettings, examineServer } from "../doctor/system-checks.ts";
import type { NatsExamination } from "../fleet/nats-maintenance.ts";
import type { FleetState } from "../fleet/worker-operations.ts";
import { natsUrlText } from "../parse/address.ts";
import { environmentName, type LoadedConfig } from "../settings/config.ts";
import { type Config, type SettingKey, settingKeys, settings } from "../settings/settings.ts";
import type { AuditDetails, SettingAtStart } from "../store/audit.ts";
import { schemaVersion } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";
import { storeBytesOf } from "../store/store-file.ts";
import type { Operator, ShownSetting } from "../web/admin/operator.ts";
import { oidcExamination } from "./accounts.ts";
import type { ScheduledBackups } from "./backups.ts";
import type { ActivityCounter } from "./observation.ts";
import { changesOf, egressSettings, loadConfiguredCatalog, openConfiguredBrowsers, openConfiguredScanner } from "./scanning.ts";

interface Appliance {
  readonly store: Pick<Store, "accounts" | "audit">;
  readonly checks: CatalogHolder;
  readonly browsers: Browsers;
  /** Null without `nats.url`, and until the fleet is open. */
  readonly fleet: () => FleetState | null;
  readonly backups: Pick<ScheduledBackups, "state" | "nextAt">;
  readonly activity: Pick<ActivityCounter, "lastDay">;
  readonly log: Log;
}

/** `noteUntrustedForwarder` takes the first peer that sent forwarding headers without being a trusted proxy. */
export function createOperator(
  loaded: LoadedConfig,
  { store, checks, browsers, fleet, backups, activity, log }: Appliance,
): Operator & { noteUntrustedForwarder(peer: string): void } {
  const { config } = loaded;
  let forwarder: string | null = null;
  return {
    settings: shownSettings(loaded),
    untrustedForwarder: () => forwarder,
    noteUntrustedForwarder: (peer) => {
      forwarder = peer;
      log.warn("forwarding headers are ignored: their sender is not among trusted_proxies", { peer });
    },
    unsandboxedBecause: () => browsers.state()?.unsandboxedBecause ?? null,
    diskSpace: () => diskSpaceOf(config.data),
    storeBytes: () => storeBytesOf(config.data),
    lastDay: activity.lastDay,
    startedAt: new Date(performance.timeOrigin),
    versions: () => ({
      assay: commit === null ? version : `${version} (${commit})`,
      bun: Bun.version,
      // As in HeadlessChrome/140.0.7339.16.
      chromium: browsers.state()?.version.replace(/^.*\//, "") ?? null,
      schema: schemaVersion,
    }),
    natsServers: settingText("nats.url", config["nats.url"]),
    fleet,
    backups: () => ({ ...backups.state(), nextAt: backups.nextAt() }),
    checks: {
      lastReload: checks.lastReload,
      reload: async (by) => {
        const result = await checks.reload();
        try {
          await store.audit.note({ actor: by, action: "checks.reloaded", subject: null, details: detailsOf(result), now: new Date() });
        } catch (error) {
          log.warn("reload not noted in the audit log", { because: messageOf(error) });
        }
      },
    },
    examination: createDoctorRun(
      () =>
        examineServer(doctorSettings(config), {
          accounts: () => store.accounts.list().length,
          checks,
          fleetFault: () => fleet()?.fault() ?? null,
        }),
      {
        now: () => new Date(),
        onFailure: (error) => log.error("the doctor failed", { because: messageOf(error) }),
      },
    ),
  };
}

function detailsOf(result: ReloadResult): AuditDetails {
  const { outcome } = result;
  return outcome === "refused" ? { outcome, faults: result.faults.length } : { outcome, version: result.version, ...changesOf(result) };
}

/** For the audit log: what differs from the last start. */
export function settingsAtStart(loaded: LoadedConfig): readonly SettingAtStart[] {
  return settingKeys.map((key) => ({
    key,
    value: settingText(key, loaded.config[key]),
    isDefault: loaded.origins[key].kind === "default",
    isPersonal: "isPersonal" in settings[key],
  }));
}

/** Settings hold no secret: files hold passwords and keys. Only smtp.url may contain one, and its text leaves it out. */
function shownSettings({ config, origins }: LoadedConfig): readonly ShownSetting[] {
  return settingKeys.map((key) => ({
    key,
    value: settingText(key, config[key]),
    origin: origins[key].kind,
    originName: origins[key].name,
    variable: environmentName(key),
  }));
}

/** As the operator would write it; null for no value and for an empty list. */
function settingText(key: SettingKey, value: unknown): string | null {
  const text: unknown = Value.Encode(settings[key].schema, value);
  const parts = [text].flat().filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}

export function doctorSettings(config: Config): DoctorSettings {
  // Findings name each failure already, so the log shows errors only.
  const log = createLog({ level: "error", format: "text" });
  return {
    config,
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

/** Loads the packages of NATS, which other installations do not need. */
async function examineConfiguredNats(config: Config, log: Log): Promise<NatsExamination> {
  const [{ examineNats }, { headSeedFile }] = await Promise.all([import("../fleet/nats-maintenance.ts"), import("../fleet/identity.ts")]);
  const seedFile = headSeedFile(config.data);
  // The server makes its seed at its first start; the doctor changes nothing.
  const credentialsFile = config["nats.credentials_file"] ?? (existsSync(seedFile) ? seedFile : null);
  const servers = config["nats.url"].map(natsUrlText);
  return examineNats({ servers, credentialsFile, caFile: config["nats.ca_file"], clock: systemClock, log });
}
