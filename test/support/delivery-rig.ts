/** Deliverer over a real store, with receiver and mail server on loopback, and a clock that the test sets. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { usableBrand } from "../../src/agency/brand-operations.ts";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import { type Deliverer, startDeliverer } from "../../src/channels/deliverer.ts";
import { type MailLimits, openMailer } from "../../src/channels/mail.ts";
import { createWebhookSender, newWebhookSecret, sendWebhook } from "../../src/channels/webhook.ts";
import { createDeliveryMetrics, openMetrics } from "../../src/metrics/metrics.ts";
import type { Channel } from "../../src/store/channels.ts";
import type { Delivery } from "../../src/store/deliveries.ts";
import { eventTypes } from "../../src/store/notification-rules.ts";
import type { NewEvent } from "../../src/store/site-events.ts";
import { newSiteState } from "../../src/store/site-runs.ts";
import type { Site } from "../../src/store/sites.ts";
import type { Store } from "../../src/store/store.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { siteIdentity, testAuthority } from "./certificates.ts";
import { type MailServerHandle, type MailServerOptions, startMailServer } from "./mail-server.ts";
import { temporaryStore } from "./temporary-store.ts";
import { addSite } from "./watched-sites.ts";

const ownerEmail = "owner@agency.test";
const patienceMs = 60_000;
const mailPort = 2525;
/** RFC 6335: assigned to a service that no machine runs. */
const closedPort = 1;
const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answer of the receiver; a promise that stays open keeps the sender waiting. */
export type WebhookAnswer = (webhook: ReceivedWebhook) => AnswerHead | Promise<AnswerHead>;
interface AnswerHead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DeliveryRig {
  readonly store: Store;
  readonly webhooks: readonly ReceivedWebhook[];
  /** Most requests at the same time, of all paths and of one path. */
  readonly most: { readonly atOnce: number; readonly ofPath: number };
  readonly mails: MailServerHandle["mails"];
  readonly log: readonly string[];
  readonly deliverer: Deliverer;
  now(): Date;
  answer(answer: WebhookAnswer): void;
  /** Moves the clock, and lets the deliverer look. */
  advance(ms: number): void;
  /** Moves the clock to the next attempt. */
  advanceToNext(): void;
  /** A verified channel with a rule for all events. */
  addChannel(given: Partial<Channel> & Pick<Channel, "kind">, severityMin?: "high" | "info"): Promise<Channel>;
  addSite(host: string): Promise<Site>;
  /** Stores events of the site at the time of the clock, and wakes the deliverer. */
  report(site: Site, ...events: readonly NewEvent[]): Promise<void>;
  /** The newest first. */
  deliveries(): readonly Delivery[];
  metrics(): Promise<string>;
  /** Ends the deliverer, as by a kill if nothing is waited for, and starts another one. */
  restart(drainMs: number): Promise<void>;
  /** Whether connections to the mail server reach it, or a port on which nothing listens. */
  setMailServerUp(up: boolean): void;
  stop(): Promise<void>;
}

interface RigOptions {
  /** Null: no mail server is configured. */
  readonly mail?: Partial<MailServerOptions> | null;
  /** Limit of one attempt to a receiver. */
  readonly deadlineMs?: number;
  readonly random?: () => number;
  readonly mailLimits?: MailLimits;
}

export async function startDeliveryRig({
  mail = {},
  random = () => 0.5,
  mailLimits,
  deadlineMs = patienceMs,
}: RigOptions = {}): Promise<DeliveryRig> {
  const temporary = temporaryStore();
  const { store } = temporary;
  let nowMs = Math.floor(Date.now() / 1_000) * 1_000;
  const now = () => new Date(nowMs);
  // Receiver and mail server take real time.
  const clock: Clock = { ...systemClock, now, random };
  await store.accounts.create({ email: ownerEmail, now: now() });
  const receiver = await startWebhookReceiver();
  const mailServer = mail === null ? null : await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls", ...mail });
  const mailPlace = { host: "mail.test", port: mailPort, address: "127.0.0.1", addressPort: mailServer?.port ?? closedPort };
  const logged: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
  const metrics = openMetrics({ version: "1" });
  const sender = createWebhookSender({
    ...{ allowCidrs: ["127.0.0.1/32"], allowHttp: true, caPems: [], dnsServers: [], connectTo: [], ownEndpoints: () => [], clock, log },
    deadlineMs,
  });
  const mailer =
    mailServer === null
      ? null
      : openMailer({
          server: { scheme: "smtp", host: "mail.test", port: mailPort, user: null, password: null },
          from: { name: "Assay", email: "assay@assay.test" },
          ...{
            tls: "required",
            caPems: [testAuthority().root.pem],
            clientHost: "assay.test",
            dnsServers: [],
            connectTo: [mailPlace],
            clock,
          },
          ...(mailLimits === undefined ? {} : { limits: mailLimits }),
        });
  const deliveryMetrics = createDeliveryMetrics(metrics.registry, store.deliveries.waitingCount);
  const start = () =>
    startDeliverer({
      ...{
        store,
        texts: () => texts,
        localeDefault: "en-gb",
        publicUrl: "https://assay.test",
        serverName: "Assay",
        clock,
        metrics: deliveryMetrics,
        log,
      },
      send: { webhook: (attempt) => sendWebhook(sender, attempt), mail: mailer },
      brandOf: (account) => usableBrand(store, account),
    });
  let deliverer = start();
  const advance = (ms: number) => {
    nowMs += ms;
    deliverer.wake();
  };
  return {
    ...{ store, now, advance, log: logged },
    webhooks: receiver.webhooks,
    most: receiver.most,
    answer: receiver.answer,
    mails: mailServer?.mails ?? [],
    get deliverer() {
      return deliverer;
    },
    advanceToNext: () => advance(Math.max(0, (store.deliveries.nextDueAt()?.getTime() ?? nowMs) - nowMs)),
    addChannel: (given, severityMin = "info") => addNotifiedChannel(store, receiver.url, given, severityMin, now()),
    addSite: (host) => addSite(store, { accountId: 1, url: `https://${host}/`, name: host, now: now() }),
    report: async (site, ...events) => {
      await store.siteRuns.noteState(site, () => ({ state: newSiteState, events }), now());
      deliverer.wake();
    },
    deliveries: () => store.deliveries.list(1, { limit: 100, cursor: null }).items,
    metrics: metrics.text,
    restart: async (drainMs) => {
      await deliverer.stop(drainMs);
      deliverer = start();
    },
    setMailServerUp: (up) => {
      mailPlace.addressPort = up ? (mailServer?.port ?? closedPort) : closedPort;
    },
    stop: async () => {
      await deliverer.stop(0);
      await Promise.all([receiver.stop(), mailServer?.stop()]);
      await temporary.stop();
    },
  };
}

async function addNotifiedChannel(
  store: Store,
  receiverUrl: string,
  {
    kind,
    name = "Team",
    target = kind === "mail" ? "team@client.test" : `${receiverUrl}/hook`,
    accountId = 1,
  }: Partial<Channel> & Pick<Channel, "kind">,
  severityMin: "high" | "info",
  now: Date,
): Promise<Channel> {
  const secrets = kind === "webhook" ? [newWebhookSecret()] : [];
  const channel = await store.channels.add({ accountId, kind, name, target, secrets, verified: true, now });
  if (channel === "full") throw new Error("there are too many channels");
  await store.rules.add({ accountId, scope: { kind: "all" }, events: eventTypes, severityMin, channelIds: [channel.id], now });
  return channel;
}

/** Plain receiver of webhooks on loopback. */
export async function startWebhookReceiver() {
  const webhooks: ReceivedWebhook[] = [];
  const open = new Map<string, number>();
  const most = { atOnce: 0, ofPath: 0 };
  const count = (path: string, by: number) => {
    open.set(path, (open.get(path) ?? 0) + by);
    most.ofPath = Math.max(most.ofPath, open.get(path) ?? 0);
    most.atOnce = Math.max(
      most.atOnce,
      [...open.values()].reduce((sum, each) => sum + each, 0),
    );
  };
  let answer: WebhookAnswer = () => ({ status: 204 });
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", async () => {
      const webhook = { path, headers: request.headers, body: Buffer.concat(parts).toString() };
      webhooks.push(webhook);
      count(path, 1);
      const { status, headers = {} } = await answer(webhook);
      count(path, -1);
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    ...{ webhooks, most },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (changed: WebhookAnswer) => {
      answer = changed;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Waits for a condition. @throws Error with `what` if it never holds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const endMs = Date.now() + patienceMs;
  while (!holds()) {
    if (Date.now() > endMs) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
