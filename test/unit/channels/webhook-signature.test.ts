/** Signatures of webhooks, verified by the library of the specification. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { newWebhookSecret, signatureHeader } from "../../../src/channels/webhook.ts";

const id = "msg_27";
const body = JSON.stringify({ type: "site.score_dropped", data: { host: "pr\u00fcfung.test" } });
// The library refuses timestamps that differ by more than five minutes from its clock.
const seconds = Math.floor(Date.now() / 1_000);

function verify(secret: string, signature: string, given: { body?: string; id?: string; seconds?: number } = {}): unknown {
  return new Webhook(secret).verify(given.body ?? body, {
    "webhook-id": given.id ?? id,
    "webhook-timestamp": String(given.seconds ?? seconds),
    "webhook-signature": signature,
  });
}

test("a secret has its prefix and 32 random bytes", () => {
  const secrets = new Set(Array.from({ length: 20 }, newWebhookSecret));
  expect(secrets.size).toBe(20);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice("whsec_".length), "base64").length).toBe(32);
  }
});

describe("the signature", () => {
  const [secret, earlier, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const header = signatureHeader([secret], id, seconds, body);

  test("is that of the library", () => {
    expect(header).toBe(new Webhook(secret).sign(id, new Date(seconds * 1_000), body));
    expect(verify(secret, header)).toEqual(JSON.parse(body));
  });

  test("verifies with either secret while one is rotated", () => {
    const both = signatureHeader([secret, earlier], id, seconds, body);
    expect(both).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const known of [secret, earlier]) expect(verify(known, both)).toEqual(JSON.parse(body));
    expect(() => verify(other, both)).toThrow("No matching signature");
  });

  test("covers body, id and time", () => {
    for (const changed of [{ body: `${body} ` }, { id: "msg_28" }, { seconds: seconds - 1 }])
      expect(() => verify(secret, header, changed)).toThrow("No matching signature");
  });
});
