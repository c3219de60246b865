/** State of this process for the pages of administrators: settings with their origin, disk, browser and doctor. */
import { commit, version } from "../base/build.ts";
import { type Log, messageOf } from "../base/log.ts";
import type { Browsers } from "../browser/browser.ts";
import type { CatalogHolder, ReloadResult } from "../catalog/catalog-holder.ts";
import { createDoctorRun } from "../doctor/background-run.ts";
import { examineServer } from "../doctor/system-checks.ts";
import type { FleetState } from "../fleet/worker-operations.ts";
import { mailboxText, smtpUrlText } from "../parse/mail/smtp-settings.ts";
import type { AuditDetails, SettingAtStart } from "../store/audit.ts";
import { schemaVersion } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";
import type { Operator, ShownSetting } from "../web/admin/operator.ts";
import type { ActivityCounter } from "./activity.ts";
import type { ScheduledBackups } from "./backups.ts";
import { environmentName, type LoadedConfig } from "./config.ts";
import { diskSpaceOf, storeBytesOf } from "./disk-use.ts";
import { doctorSettings } from "./doctor.ts";
import { type Config, settingKeys } from "./settings.ts";

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
    natsServers: written(config["nats.url"]),
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
  if (outcome === "refused") return { outcome, faults: result.faults.length };
  const { version, added, removed, changed } = result;
  return { outcome, version, added: added.join(" "), removed: removed.join(" "), changed: changed.join(" ") };
}

/** Settings that name a person. */
const personalSettings: readonly string[] = ["admin.email"];

/** For the audit log: what differs from the last start. */
export function settingsAtStart(loaded: LoadedConfig): readonly SettingAtStart[] {
  return shownSettings(loaded).map(({ key, value, origin }) => ({
    key,
    value,
    isDefault: origin === "default",
    isPersonal: personalSettings.includes(key),
  }));
}

/** Settings hold no secret: passwords and keys are named by their files. Only smtp.url may hold one, which is left out. */
function shownSettings({ config, origins }: LoadedConfig): readonly ShownSetting[] {
  return settingKeys.map((key) => ({
    key,
    value: written(config[key]),
    origin: origins[key].kind,
    originName: origins[key].name,
    variable: environmentName(key),
  }));
}

type Written = Config[keyof Config] | Config["scan.connect_to"][number] | Config["nats.url"][number] | Config["oidc.groups"][number];

function written(value: Written): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(written).join(", ");
  if (typeof value !== "object") return String(value);
  if ("scheme" in value) return smtpUrlText(value);
  if ("email" in value) return mailboxText(value);
  if ("group" in value) return `${value.group}=${value.plan}${value.admin ? ":admin" : ""}`;
  if ("tls" in value) return `${value.tls ? "tls" : "nats"}://${endpoint(value.host, value.port)}`;
  if ("host" in value) return `${endpoint(value.host, value.port)}=${endpoint(value.address, value.addressPort)}`;
  return "address" in value ? endpoint(value.address, value.port) : JSON.stringify(value);
}

function endpoint(host: string, port: number): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`;
}
