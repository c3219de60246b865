/** Fuzz targets for operator and visitor input: endpoints, contacts, origins and scan URLs. */
import * as address from "../../src/parse/address.ts";
import * as scanUrl from "../../src/parse/scan-url.ts";
import type { FuzzTarget } from "./target.ts";

const urlTokens = [
  ...":/?#@[]%. \\\t",
  "https://",
  "http:",
  "//",
  "user",
  "site.example",
  "::1",
  "8443",
  "xn--",
  "\u00fc",
  "mailto:",
  "&token=",
];

/** Idempotence: a parsed value parses to itself. */
function isIdempotent(parse: (text: string) => string | null): (text: string) => boolean {
  return (text) => {
    const parsed = parse(text);
    return parsed === null || parse(parsed) === parsed;
  };
}

function storedUrl(text: string): string | null {
  const parsed = scanUrl.parseScanUrl(text);
  return "url" in parsed ? parsed.url : null;
}

function writtenConnectTo(text: string): string | null {
  const parsed = address.parseConnectTo(text);
  return parsed === null ? null : address.connectToText(parsed);
}

function writtenNatsUrl(text: string): string | null {
  const parsed = address.parseNatsUrl(text);
  return parsed === null ? null : address.natsUrlText(parsed);
}

export const addressTargets: readonly FuzzTarget[] = [
  {
    name: "address",
    tokens: [...urlTokens, ..."[]:=.%0", "127.0.0.1", "::1", "[::1]", ":443", "site.test", "=", "65536", "ffff:", "0x7f.1"],
    samples: [
      "site.test:443=127.0.0.1:8443",
      "[2001:db8::1]:53",
      "127.0.0.1:8787",
      "[::ffff:192.0.2.1%eth0]:1=[::]:0",
      "security@site.example",
      "mailto:a+b@site.example",
      "https://site.example/report?to=us#here",
      "https://site.example",
      "http://192.168.1.5:8787/",
      "https://[2001:db8::1]:443/",
    ],
    functions: {
      parseIpText: address.parseIpText,
      parseEndpoint: address.parseEndpoint,
      parseResolver: address.parseResolver,
      parseConnectTo: address.parseConnectTo,
      connectToText: writtenConnectTo,
      endpointText: (text) => address.endpointText(text, 443),
      urlHost: address.urlHost,
      truncatedAddress: address.truncatedAddress,
      isRoutableIpv6: address.isRoutableIpv6,
      parseContact: address.parseContact,
      parseOrigin: address.parseOrigin,
    },
    properties: {
      "a parsed address parses to itself": isIdempotent(address.parseIpText),
      "a setting that was written again reads the same": (text) => {
        const written = writtenConnectTo(text);
        return written === null || writtenConnectTo(written) === written;
      },
      "every endpoint is a valid resolver": (text) => address.parseEndpoint(text) === null || address.parseResolver(text) === text,
      "truncating twice changes nothing": isIdempotent(address.truncatedAddress),
      "a parsed contact parses to itself": isIdempotent(address.parseContact),
      "a contact is an https or mailto URL": (text) => /^(?:https:\/\/|mailto:)|^$/.test(address.parseContact(text) ?? ""),
      "a parsed origin parses to itself": isIdempotent(address.parseOrigin),
      "an origin is in the form that browsers send": (text) => {
        const parsed = address.parseOrigin(text);
        return parsed === null || new URL(parsed).origin === parsed;
      },
    },
  },
  {
    name: "scan-url",
    tokens: urlTokens,
    samples: ["https://b\u00fccher.example:8443/a?b=c#d", "http://[2001:db8::1]/", "HTTPS://Site.Example./%C3%BC"],
    functions: { parseScanUrl: scanUrl.parseScanUrl, parseUrlHost: scanUrl.parseUrlHost },
    properties: {
      "a stored URL parses to itself": isIdempotent(storedUrl),
      "a stored URL has neither fragment nor credentials": (text) => {
        const url = URL.parse(storedUrl(text) ?? "");
        return url === null || url.hash + url.username + url.password === "";
      },
    },
  },
  {
    name: "nats-url",
    tokens: [...urlTokens, "tls://", "nats://", "127.0.0.1", "localhost", ":80"],
    samples: ["tls://nats.example.org:4223", "nats://[::1]:80"],
    heads: ["tls://", "nats://127."],
    functions: {
      parseNatsUrl: address.parseNatsUrl,
      natsUrlText: writtenNatsUrl,
      parseServerUrl: (text) => address.parseServerUrl(text, /^([a-z]+):\/\/([^/?#\\\s]+)\/?$/i),
    },
    properties: {
      "a URL that was written again reads the same": (text) => {
        const written = writtenNatsUrl(text);
        return written === null || writtenNatsUrl(written) === written;
      },
      "a connection without TLS stays on this machine": (text) => {
        const parsed = address.parseNatsUrl(text);
        return parsed === null || parsed.tls || /^(127\.[\d.]+|::1|localhost)$/.test(parsed.host);
      },
    },
  },
];
