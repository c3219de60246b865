/** The parsers of what operators and visitors write: endpoints, contacts, origins and addresses to scan, as the fuzzing knows them. */
import * as address from "../../src/parse/address.ts";
import * as contact from "../../src/parse/contact.ts";
import * as origin from "../../src/parse/origin.ts";
import * as scanUrl from "../../src/parse/scan-url.ts";
import type { FuzzedParser } from "./parser.ts";

const urlWords = [
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

/** What comes out goes in again and stays as it is. */
function isFixed(parse: (text: string) => string | null): (text: string) => boolean {
  return (text) => {
    const parsed = parse(text);
    return parsed === null || parse(parsed) === parsed;
  };
}

function storedUrl(text: string): string | null {
  const parsed = scanUrl.parseScanUrl(text);
  return "url" in parsed ? parsed.url : null;
}

export const addressParsers: readonly FuzzedParser[] = [
  {
    file: "address",
    words: [..."[]:=.%0", "127.0.0.1", "::1", "[::1]", ":443", "site.test", "=", "65536", "ffff:", "0x7f.1"],
    samples: ["site.test:443=127.0.0.1:8443", "[2001:db8::1]:53", "127.0.0.1:8787", "[::ffff:192.0.2.1%eth0]:1=[::]:0"],
    functions: {
      parseAddress: address.parseAddress,
      parseEndpoint: address.parseEndpoint,
      parseResolver: address.parseResolver,
      parseConnectTo: address.parseConnectTo,
      truncatedAddress: address.truncatedAddress,
    },
    laws: {
      "an address reads as itself": isFixed(address.parseAddress),
      "an endpoint is a resolver": (text) => address.parseEndpoint(text) === null || address.parseResolver(text) === text,
      "a truncated address has no more to lose": isFixed(address.truncatedAddress),
    },
  },
  {
    file: "contact",
    words: urlWords,
    samples: ["security@site.example", "mailto:a+b@site.example", "https://site.example/report?to=us#here"],
    functions: { parseContact: contact.parseContact },
    laws: {
      "a contact is one": isFixed(contact.parseContact),
      "it can be linked to": (text) => /^(?:https:\/\/|mailto:)|^$/.test(contact.parseContact(text) ?? ""),
    },
  },
  {
    file: "origin",
    words: urlWords,
    samples: ["https://site.example", "http://192.168.1.5:8787/", "https://[2001:db8::1]:443/"],
    functions: { parseOrigin: origin.parseOrigin },
    laws: {
      "an origin is one": isFixed(origin.parseOrigin),
      "it is what browsers send": (text) => {
        const parsed = origin.parseOrigin(text);
        return parsed === null || new URL(parsed).origin === parsed;
      },
    },
  },
  {
    file: "scan-url",
    words: urlWords,
    samples: ["https://b\u00fccher.example:8443/a?b=c#d", "http://[2001:db8::1]/", "HTTPS://Site.Example./%C3%BC"],
    functions: { parseScanUrl: scanUrl.parseScanUrl },
    laws: {
      "what is stored may be scanned": isFixed(storedUrl),
      "it holds neither fragment nor credentials": (text) => {
        const url = URL.parse(storedUrl(text) ?? "");
        return url === null || url.hash + url.username + url.password === "";
      },
    },
  },
];
