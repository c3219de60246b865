/** Watched sites in the server: the clock that scans them, and mailer, sender of webhooks and deliverer for their events. */

import { planSitesMax } from "../accounts/account-operations.ts";
import { usableBrand } from "../agency/brand-operations.ts";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Deliverer, startDeliverer } from "../channels/deliverer.ts";
import { type Mailer, type MailerSettings, openMailer } from "../channels/mail.ts";
import type { DeliveryParts } from "../channels/mail-text.ts";
import type { NoticeMails } from "../channels/notices.ts";
import {
  createWebhookSender,
  sendWebhook,
  type WebhookSender,
  type WebhookSenderSettings,
  webhookTargetFault,
} from "../channels/webhook.ts";
import { openEgress } from "../egress/dial.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { LocationDirectory } from "../evidence/scan.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import { localLocation } from "../parse/location.ts";
import { ConfigError } from "../settings/config.ts";
import { certificatePem, passwordInFile } from "../settings/files.ts";
import type { Config } from "../settings/settings.ts";
import { type SiteClock, startSiteClock } from "../sites/clock.ts";
import { createSiteNetworks } from "../sites/site-networks.ts";
import type { SiteServices } from "../sites/site-operations.ts";
import { noWaitingRuns } from "../sites/waiting-runs.ts";
import type { Store } from "../store/store.ts";
import { egressSettings } from "./scanning.ts";

interface WatchedSitesSources extends DeliverySources {
  readonly store: Store;
  readonly ready: () => boolean;
  readonly locations: Pick<LocationDirectory, "absentSince" | "capacity">;
  /** Wakes the dispatcher. */
  readonly wake: () => void;
}

/** Pages and API use `services` and `mails` also before the start. @throws ConfigError if a file for mail or webhooks cannot be used. */
export function openWatchedSites(config: Config, { locations, ready, wake, ...sources }: WatchedSitesSources) {
  const delivery = openConfiguredDelivery(config, sources);
  const { store, log } = sources;
  let clock: SiteClock | null = null;
  return {
    services: {
      wakeClock: () => clock?.wake(),
      waitingRuns: () => clock?.waiting ?? noWaitingRuns,
      ...delivery.services,
    } satisfies SiteServices,
    mails: delivery.mails,
    /** Called after the outcome of a scan was stored. */
    scanEnded: (token: string) => {
      clock?.scanEnded(token);
      delivery.wake();
    },
    /** Called once, after the dispatcher has started. The first tick concludes what ended before. */
    start: (ownEndpoints: EgressSettings["ownEndpoints"], metrics: DeliveryMetrics) => {
      delivery.start(ownEndpoints, metrics);
      clock = startSiteClock({
        ...{ store, ready, wake, log, onEvents: delivery.wake },
        clock: systemClock,
        sitesMaxOf: planSitesMax(store),
        slotsOf: (location) => (location === localLocation ? config["scan.concurrency"] : locations.capacity(location)),
        networks: createSiteNetworks({
          resolve: (host) => resolveOnce(egressSettings(config, ownEndpoints), host),
          onKnown: () => clock?.wake(),
          clock: systemClock,
        }),
        mayBeScanned: ({ location }) => location === localLocation || locations.absentSince(location) === null,
      });
    },
    stop: async (drainMs: number) => {
      await Promise.all([clock?.stop(), delivery.stop(drainMs)]);
    },
  };
}

/** @throws EgressError as a scan of the host would. */
async function resolveOnce(settings: EgressSettings, host: string): Promise<readonly string[]> {
  const egress = openEgress(settings);
  try {
    return await egress.resolve(host);
  } finally {
    egress.close();
  }
}

/** Null without `smtp.url`. @throws ConfigError if a file cannot be used. */
export function openConfiguredMailer(config: Config): Mailer | null {
  const { "smtp.url": server, "smtp.from": from, public_url } = config;
  // `loadConfig` refuses a server without the other two.
  if (server === null || from === null || public_url === null) return null;
  return openMailer({
    server: { ...server, password: mailPassword(config) ?? server.password },
    from,
    tls: config["smtp.tls"],
    caPems: pemsOf(config, "smtp.ca_file"),
    clientHost: new URL(public_url).hostname,
    ...networkOf(config),
  });
}

/** `ownEndpoints`: addresses on which this server listens. @throws ConfigError if a file cannot be used. */
export function openConfiguredWebhooks(
  config: Config,
  { log, ownEndpoints }: { readonly log: Log } & Pick<WebhookSenderSettings, "ownEndpoints">,
): WebhookSender {
  return createWebhookSender({
    allowCidrs: config["webhooks.allow_cidrs"],
    allowHttp: config["webhooks.allow_http"],
    caPems: pemsOf(config, "webhooks.ca_file"),
    ownEndpoints,
    log,
    ...networkOf(config),
  });
}

function networkOf(config: Config): Pick<MailerSettings, "clock" | "dnsServers" | "connectTo"> {
  return { clock: systemClock, dnsServers: config["dns.servers"], connectTo: config["scan.connect_to"] };
}

/** Null without `smtp.password_file`. @throws ConfigError */
function mailPassword(config: Config): string | null {
  const file = config["smtp.password_file"];
  const password = file === null ? null : passwordInFile(file, "smtp.password_file");
  if (password === "") throw new ConfigError(`the first line of ${file} is empty; smtp.password_file needs the password there`);
  return password;
}

function pemsOf(config: Config, key: "smtp.ca_file" | "webhooks.ca_file"): readonly string[] {
  const file = config[key];
  return file === null ? [] : [certificatePem(key, file)];
}

interface DeliverySources extends Pick<DeliveryParts, "texts" | "log"> {
  readonly store: DeliveryParts["store"] & Pick<Store, "brands">;
}

/** `services` and `mails` are for pages and API; mails wait for the start. @throws ConfigError if a file cannot be used. */
function openConfiguredDelivery(config: Config, sources: DeliverySources) {
  const { log } = sources;
  let own: EgressSettings["ownEndpoints"] = [];
  const ownEndpoints = () => own;
  const [mailer, sender] = [openConfiguredMailer(config), openConfiguredWebhooks(config, { log, ownEndpoints })];
  const starting = Promise.withResolvers<Deliverer>();
  let running: Deliverer | null = null;
  const wake = () => running?.wake();
  const mails: NoticeMails = {
    confirmation: async (...given) => (await starting.promise).notices.confirmation(...given),
    memberInvitation: async (...given) => (await starting.promise).notices.memberInvitation(...given),
    reset: async (...given) => (await starting.promise).notices.reset(...given),
    invitation: async (...given) => (await starting.promise).notices.invitation(...given),
  };
  return {
    /** Begins to send. `endpoints`: addresses on which this server listens, which no webhook reaches. */
    start: (endpoints: EgressSettings["ownEndpoints"], metrics: DeliveryMetrics): void => {
      own = endpoints;
      running = startDeliverer({
        ...sources,
        brandOf: (account) => usableBrand(sources.store, account),
        metrics,
        clock: systemClock,
        send: { webhook: (attempt) => sendWebhook(sender, attempt), mail: mailer },
        localeDefault: config["locale.default"],
        publicUrl: config.public_url,
        serverName: config["smtp.from"]?.name ?? null,
      });
      starting.resolve(running);
    },
    /** Events were stored. Ignored before the start. */
    wake,
    stop: async (drainMs: number) => await running?.stop(drainMs),
    /** Null without a mail server. */
    mails: mailer === null ? null : mails,
    services: {
      wakeDeliveries: wake,
      mailConfigured: () => mailer !== null,
      sendConfirmation: async (channel, value) => {
        const outcome = await mails.confirmation(channel, value);
        return outcome === "no-mail" ? "failed" : outcome;
      },
      testChannel: async (channel) => (await starting.promise).test(channel),
      webhooksAllowHttp: config["webhooks.allow_http"],
      webhookTargetFault: (url) => webhookTargetFault(sender, url),
    } satisfies Omit<SiteServices, "wakeClock" | "waitingRuns">,
  };
}
