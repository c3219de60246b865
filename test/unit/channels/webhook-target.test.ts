/** First check of a webhook's URL: literal addresses only. */
import { expect, test } from "vitest";
import { webhookTargetFault } from "../../../src/channels/webhook.ts";

const network = {
  allowCidrs: ["10.1.0.0/16", "127.0.0.1/32"],
  dnsServers: [],
  connectTo: [],
  ownEndpoints: () => [{ address: "127.0.0.1", port: 8787 }],
};

test.each([
  "https://hooks.example/",
  "https://93.184.216.34/",
  "https://[2606:2800:220:1::1]/",
  "https://10.1.2.3/",
  "http://127.0.0.1:9000/",
])("permits %s", (url) => expect(webhookTargetFault(network, url)).toBe(null));

test("permits the host and port that the operator mapped, and no other port of it", () => {
  const mapped = { ...network, connectTo: [{ host: "10.2.0.1", port: 443, address: "192.0.2.1", addressPort: 443 }] };
  expect(webhookTargetFault(mapped, "https://10.2.0.1/")).toBeNull();
  expect(webhookTargetFault(mapped, "https://10.2.0.1:8443/")).toMatch("webhooks.allow_cidrs");
});

test.each([
  ["https://10.2.0.1/", "webhooks.allow_cidrs"],
  ["https://192.168.0.1/", "webhooks.allow_cidrs"],
  ["https://127.0.0.2/", "webhooks.allow_cidrs"],
  ["https://[::1]/", "webhooks.allow_cidrs"],
  ["https://0x7f.2/", "webhooks.allow_cidrs"],
  ["https://169.254.169.254/", "webhooks.allow_cidrs"],
  ["https://[::ffff:10.2.0.1]/", "webhooks.allow_cidrs"],
  ["http://127.0.0.1:8787/", "this appliance itself"],
])("refuses %s", (url, why) => expect(webhookTargetFault(network, url)).toMatch(why));
