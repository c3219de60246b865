/** What an installation without the internet rests on: resolvers, roots, data files with their age, and services. Contacts nothing. */

import { accessSync, constants, existsSync } from "node:fs";
import { version } from "../../package.json" with { type: "json" };
import { commonPasswordCount } from "../accounts/passwords.ts";
import { messageOf } from "../base/log.ts";
import { dayMs } from "../base/units.ts";
import { embeddedBrowser } from "../browser/executable.ts";
import { resolversOf } from "../egress/dns-client.ts";
import { headSeedFile } from "../fleet/identity.ts";
import { endpointText, natsUrlText } from "../parse/address.ts";
import { scriptBypassesRelease } from "../parse/csp.ts";
import { smtpUrlText } from "../parse/mail/smtp-settings.ts";
import { embeddedPublicSuffixes } from "../parse/site.ts";
import { embeddedPreloadDate } from "../probe/browser/page-preload.ts";
import embeddedAdvisories from "../probe/browser/script-advisories.json" with { type: "json" };
import { bundledRootStore, type RootStore, rootStoreIn, systemRootStore } from "../probe/tls/trust.ts";
import { certificatePem, configuredAdvisories, configuredPreloadList, configuredPublicSuffixes } from "../settings/files.ts";
import type { Setting } from "../settings/setting.ts";
import { type Config, type SettingKey, settingKeys, settings } from "../settings/settings.ts";

interface OfflineFinding {
  readonly what: "resolver" | "roots" | "data" | "service" | "files" | "else";
  /** `failed`: it was configured, and cannot be read. */
  readonly state: "ok" | "failed";
  /** The resolver, root store, data file or service. */
  readonly name: string;
  /** `embedded`, the setting that names it with its value, or the place of the system. */
  readonly source: string;
  /** Day of the data, `YYYY-MM-DD`; null for what has none. */
  readonly date: string | null;
  readonly ageDays: number | null;
  readonly detail: string;
}

interface Given extends Pick<OfflineFinding, "what" | "name" | "source"> {
  readonly date?: string | null;
  readonly detail?: string;
  /** Reads date and detail. What it throws becomes the finding. */
  readonly read?: () => Pick<Given, "date" | "detail">;
}

/** Data that is older proves less: some rows become `notChecked`. */
const ageDaysMax = 366;
/** Files that have findings of their own, and folders that assay makes. */
const keysApart: readonly SettingKey[] = [
  ...(["hsts.preload_file", "public_suffixes.file", "scripts.advisories_file", "scan.ca_files"] as const),
  ...(["data", "browser.dir", "backup.dir"] as const),
];

export function offlineReport(config: Config, env: Readonly<Record<string, string | undefined>>, now: Date): readonly OfflineFinding[] {
  const all: readonly Given[] = [
    ...resolvers(config),
    ...roots(config, env),
    ...dataFiles(config, now),
    ...otherData(config),
    ...services(config),
    ...files(config),
    {
      what: "else",
      name: "nothing else",
      source: `assay ${version}`,
      detail:
        "contacted are the targets of scans, receivers of webhooks and chat messages, and the resolvers and services above; there are no updates, no telemetry and no look-ups elsewhere",
    },
  ];
  return all.map((given) => findingOf(given, now));
}

function findingOf({ what, name, source, read, ...known }: Given, now: Date): OfflineFinding {
  try {
    const { date = null, detail = "" } = { ...known, ...read?.() };
    const ageDays = date === null ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(date)) / dayMs));
    const notes = [detail, what === "data" && ageDays !== null && ageDays > ageDaysMax ? "older than a year" : ""];
    return { what, state: "ok", name, source, date, ageDays, detail: notes.filter((note) => note !== "").join("; ") };
  } catch (error) {
    return { what, state: "failed", name, source, date: null, ageDays: null, detail: messageOf(error) };
  }
}

function resolvers(config: Config): readonly Given[] {
  const own = config["dns.servers"];
  const source = own.length > 0 ? "dns.servers" : "the system (/etc/resolv.conf)";
  return resolversOf(own).map(({ address, port }) => ({ what: "resolver", name: `${endpointText(address, port)}`, source }));
}

function storeText({ certificates, newest }: RootStore): Pick<Given, "date" | "detail"> {
  return { date: newest, detail: `certificates: ${certificates}; dated by the newest one` };
}

function roots(config: Config, env: Readonly<Record<string, string | undefined>>): readonly Given[] {
  const named = env.SSL_CERT_FILE ?? "";
  const system = systemRootStore(env.SSL_CERT_FILE);
  const ofSystem: Given = {
    what: "roots",
    name: "roots of this machine",
    source: named === "" ? (system?.file ?? "no file") : `SSL_CERT_FILE=${named}`,
    read: () => {
      if (system === null && named !== "") throw new Error(`SSL_CERT_FILE: ${named} cannot be read`);
      return system === null ? { detail: "this machine has no file of roots" } : storeText(system);
    },
  };
  return [
    { what: "roots", name: `Mozilla's roots, as in Bun ${Bun.version}`, source: "embedded", read: () => storeText(bundledRootStore()) },
    ...(config["scan.system_roots"] ? [ofSystem] : []),
    ...config["scan.ca_files"].map(
      (file): Given => ({
        what: "roots",
        name: file,
        source: "scan.ca_files",
        read: () => storeText(rootStoreIn(certificatePem("scan.ca_files", file))),
      }),
    ),
  ];
}

/** Lists that a setting replaces. */
function dataFiles(config: Config, now: Date): readonly Given[] {
  const list = (name: string, setting: SettingKey, embeddedDate: string, load: () => { readonly date: string } | null): Given => {
    const file = config[setting];
    const source = file === null ? "embedded" : `${setting} = ${file}`;
    const replacedBy = file === null ? `${setting} replaces it` : "";
    return { what: "data", name, source, read: () => ({ date: load()?.date ?? embeddedDate, detail: replacedBy }) };
  };
  return [
    list("HSTS preload list", "hsts.preload_file", embeddedPreloadDate, () => configuredPreloadList(config, now)),
    list("public suffix list", "public_suffixes.file", embeddedPublicSuffixes.date, () => configuredPublicSuffixes(config, now)),
    list("script advisories", "scripts.advisories_file", embeddedAdvisories.date, () => configuredAdvisories(config, now)),
  ];
}

/** Lists without a date of their own, which come with a release. */
function otherData(config: Config): readonly Given[] {
  const path = config["browser.path"];
  const browser = path === null ? `Chromium ${embeddedBrowser?.version ?? "none for this platform"}` : "Chromium";
  return [
    { what: "data", name: "common passwords", source: "embedded", detail: `entries: ${commonPasswordCount}; compared on this machine` },
    { what: "data", name: `bypasses of policies, of csp_evaluator ${scriptBypassesRelease}`, source: "embedded" },
    { what: "data", name: browser, source: path === null ? "embedded" : `browser.path = ${path}` },
  ];
}

/** Everything that assay contacts besides targets and resolvers. A new service has its line here. */
function services(config: Config): readonly Given[] {
  const { "oidc.issuer": issuer, "smtp.url": mail } = config;
  const configured: readonly Given[] = [
    ...config["nats.url"].map((server): Given => ({ what: "service", name: natsUrlText(server), source: "nats.url" })),
    ...(issuer === null ? [] : [{ what: "service", name: issuer, source: "oidc.issuer" } as const]),
    ...(mail === null ? [] : [{ what: "service", name: smtpUrlText(mail), source: "smtp.url" } as const]),
  ];
  return configured.length > 0 ? configured : [{ what: "service", name: "none", source: "the configuration" }];
}

/** Files that settings name, and those that a service needs without one. */
function files(config: Config): readonly Given[] {
  const seed = headSeedFile(config.data);
  const ofSettings = settingKeys
    .filter((key) => (settings[key] as Setting).isPath === true && !keysApart.includes(key))
    .flatMap((key) => [config[key] as string | null].flatMap((file) => (file === null ? [] : [{ key: key as string, file }])));
  const ofServices = config["nats.url"].length > 0 && existsSync(seed) ? [{ key: "nats.url", file: seed }] : [];
  return [...ofSettings, ...ofServices].map(({ key, file }) => ({
    what: "files",
    name: file,
    source: key,
    read: () => {
      try {
        accessSync(file, constants.R_OK);
      } catch (error) {
        throw new Error(`${key}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
      }
      return { detail: "can be read" };
    },
  }));
}
