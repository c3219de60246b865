/** Signatures of the Standard Webhooks specification: symmetric, version 1. */
import { createHmac } from "node:crypto";
import { type Clock, systemClock } from "../base/clock.ts";

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

/** Without its prefix, a secret is the key in base64. */
function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret, "base64");
}
