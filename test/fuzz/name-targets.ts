/** Fuzz targets for names and certificates. */
import * as certificate from "../../src/parse/certificate.ts";
import * as der from "../../src/parse/der.ts";
import * as dns from "../../src/parse/dns.ts";
import * as hostLists from "../../src/parse/host-lists.ts";
import * as integrity from "../../src/parse/integrity.ts";
import * as openHosts from "../../src/parse/open-hosts.ts";
import * as serverKeyExchange from "../../src/parse/server-key-exchange.ts";
import * as sites from "../../src/parse/site.ts";
import * as texts from "../../src/parse/text.ts";
import { selfSigned } from "../support/certificates.ts";
import type { FuzzTarget } from "./target.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");
const certificates = [
  selfSigned({ names: ["*.site.example", "site.example", "192.0.2.1", "2001:db8::1"] }),
  selfSigned({ commonName: "rsa", names: ["a.example"], key: "rsa-1024", hash: "sha1", pss: true }),
].map(({ der: bytes }) => bytes.toString("latin1"));
/** Valid and invalid tags and lengths, and the object identifiers that parsers search for. */
const derTokens = [
  ..."\x00\x01\x02\x03\x04\x05\x06\x30\x31\x80\x81\x82\x84\xa0\xa3\xff",
  "\x30\x80",
  "\x30\x82\x01\x00",
  "\x06\x03\x55\x1d\x11",
  "\x02\x01\x00",
  "\x82\x09a.example",
  "\x87\x04\xc0\x00\x02\x01",
  "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07",
  "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a",
];
const nameTokens = [..."*.-_:[]%/ 0", "site", "example", "com", "co.uk", ".", "xn--", "localhost", "127.0.0.1", "::", "ffff", "\u00fc"];
const names = ["*.site.example", "www.site.co.uk.", "xn--bcher-kva.example", "192.0.2.1", "2001:db8::1", "user.github.io"];
const suffixFile = "// ===BEGIN ICANN DOMAINS===\ncom\nco.uk\n*.example\n!www.example\n// ===END ICANN DOMAINS===\n";
const suffixList = hostLists.parsePublicSuffixes(suffixFile) as hostLists.PublicSuffixes;
const knownLines = new Map([...names].map((name) => [name, "x"]));
/** ASCII names by the last character that was met with each. */
const linesIn = (text: string) => {
  const words = text.split(" ").filter((word) => /^[!-~]+$/.test(word));
  return new Map(words.slice(1).map((word, at) => [words[at] ?? "", word[0] ?? ""]));
};
const knownWords = ["default-src", "script-src", "upgrade-insecure-requests"];

export const nameTargets: readonly FuzzTarget[] = [
  {
    name: "alternative-names",
    tokens: derTokens,
    samples: certificates,
    functions: { alternativeNames: (text) => certificate.alternativeNames(bytesOf(text)) },
  },
  {
    name: "certificate-fields",
    tokens: derTokens,
    samples: certificates,
    functions: {
      certificateFields: (text) => certificate.certificateFields(bytesOf(text)),
      extensionValue: (text) => certificate.extensionValue(certificate.certificateFields(bytesOf(text)), "2.5.29.17"),
    },
  },
  {
    name: "certificate-keys",
    tokens: derTokens,
    samples: certificates,
    functions: {
      certificateKey: (text) => certificate.certificateKey(bytesOf(text)),
      certificateSignature: (text) => certificate.certificateSignature(bytesOf(text)),
    },
    properties: {
      "a key size is never negative": (text) => (certificate.certificateKey(bytesOf(text)).bits ?? 0) >= 0,
    },
  },
  {
    name: "certificate-usage",
    tokens: derTokens,
    samples: certificates,
    functions: { certificateUsage: (text) => certificate.certificateUsage(bytesOf(text)) },
    properties: {
      "an extended key usage is listed at most once": (text) => {
        const { extendedKeyUsage } = certificate.certificateUsage(bytesOf(text));
        return new Set(extendedKeyUsage).size === (extendedKeyUsage?.length ?? 0);
      },
    },
  },
  {
    name: "der",
    tokens: derTokens,
    samples: certificates,
    functions: {
      readDer: (text) => der.readDer(bytesOf(text)),
      derChildren: (text) => der.readDer(bytesOf(text))?.map(der.derChildren),
      objectIdentifier: (text) => der.objectIdentifier({ tag: der.derTags.objectIdentifier, content: bytesOf(text) }),
    },
    properties: {
      "values are never longer than the input": (text) =>
        (der.readDer(bytesOf(text)) ?? []).reduce((sum, { content }) => sum + content.length + 2, 0) <= text.length,
      "an object identifier has only numbers and dots": (text) =>
        /^\d+(\.\d+)+$/.test(der.objectIdentifier({ tag: der.derTags.objectIdentifier, content: bytesOf(text) }) ?? "1.2"),
    },
  },
  {
    name: "dns-name",
    tokens: [...nameTokens, "a".repeat(63), "a".repeat(64)],
    samples: names,
    functions: { fitsDns: dns.fitsDns },
    properties: {
      "the last label of a valid name is valid": (text) => !dns.fitsDns(text) || dns.fitsDns(text.split(".").at(-1) ?? ""),
    },
  },
  {
    name: "host-match",
    tokens: nameTokens,
    samples: names,
    functions: {
      namesCoverHost: (text) => [
        certificate.namesCoverHost([{ kind: "dns", text }], "www.site.example"),
        certificate.namesCoverHost([{ kind: "dns", text: "*.site.example" }], text),
        certificate.namesCoverHost([{ kind: "address", text }], "2001:db8::1"),
      ],
    },
    properties: {
      "a name covers only hosts with as many labels": (text) =>
        !certificate.namesCoverHost([{ kind: "dns", text }], "www.site.example") || text.split(".").length === 3,
    },
  },
  {
    name: "nearest",
    tokens: [..."-", ...knownWords, "src", "insecure"],
    samples: ["defalt-src", "script_src", "upgrade-insecure-request"],
    functions: { nearest: (text) => texts.nearest(text, knownWords), percentDecoded: texts.percentDecoded },
    properties: {
      "a known word is the nearest to itself": (text) => !knownWords.includes(text) || texts.nearest(text, knownWords) === text,
    },
  },
  {
    name: "server-key-exchange",
    tokens: [..."\x00\x01\x02\x03\x04\x17\x1d\xff", "\x00\x02\x81\x01", "\x03\x00\x17\x01\x04", "\x01\x00", "sect163k1", "secp192r1"],
    samples: ["\x00\x02\x81\x01\x00\x01\x02\x00\x01\x07\x04\x01\x00\x00", "\x03\x00\x17\x04\x04\x01\x02\x03", "secp192r1", "sect571r1"],
    functions: {
      finiteFieldPrime: (text) => serverKeyExchange.finiteFieldPrime(bytesOf(text)),
      bitLength: (text) => serverKeyExchange.bitLength(bytesOf(text)),
      namedCurve: (text) => serverKeyExchange.namedCurve(bytesOf(text)),
      isShortCurve: serverKeyExchange.isShortCurve,
      isBinaryCurve: serverKeyExchange.isBinaryCurve,
    },
    properties: {
      "a prime has no leading zero and is within the message": (text) => {
        const prime = serverKeyExchange.finiteFieldPrime(bytesOf(text));
        return prime === null || ((prime[0] ?? 0) > 0 && prime.length <= text.length);
      },
      "a curve has a number of two bytes": (text) => (serverKeyExchange.namedCurve(bytesOf(text)) ?? 0) <= 0xffff,
    },
  },
  {
    name: "pinnable-url",
    tokens: [
      ..."/.-@?=_ ",
      "https://",
      "cdn.example",
      "unpkg.com",
      "v1",
      "3.7.1",
      "3f2a91bc",
      "4a5b6c7d-0123-4567-89ab-0123456789ab",
      "lib.js",
    ],
    heads: ["https://cdn.example/", "https://cdn.example/?a="],
    samples: ["https://cdn.example/lib@3.7.1/x.3f2a91bc.js?ver=1.2", "https://unpkg.com/react"],
    functions: { isPinnableUrl: integrity.isPinnableUrl },
  },
  {
    name: "trustworthy",
    tokens: [..."/.:[]@? ", "http:", "https:", "ws://", "localhost", "127", "::1", "0x7f000001", "example"],
    heads: ["http://", "http://127.", "http://["],
    samples: ["http://a.localhost:8080/", "http://127.0.0.1/", "http://[::1]/"],
    functions: { isLoopbackUrl: sites.isLoopbackUrl, isInsecureUrl: sites.isInsecureUrl },
    properties: {
      "no insecure URL stays on the machine": (text) => !(sites.isInsecureUrl(text) && sites.isLoopbackUrl(text)),
    },
  },
  {
    name: "preload-list",
    tokens: [...nameTokens, "\t1\n", "\t0\n", "\r\n", "\t"],
    samples: ["dev\t1\nsite.example\t0\n", "b.example\t1\r\na.example\t1\r\n"],
    functions: {
      parsePreloadList: hostLists.parsePreloadList,
      preloadCoverage: (text) => hostLists.preloadCoverage({ bytes: Buffer.from("dev\t1\nsite.example\t0\n") }, text),
    },
    properties: {
      "a list covers its first name": (text) => {
        const list = hostLists.parsePreloadList(text);
        return "fault" in list || hostLists.preloadCoverage(list, text.split("\t", 1)[0] ?? "").host;
      },
    },
  },
  {
    name: "sorted-lines",
    tokens: nameTokens,
    samples: names,
    functions: {
      sortedLines: (text) => hostLists.sortedLines(linesIn(text)),
      characterOf: (text) => hostLists.characterOf(hostLists.sortedLines(knownLines), text),
    },
    properties: {
      "every name is found with its character": (text) => {
        const lines = linesIn(text);
        const sorted = hostLists.sortedLines(lines);
        return [...lines].every(([name, character]) => hostLists.characterOf(sorted, name) === character.charCodeAt(0));
      },
    },
  },
  {
    name: "public-suffixes",
    tokens: [...nameTokens, "!", "\n", " ", "// ===BEGIN ICANN DOMAINS===\n", "// ===END ICANN DOMAINS===\n", "// VERSION: 2026-11-01"],
    samples: [suffixFile, suffixFile.replaceAll("ICANN", "PRIVATE"), ...names],
    heads: ["// ===BEGIN ICANN DOMAINS===\n", "a."],
    functions: {
      parsePublicSuffixes: hostLists.parsePublicSuffixes,
      hostPartsIn: (text) => hostLists.hostPartsIn(suffixList, text, true),
    },
    properties: {
      "the suffix ends the domain, and the domain ends the name": (text) => {
        const { hostname, publicSuffix, domain } = hostLists.hostPartsIn(suffixList, text, true);
        if (hostname === null || publicSuffix === null) return hostname === publicSuffix;
        return domain === null ? publicSuffix === hostname : hostname.endsWith(domain) && domain.endsWith(`.${publicSuffix}`);
      },
      "a domain is its own domain": (text) => {
        const { domain } = hostLists.hostPartsIn(suffixList, text, true);
        return domain === null || hostLists.hostPartsIn(suffixList, domain, true).domain === domain;
      },
    },
  },
  {
    name: "site",
    tokens: nameTokens,
    samples: names,
    functions: {
      registrableDomainOf: sites.registrableDomainOf,
      siteOfHost: sites.siteOfHost,
      siteOfUrl: sites.siteOfUrl,
      isRegistrySuffix: sites.isRegistrySuffix,
      isCookieDomainAccepted: (text) => sites.isCookieDomainAccepted(text.slice(0, 40), text.slice(40)),
      isRentedSuffix: sites.isRentedSuffix,
      isOpenBelow: openHosts.isOpenBelow,
      isOpenOrigin: openHosts.isOpenOrigin,
      domainOfTenants: openHosts.domainOfTenants,
      openHostIn: (text) => openHosts.openHostIn({ host: text.slice(0, 40), path: text.slice(40) }),
      hostOf: sites.hostOf,
      embeddedRegistrableDomainOf: sites.embeddedRegistrableDomainOf,
      usePublicSuffixes: () => sites.usePublicSuffixes(null),
      givenPublicSuffixes: sites.givenPublicSuffixes,
    },
    properties: {
      "a registrable domain is its own registrable domain": (text) => {
        const domain = sites.registrableDomainOf(text);
        return domain === null || sites.registrableDomainOf(domain) === domain;
      },
    },
  },
];
