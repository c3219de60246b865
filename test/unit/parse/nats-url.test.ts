/** Addresses of nats-servers. */
import { expect, test } from "vitest";
import { parseNatsUrl } from "../../../src/parse/nats-url.ts";

test.each([
  ["tls://nats.example.org:4223", { host: "nats.example.org", port: 4223, tls: true }],
  ["tls://nats.example.org", { host: "nats.example.org", port: 4222, tls: true }],
  ["TLS://Nats.Example.org/", { host: "nats.example.org", port: 4222, tls: true }],
  ["tls://[2001:db8::1]:80", { host: "2001:db8::1", port: 80, tls: true }],
  ["nats://127.0.0.9:4222", { host: "127.0.0.9", port: 4222, tls: false }],
  ["nats://localhost", { host: "localhost", port: 4222, tls: false }],
  ["nats://[::1]", { host: "::1", port: 4222, tls: false }],
])("%s", (text, expected) => {
  expect(parseNatsUrl(text)).toEqual(expected);
});

test.each([
  "nats://nats.example.org",
  "nats://127.example.org",
  "tls://user:secret@nats.example.org",
  "tls://nats.example.org:0",
  "tls://nats.example.org:70000",
  "tls://nats.example.org/path",
  "https://nats.example.org",
  "tls://",
  "nats.example.org:4222",
  `tls://${"a".repeat(300)}`,
])("refuses %s", (text) => {
  expect(parseNatsUrl(text)).toBeNull();
});
