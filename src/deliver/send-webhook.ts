/** Sends one attempt of a webhook through the SSRF guard. Follows no redirect and keeps no answer. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { openEgress } from "../egress/dial.ts";
import { CertificateRefused, type EgressFailure, toEgressError } from "../egress/egress-error.ts";
import { type HttpReply, httpRequest, verifyingContext } from "../egress/http-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { parseRetryAfter } from "../parse/internet-date.ts";
import { parseWebhookUrl } from "../parse/scan-url.ts";
import { signatureHeader } from "./webhook-signature.ts";

/** For one attempt, from resolving the name to the head of the answer. */
const attemptMs = 20_000;

export interface WebhookSenderSettings extends Pick<EgressSettings, "allowCidrs" | "dnsServers" | "connectTo"> {
  /** Certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  readonly allowHttp: boolean;
  /** The appliance's own listeners at the time of an attempt, which no webhook reaches. */
  readonly ownEndpoints: () => EgressSettings["ownEndpoints"];
  readonly clock: Clock;
  readonly log: Log;
  /** Shorter in tests. */
  readonly deadlineMs?: number;
}

export interface WebhookSender extends Omit<WebhookSenderSettings, "caPems" | "deadlineMs"> {
  readonly trust: ReturnType<typeof verifyingContext>;
  readonly deadlineMs: number;
}

export interface WebhookAttempt {
  /** As `parseWebhookUrl` returned it. */
  readonly url: string;
  /** One, or two while one is rotated. */
  readonly secrets: readonly string[];
  /** The same for every attempt of a delivery. */
  readonly id: string;
  /** Time of this attempt. */
  readonly timestamp: Date;
  /** JSON. */
  readonly body: string;
  /** Ends the attempt as `timeout`. */
  readonly signal?: AbortSignal;
}

/** `status`: neither 2xx, 3xx nor 410. `blocked`: refused by the SSRF guard, whose reason is logged for the operator. */
export type SendFailure = "status" | "redirect" | "certificate" | EgressFailure;

export type SendOutcome =
  | { readonly result: "delivered"; readonly status: number; readonly ms: number }
  /** The receiver wants no further webhooks. */
  | { readonly result: "gone"; readonly status: 410; readonly ms: number }
  | {
      readonly result: "failed";
      /** Null without an answer. */
      readonly status: number | null;
      readonly because: SendFailure;
      /** Wait that the receiver asked for, at most a day; null if it did not. */
      readonly retryAfterMs: number | null;
      readonly ms: number;
    };

/** Verified connections for all webhooks. Holds nothing open. */
export function createWebhookSender({ caPems, deadlineMs = attemptMs, ...settings }: WebhookSenderSettings): WebhookSender {
  return { ...settings, trust: verifyingContext(caPems), deadlineMs };
}

/** Never rejects: an unreachable or refused target is an outcome. */
export async function sendWebhook(sender: WebhookSender, attempt: WebhookAttempt): Promise<SendOutcome> {
  const startedMs = sender.clock.monotonicMs();
  const elapsedMs = () => Math.round(sender.clock.monotonicMs() - startedMs);
  const failed = (because: SendFailure) => ({ result: "failed", status: null, because, retryAfterMs: null, ms: elapsedMs() }) as const;
  // The setting may have changed since the URL was stored.
  if (parseWebhookUrl(attempt.url, sender) === null) {
    sender.log.warn("webhook not sent: only webhooks.allow_http permits http", { host: URL.parse(attempt.url)?.host ?? null });
    return failed("blocked");
  }
  try {
    return outcomeOf(await post(sender, attempt), attempt.timestamp, elapsedMs());
  } catch (thrown) {
    return failed(thrown instanceof CertificateRefused ? "certificate" : toEgressError(thrown).because);
  }
}

/** @throws EgressError */
async function post(sender: WebhookSender, { url, secrets, id, timestamp, body, signal }: WebhookAttempt): Promise<HttpReply> {
  const seconds = Math.floor(timestamp.getTime() / 1_000);
  // An egress pins the addresses of a name, so each attempt has its own.
  const egress = openEgress(webhookGuard(sender), (because) => sender.log.warn("webhook blocked", { because }));
  try {
    return await httpRequest(egress, url, {
      method: "POST",
      body: { mediaType: "application/json", text: body },
      headers: [
        ["webhook-id", id],
        ["webhook-timestamp", String(seconds)],
        ["webhook-signature", signatureHeader(secrets, id, seconds, body)],
      ],
      deadlineMs: sender.deadlineMs,
      // The head of the answer ends the exchange, however long the body is.
      bodyBytesMax: 0,
      trust: sender.trust,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    egress.close();
  }
}

/** SSRF guard of webhooks. The profile of scans does not hold: accounts choose these targets, and the appliance calls them by itself. */
export function webhookGuard({
  allowCidrs,
  dnsServers,
  connectTo,
  ownEndpoints,
}: Pick<WebhookSenderSettings, "allowCidrs" | "dnsServers" | "connectTo" | "ownEndpoints">): EgressSettings {
  return {
    profile: "internet",
    allowCidrs,
    allowCidrsSetting: "webhooks.allow_cidrs",
    sensitiveAddresses: "by-exact-entry",
    denyCidrs: [],
    allowPorts: "any",
    connectTo,
    dnsServers,
    ownEndpoints: ownEndpoints(),
  };
}

function outcomeOf({ status, field }: HttpReply, now: Date, ms: number): SendOutcome {
  if (status >= 200 && status < 300) return { result: "delivered", status, ms };
  if (status === 410) return { result: "gone", status, ms };
  const because = status >= 300 && status < 400 ? "redirect" : "status";
  return { result: "failed", status, because, retryAfterMs: parseRetryAfter(field("retry-after"), now), ms };
}
