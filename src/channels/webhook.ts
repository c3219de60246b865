/** Webhooks: target, body, signature and sending. Chat services get their messages by the same sender. */
import { createHmac } from "node:crypto";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { tryOr } from "../base/try-or.ts";
import { createAddressPolicy, localAddresses } from "../egress/address-policy.ts";
import { openEgress } from "../egress/dial.ts";
import { CertificateRefused, type EgressFailure, toEgressError } from "../egress/egress-error.ts";
import { parseHost, portOf } from "../egress/host.ts";
import { type HttpReply, httpRequest, verifyingContext } from "../egress/http-client.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { parseRetryAfter } from "../parse/internet-date.ts";
import { parseWebhookUrl } from "../parse/scan-url.ts";
import type { EventFinding, EventSite, StoredEvent } from "../store/site-events.ts";

type GuardSettings = Pick<WebhookSenderSettings, "allowCidrs" | "dnsServers" | "connectTo" | "ownEndpoints">;

/** Completes "target ..."; null for a name, whose addresses each delivery checks, and for a permitted address. */
export function webhookTargetFault(settings: GuardSettings, text: string): string | null {
  const url = new URL(text);
  const host = parseHost(url.hostname);
  if (host === null || host.kind === "name") return null;
  const guard = webhookGuard(settings);
  // The operator mapped this host and port.
  if (guard.connectTo.some((to) => to.port === portOf(url) && parseHost(to.host)?.text === host.text)) return null;
  const policy = createAddressPolicy(guard, localAddresses());
  for (const decision of [policy.authorizeAddress(host.text), policy.authorizeEndpoint(host.text, portOf(url))])
    if (!decision.allowed) return `must not lead to this address: ${decision.because}`;
  return null;
}

const secretPrefix = "whsec_";
/** The specification recommends 24 to 64 bytes. */
const secretBytes = 32;

/** New secret of a webhook, as its receiver configures it. */
export function newWebhookSecret(clock: Pick<Clock, "randomBytes"> = systemClock): string {
  return `${secretPrefix}${clock.randomBytes(secretBytes).toString("base64")}`;
}

/** Value of `webhook-signature`: a signature for each secret, of which the receiver needs to know one. */
export function signatureHeader(secrets: readonly string[], id: string, timestampSeconds: number, body: string): string {
  const signed = `${id}.${timestampSeconds}.${body}`;
  return secrets.map((secret) => `v1,${createHmac("sha256", keyOf(secret)).update(signed).digest("base64")}`).join(" ");
}

/** Key of a secret: base64 behind the prefix. */
function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret, "base64");
}

/** Limit of a body in bytes of UTF-8, because receivers bound what they read. */
export const webhookBodyBytesMax = 20_000;
/** Addresses that a finding lists; `urlCount` counts them all. */
export const findingUrlsMax = 5;
/** Bytes that the lists of findings may take: what is fixed has a limit of its own, and needs less than the rest. */
const findingsBytesMax = 8_000;
/** Characters of a text that an account wrote, and of an address. The limits of the forms are at most these. */
const textCharsMax = 200;
const urlCharsMax = 2_048;
const tagsMax = 20;
const tagCharsMax = 40;

/** Type of the body that the test button sends. */
export const webhookTestType = "channel.test";

/** Equal for the same event, so that attempts differ in time and signature only. Links are relative paths without a `publicUrl`. */
export function webhookBody(event: StoredEvent, { publicUrl }: { readonly publicUrl: string | null }): string {
  const { type, at, site, token } = event;
  const data = {
    site: site === null ? null : siteOf(site),
    scan: token === null ? null : scanOf(token, publicUrl),
    ...ownData(event, publicUrl),
  };
  return JSON.stringify({ type, timestamp: at, data });
}

export function webhookTestBody(now: Date): string {
  return JSON.stringify({ type: webhookTestType, timestamp: now.toISOString(), data: {} });
}

function siteOf({ id, name, url, client, tags }: EventSite) {
  return {
    id,
    name: cut(name, textCharsMax),
    url: cut(url, urlCharsMax),
    client: client === null ? null : cut(client, textCharsMax),
    tags: tags.slice(0, tagsMax).map((tag) => cut(tag, tagCharsMax)),
  };
}

function scanOf(token: string, publicUrl: string | null) {
  return { token, ...linksOf("scans", token, publicUrl) };
}

function linksOf(kind: "scans" | "proofs", token: string, publicUrl: string | null) {
  const base = publicUrl ?? "";
  return { statusUrl: `${base}/api/v1/${kind}/${token}`, reportUrl: `${base}/${kind}/${token}` };
}

function ownData(event: StoredEvent, publicUrl: string | null): object {
  if (event.type === "scan.finished") {
    // The token is in `scan`.
    const { token: _token, url, ...scan } = event.data;
    return { ...scan, url: cut(url, urlCharsMax) };
  }
  if (event.type === "proof.finished") {
    const { token, url, ...proof } = event.data;
    return { proof: { token, ...linksOf("proofs", token, publicUrl) }, ...proof, url: cut(url, urlCharsMax) };
  }
  if (!("findings" in event.data)) return event.data;
  const { findings, ...others } = event.data;
  return { ...others, ...boundedFindings(findings) };
}

/** As many findings as have space, in their order. A finding without space for its addresses comes without them. */
function boundedFindings(all: readonly EventFinding[]) {
  const findings: object[] = [];
  let [bytesLeft, truncated] = [findingsBytesMax, false];
  for (const { urls, ...finding } of all) {
    const fits = [urls.slice(0, findingUrlsMax), []].map((some) => ({ ...finding, urls: some, urlCount: urls.length })).find(hasSpace);
    if (fits === undefined) break;
    bytesLeft -= bytesOf(fits);
    truncated ||= fits.urls.length < urls.length;
    findings.push(fits);
  }
  return { findings, findingCount: all.length, truncated: truncated || findings.length < all.length };

  function hasSpace(finding: object): boolean {
    return bytesOf(finding) <= bytesLeft;
  }
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** Never within a surrogate pair. */
function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "");
}

/** Limit of one attempt, from resolving the name to the head of the answer. */
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
  /** One, or two while one is rotated. Without one, the request is not signed. */
  readonly secrets: readonly string[];
  /** Equal in every attempt of a delivery. */
  readonly id: string;
  /** Time of this attempt. */
  readonly timestamp: Date;
  /** JSON. */
  readonly body: string;
  /** Further fields. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Member of a JSON answer 429 that has the seconds to wait, beside Retry-After. */
  readonly retryAfterMember?: string | null;
  /** Status that means the same as 410. */
  readonly goneStatus?: number | null;
  /** Ends the attempt as `timeout`. */
  readonly signal?: AbortSignal;
}

/** `status`: neither 2xx, 3xx nor 410. `blocked`: refused by the SSRF guard, whose reason is logged for the operator. */
export type SendFailure = "status" | "redirect" | "certificate" | EgressFailure;

export type SendOutcome =
  | { readonly result: "delivered"; readonly status: number; readonly ms: number }
  /** The receiver wants no further webhooks. */
  | { readonly result: "gone"; readonly status: number; readonly ms: number }
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
    return outcomeOf(await post(sender, attempt), attempt, elapsedMs());
  } catch (thrown) {
    return failed(thrown instanceof CertificateRefused ? "certificate" : toEgressError(thrown).because);
  }
}

/** @throws EgressError */
async function post(sender: WebhookSender, attempt: WebhookAttempt): Promise<HttpReply> {
  const { url, body, headers = [], retryAfterMember = null, signal } = attempt;
  // An egress pins the addresses of a name, so each attempt has its own.
  const egress = openEgress(webhookGuard(sender), (because) => sender.log.warn("webhook blocked", { because }));
  try {
    return await httpRequest(egress, url, {
      method: "POST",
      body: { mediaType: "application/json", text: body },
      headers: [...headers, ...signatureHeaders(attempt)],
      deadlineMs: sender.deadlineMs,
      // The head of the answer ends the exchange, however long the body is.
      bodyBytesMax: (status) => (status === tooManyRequests && retryAfterMember !== null ? waitBytesMax : 0),
      trust: sender.trust,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    egress.close();
  }
}

function signatureHeaders({ secrets, id, timestamp, body }: WebhookAttempt): readonly (readonly [string, string])[] {
  if (secrets.length === 0) return [];
  const seconds = Math.floor(timestamp.getTime() / 1_000);
  return [
    ["webhook-id", id],
    ["webhook-timestamp", String(seconds)],
    ["webhook-signature", signatureHeader(secrets, id, seconds, body)],
  ];
}

/** SSRF guard of webhooks. The profile of scans does not hold: accounts choose these targets, and the appliance calls them by itself. */
function webhookGuard({ allowCidrs, dnsServers, connectTo, ownEndpoints }: GuardSettings): EgressSettings {
  return {
    ...{ profile: "internet", sensitiveAddresses: "by-exact-entry", denyCidrs: [], allowPorts: "any" },
    ...{ allowCidrs, allowCidrsSetting: "webhooks.allow_cidrs", connectTo, dnsServers, ownEndpoints: ownEndpoints() },
  };
}

const tooManyRequests = 429;
/** Limit of the answer in which a wait is looked for. Nothing else of it is read, and nothing kept. */
const waitBytesMax = 4_096;

function outcomeOf(reply: HttpReply, { timestamp, retryAfterMember = null, goneStatus = null }: WebhookAttempt, ms: number): SendOutcome {
  const { status } = reply;
  if (status >= 200 && status < 300) return { result: "delivered", status, ms };
  if (status === 410 || status === goneStatus) return { result: "gone", status, ms };
  const because = status >= 300 && status < 400 ? "redirect" : "status";
  const waits = [parseRetryAfter(reply.field("retry-after"), timestamp), waitIn(reply, retryAfterMember, timestamp)].filter(
    (waitMs) => waitMs !== null,
  );
  return { result: "failed", status, because, retryAfterMs: waits.length === 0 ? null : Math.max(...waits), ms };
}

/** Wait of a JSON answer. Null without one, and for an answer that is no JSON or too long. */
function waitIn({ body, truncated }: HttpReply, member: string | null, now: Date): number | null {
  if (member === null || body.length === 0 || truncated) return null;
  const answer = tryOr(() => JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>> | null, null);
  const seconds = answer?.[member];
  return typeof seconds === "number" ? parseRetryAfter(String(Math.ceil(seconds)), now) : null;
}
