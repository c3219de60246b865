/** Services of watched sites: real webhooks to loopback, and mails that are only noted. */
import { systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import { createWebhookSender, sendWebhook, webhookTargetFault, webhookTestBody } from "../../src/channels/webhook.ts";
import type { ConfirmationOutcome, SiteServices } from "../../src/sites/site-operations.ts";
import { noWaitingRuns } from "../../src/sites/waiting-runs.ts";
import type { Channel } from "../../src/store/channels.ts";

export interface SiteServicesUnderTest extends SiteServices {
  /** Wake-ups of the clock and of deliveries. */
  readonly woken: { clock: number; deliveries: number };
  /** Confirmation mails in their order. */
  readonly confirmations: { readonly channel: Channel; readonly value: string }[];
  /** Whether there is a mail server, and how it answers. */
  readonly mail: { configured: boolean; outcome: ConfirmationOutcome };
  /** Forgets what happened: for the next test. */
  reset(): void;
}

/** Webhooks may reach 127.0.0.1 and no other private address. */
export function siteServices(): SiteServicesUnderTest {
  const log = createLog({ level: "error", format: "json", write: () => {} });
  const network = { allowCidrs: ["127.0.0.1/32"], dnsServers: [], connectTo: [], ownEndpoints: () => [] };
  const sender = createWebhookSender({ ...network, caPems: [], allowHttp: true, clock: systemClock, log });
  const services: SiteServicesUnderTest = {
    woken: { clock: 0, deliveries: 0 },
    confirmations: [],
    mail: { configured: true, outcome: "sent" },
    wakeClock: () => {
      services.woken.clock += 1;
    },
    waitingRuns: () => noWaitingRuns,
    wakeDeliveries: () => {
      services.woken.deliveries += 1;
    },
    mailConfigured: () => services.mail.configured,
    sendConfirmation: async (channel, value) => {
      services.confirmations.push({ channel, value });
      return services.mail.outcome;
    },
    testChannel: async ({ target, secrets }) => {
      const now = new Date();
      const outcome = await sendWebhook(sender, { url: target, secrets, id: "evt_test", timestamp: now, body: webhookTestBody(now) });
      const { status, ms } = outcome;
      if (outcome.result === "delivered") return { result: "delivered", status, ms, because: null };
      return { result: "failed", status, ms, because: outcome.result === "gone" ? "gone" : outcome.because };
    },
    webhooksAllowHttp: true,
    reset: () => {
      Object.assign(services.woken, { clock: 0, deliveries: 0 });
      services.confirmations.length = 0;
      Object.assign(services.mail, { configured: true, outcome: "sent" });
    },
    webhookTargetFault: (url) => webhookTargetFault(network, url),
  };
  return services;
}
