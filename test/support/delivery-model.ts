/** Deliverer over a real store, with models of receivers, mail server and clock: the test decides when an attempt ends. */
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { createLog } from "../../src/base/log.ts";
import { type Deliverer, startDeliverer } from "../../src/channels/deliverer.ts";
import type { MailOutcome, OutgoingMail } from "../../src/channels/mail.ts";
import type { SendOutcome, WebhookAttempt } from "../../src/channels/webhook.ts";
import type { Channel } from "../../src/store/channels.ts";
import type { Delivery } from "../../src/store/deliveries.ts";
import { eventTypes } from "../../src/store/notification-rules.ts";
import type { NewEvent } from "../../src/store/site-events.ts";
import { newSiteState } from "../../src/store/site-runs.ts";
import type { Store } from "../../src/store/store.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { type FakeClock, fakeClock, settled } from "./fake-clock.ts";
import { temporaryStore } from "./temporary-store.ts";
import { addSite } from "./watched-sites.ts";

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks });
const dropped: NewEvent = { type: "site.score_dropped", token: null, data: { from: 90, to: 60, band: "warn", rank: "weak" } };

/** Attempt that waits for the test to end it. An abort ends it as `timeout`, unless the test wants it to hang. */
export interface HeldAttempt<Given, Outcome> {
  readonly given: Given;
  readonly signal: AbortSignal | undefined;
  end(outcome: Outcome): void;
}

type DeliveriesStore = Store["deliveries"];

/** One process. */
export interface DeliveryProcess {
  readonly deliverer: Deliverer;
  readonly webhooks: readonly HeldAttempt<WebhookAttempt, SendOutcome>[];
  readonly mails: readonly HeldAttempt<OutgoingMail, MailOutcome>[];
  /** As `webhook delivered`. */
  readonly counted: readonly string[];
  readonly log: readonly string[];
}

export interface ProcessOptions {
  /** Replaces methods of the store, as for a full disk. `settle` does not wait for them. */
  readonly deliveries?: Partial<DeliveriesStore>;
  readonly events?: Partial<Store["events"]>;
  /** Attempts that an abort does not end. */
  readonly hangs?: boolean;
  /** No mail server is configured. */
  readonly hasMail?: boolean;
}

export interface DeliveryModel {
  readonly store: Store;
  readonly clock: FakeClock;
  start(options?: ProcessOptions): DeliveryProcess;
  /** A verified channel of the account with a rule for all events. */
  addChannel(given: Pick<Channel, "kind"> & Partial<Channel>): Promise<Channel>;
  /** Stores an event for all channels of the account. Wakes nothing. */
  report(accountId?: number, event?: NewEvent): Promise<void>;
  deliveries(accountId?: number): readonly Delivery[];
  /** Oldest delivery of account 1. */
  first(): Delivery | undefined;
  /** States of the deliveries of account 1, newest first. */
  states(): readonly Delivery["state"][];
  /** Wait of the oldest delivery for its next attempt. */
  untilNextMs(): number;
  /** A process with one attempt of a webhook under way. */
  sending(options?: ProcessOptions): Promise<{ readonly channel: Channel; readonly process: DeliveryProcess }>;
  /** Resolves when nothing is left that needs no event: no promise, and no write. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export async function deliveryModel(): Promise<DeliveryModel> {
  const temporary = temporaryStore();
  const clock = fakeClock();
  const writes = new Set<Promise<unknown>>();
  const started: Deliverer[] = [];
  const siteIds = new Map<number, number>();

  /** The same repository, whose writes `settle` waits for. */
  const observed = <Repository extends object>(repository: Repository): Repository =>
    new Proxy(repository, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          const answer: unknown = Reflect.apply(member, target, args);
          if (!(answer instanceof Promise)) return answer;
          const write = answer.catch(() => {}).finally(() => writes.delete(write));
          writes.add(write);
          return answer;
        };
      },
    });

  const store: Store = {
    ...temporary.store,
    channels: observed(temporary.store.channels),
    deliveries: observed(temporary.store.deliveries),
  };

  function start({ deliveries = {}, events = {}, hangs = false, hasMail = true }: ProcessOptions = {}): DeliveryProcess {
    const webhooks: HeldAttempt<WebhookAttempt, SendOutcome>[] = [];
    const mails: HeldAttempt<OutgoingMail, MailOutcome>[] = [];
    const counted: string[] = [];
    const log: string[] = [];
    function held<Given, Outcome>(to: HeldAttempt<Given, Outcome>[], given: Given, signal: AbortSignal | undefined, late: Outcome) {
      return new Promise<Outcome>((end) => {
        to.push({ given, signal, end });
        if (!hangs) signal?.addEventListener("abort", () => end(late));
      });
    }
    const deliverer = startDeliverer({
      store: { ...store, deliveries: { ...store.deliveries, ...deliveries }, events: { ...store.events, ...events } },
      send: {
        webhook: (attempt) => held(webhooks, attempt, attempt.signal, failedWith("timeout")),
        mail: hasMail ? { send: (mail, options) => held(mails, mail, options?.signal, mailFailedWith("timeout")) } : null,
      },
      ...{ brandOf: () => undefined, texts: () => texts, localeDefault: "en-gb", publicUrl: "https://assay.test" },
      clock,
      metrics: { attempted: (kind, result) => void counted.push(`${kind} ${result}`) },
      log: createLog({ level: "debug", format: "json", write: (line) => void log.push(line) }),
    });
    started.push(deliverer);
    return { deliverer, webhooks, mails, counted, log };
  }

  async function settle(): Promise<void> {
    do {
      await Promise.all(writes);
      await settled();
    } while (writes.size > 0);
  }

  const model: DeliveryModel = {
    ...{ store, clock, start, settle },
    addChannel: async ({ accountId = 1, kind, target = kind === "mail" ? "team@client.test" : "https://hook.test/", ...given }) => {
      const now = clock.now();
      if (store.accounts.findById(accountId) === undefined) await store.accounts.create({ email: `owner${accountId}@agency.test`, now });
      const channel = await store.channels.add({ accountId, kind, name: "Team", target, secrets: [], verified: true, now, ...given });
      if (channel === "full") throw new Error("there are too many channels");
      await store.rules.add({
        ...{ accountId, scope: { kind: "all" }, events: eventTypes, severityMin: "info", channelIds: [channel.id], now },
      });
      return channel;
    },
    report: async (accountId = 1, event = dropped) => {
      const now = clock.now();
      const known = siteIds.get(accountId) ?? (await addSite(store, { accountId, url: `https://a${accountId}.test/`, now })).id;
      siteIds.set(accountId, known);
      await store.siteRuns.noteState({ accountId, id: known }, () => ({ state: newSiteState, events: [event] }), now);
    },
    deliveries: (accountId = 1) => store.deliveries.list(accountId, { limit: 100, cursor: null }).items,
    first: () => model.deliveries().at(-1),
    states: () => model.deliveries().map(({ state }) => state),
    untilNextMs: () => Date.parse(model.first()?.nextAttemptAt ?? "") - clock.now().getTime(),
    sending: async (options) => {
      const channel = await model.addChannel({ kind: "webhook" });
      await model.report();
      const process = start(options);
      await settle();
      if (process.webhooks.length !== 1) throw new Error(`${process.webhooks.length} attempts are under way`);
      return { channel, process };
    },
    stop: async () => {
      const stopping = Promise.all(started.map((one) => one.stop(0)));
      // Time for what a test left to hang.
      for (let step = 0; step < 3; step++) {
        await settled();
        clock.advance(2_000);
      }
      await stopping;
      await settle();
      await temporary.stop();
    },
  };
  return model;
}

export const deliveredWebhook: SendOutcome = { result: "delivered", status: 204, ms: 5 };

export function failedWith(because: "timeout" | "status", retryAfterMs: number | null = null): SendOutcome {
  return { result: "failed", status: because === "status" ? 500 : null, because, retryAfterMs, ms: 5 };
}

export function mailFailedWith(because: "timeout" | "recipient" | "refused", permanent = false): MailOutcome {
  return { result: "failed", ms: 5, because, permanent, code: permanent ? 550 : null };
}
