/** Builds evidence for cases of checks: an https page without security headers, plus the facts of the case. */

import type { TextRecords } from "../evidence/dns-facts.ts";
import { type Evidence, failed, type ProbeFailure, type Reading, type ReadingName, read } from "../evidence/evidence.ts";
import type { Facts } from "../evidence/facts.ts";
import type { HeaderField, HttpAnswer } from "../evidence/http-facts.ts";
import { weakSuiteKinds } from "../evidence/limits.ts";
import type { CertificateFacts, TlsOffersFacts, WeakSuiteOffer } from "../evidence/tls-facts.ts";
import { hostOf } from "../parse/site.ts";

/** Header values by name; an array for a repeated header. */
export type HeadersGiven = Readonly<Record<string, string | readonly string[]>>;

export type EvidenceGiven = {
  readonly url?: string;
  readonly registrableDomain?: string | null;
  readonly scannedAt?: string;
  /** Headers of the final page. */
  readonly headers?: HeadersGiven;
} & { readonly [N in ReadingName]?: Partial<Facts[N]> | ProbeFailure };

export function headerFields(headers: HeadersGiven): readonly HeaderField[] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value, truncated: false })));
}

/** An answer without headers, plus the given fields. */
export function httpAnswer(
  given: Partial<Omit<HttpAnswer, "headers">> & { readonly url: string; readonly headers?: HeadersGiven },
): HttpAnswer {
  return { status: 200, headersDropped: 0, ...given, headers: headerFields(given.headers ?? {}) };
}

export function certificate(given: Partial<CertificateFacts> = {}): CertificateFacts {
  return {
    subject: "CN=site.example",
    issuer: "CN=Example Issuing CA",
    names: ["site.example"],
    namesDropped: 0,
    validFrom: "2026-10-01T00:00:00.000Z",
    validTo: "2026-12-30T00:00:00.000Z",
    keyType: "ec",
    keyBits: 256,
    curve: "prime256v1",
    rsaExponent: null,
    signatureAlgorithm: "ecdsa-with-SHA256",
    signatureHash: "sha256",
    serialNumber: "01",
    fingerprint: "00".repeat(32),
    selfSigned: false,
    trustAnchor: false,
    ...given,
  };
}

/** A server that refuses everything weak. */
function tlsOffers(host: string): TlsOffersFacts {
  const refused = Object.fromEntries(weakSuiteKinds.map((kind) => [kind, weakOffer()]));
  return {
    host,
    port: 443,
    weakSuites: refused as unknown as TlsOffersFacts["weakSuites"],
    dhe: { answer: "refused", group: null },
    weakCurves: { accepted: [], others: "refused" },
    hybrid: { answer: "refused", group: null },
  };
}

export function weakOffer(accepted: readonly string[] = [], others: WeakSuiteOffer["others"] = "refused"): WeakSuiteOffer {
  return { accepted, others };
}

/** Answers by kind; the other kinds are refused. */
export function weakSuiteAnswers(given: Partial<TlsOffersFacts["weakSuites"]> = {}): { readonly weakSuites: TlsOffersFacts["weakSuites"] } {
  return { weakSuites: { ...tlsOffers("").weakSuites, ...given } };
}

/** DNS answer with these TXT records; without texts, the name exists but has none. */
export function textRecords(name: string, ...texts: readonly string[]): TextRecords {
  return { name, nameExists: true, records: texts.map((text) => ({ text, truncated: false })), recordsDropped: 0 };
}

/** A name server with these addresses. */
export function nameServer(host: string, ...addresses: readonly string[]): Facts["dnsNameServers"]["servers"][number] {
  const isIpv6 = (address: string) => address.includes(":");
  return { host, ipv4: read(addresses.filter((address) => !isIpv6(address))), ipv6: read(addresses.filter(isIpv6)) };
}

/** Evidence of `https://site.example/` with changes. A string in place of a reading is its failure. */
export function evidence(given: EvidenceGiven = {}): Evidence {
  const url = given.url ?? "https://site.example/";
  const host = hostOf(url) ?? "";
  const finalUrl = typeof given.navigation === "object" ? (given.navigation.finalUrl ?? url) : url;
  const registrableDomain = given.registrableDomain === undefined ? "site.example" : given.registrableDomain;
  const domain = registrableDomain ?? host;
  const base: Facts = {
    ...pageBase(url, finalUrl),
    ...httpBase(host, finalUrl),
    ...tlsBase(host),
    ...dnsBase(host, domain),
    ...mailBase(domain),
  };
  const readings = Object.fromEntries(
    (Object.keys(base) as ReadingName[]).map((name): [ReadingName, Reading<unknown>] => {
      const part = given[name];
      return [name, typeof part === "string" ? failed(part) : read({ ...base[name], ...part })];
    }),
  ) as unknown as Omit<Evidence, "subject">;
  const page = readings.page;
  return {
    ...readings,
    page: page.status === "read" && given.headers !== undefined ? read({ ...page.facts, headers: headerFields(given.headers) }) : page,
    subject: { url, host, registrableDomain, scannedAt: given.scannedAt ?? "2026-11-21T12:00:00.000Z" },
  };
}

type PageName = "navigation" | "page" | "dom" | "markup" | "requests" | "scripts" | "scriptLibraries" | "hstsPreload";

function pageBase(url: string, finalUrl: string): Pick<Facts, PageName> {
  const security = { protocol: "TLS 1.3", cipher: "AES_128_GCM", keyExchange: "", certificateTransparency: "unknown" } as const;
  return {
    navigation: {
      hops: [],
      finalUrl,
      finalStatus: 200,
      remoteAddress: "192.0.2.1",
      security: new URL(url).protocol === "https:" ? security : null,
    },
    page: { ...httpAnswer({ url: finalUrl }), mediaType: "text/html", setCookies: [], setCookiesDropped: 0 },
    dom: { metas: [], metasDropped: 0, subresources: [], subresourcesDropped: 0, forms: [], formsDropped: 0, title: "A page" },
    markup: {
      formActions: [],
      formActionsDropped: 0,
      passwordFields: 0,
      passwordForms: [],
      passwordFormsDropped: 0,
      generators: [],
      generatorsDropped: 0,
      icons: [],
      outline: { title: "A page", heading: "", bodyElements: [], links: [], lastLink: null },
    },
    requests: { total: 1, insecure: [], insecureDropped: 0, integrityBlocked: [] },
    scripts: { files: [], filesDropped: 0 },
    scriptLibraries: { advisoriesDate: "2026-08-22", libraries: [], librariesDropped: 0, bannersUnread: 0, variablesRead: true },
    hstsPreload: { hostPreloaded: false, registrableDomainPreloaded: false },
  };
}

/** Port 80 redirects to https. */
function httpBase(host: string, finalUrl: string): Pick<Facts, "plainHttp" | "crossOrigin" | "securityTxt"> {
  const plainAnswer = httpAnswer({ url: `http://${host}/`, status: 301, headers: { location: `https://${host}/` } });
  return {
    plainHttp: { outcome: "answered", answers: [plainAnswer, httpAnswer({ url: `https://${host}/` })], stoppedBecause: null },
    crossOrigin: { url: finalUrl, status: 200, originSent: "https://cross-origin.invalid", headers: [] },
    securityTxt: { attempts: [] },
  };
}

function tlsBase(host: string): Pick<Facts, "tls" | "tlsOffers"> {
  return {
    tls: {
      host,
      port: 443,
      address: "192.0.2.1",
      negotiated: { protocol: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", alpn: "h2" },
      versions: { "1.0": "refused", "1.1": "refused", "1.2": "accepted", "1.3": "accepted" },
      chain: [certificate(), certificate({ subject: "CN=Example Issuing CA", issuer: "CN=Example Root", names: [] })],
      certificatesDropped: 0,
      chainAsSent: true,
      hostMatches: true,
      trusted: true,
      trustedBy: "public",
      untrustedBecause: null,
    },
    tlsOffers: tlsOffers(host),
  };
}

function dnsBase(host: string, domain: string): Pick<Facts, "dnsCaa" | "dnsIpv6" | "dnsNameServers" | "dnssec"> {
  return {
    dnsCaa: { foundAt: null, records: [], recordsDropped: 0, asked: [host] },
    dnsIpv6: { host, nameExists: true, addresses: ["2001:db8::1"] },
    dnsNameServers: {
      zone: domain,
      servers: [nameServer("ns1.site.example", "192.0.2.53", "2001:db8:1::53"), nameServer("ns2.site.example", "198.51.100.53")],
      serversDropped: 0,
    },
    dnssec: { domain, status: "insecure", unchecked: null },
  };
}

type MailName = "mailMx" | "mailSpf" | "mailDmarc" | "mailMtaSts" | "mailMtaStsPolicy" | "mailTlsRpt" | "mailDane";

/** A domain without mail. */
function mailBase(domain: string): Pick<Facts, MailName> {
  return {
    mailMx: { domain, nameExists: true, exchangers: [], exchangersDropped: 0 },
    mailSpf: { domain, own: textRecords(domain), followed: [], followedDropped: 0 },
    mailDmarc: { domain, walk: [textRecords(`_dmarc.${domain}`)], hostUnread: null, reportReceivers: [], reportReceiversDropped: 0 },
    mailMtaSts: textRecords(`_mta-sts.${domain}`),
    mailMtaStsPolicy: {
      url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`,
      unavailableBecause: null,
      status: 404,
      contentType: null,
      body: "",
      truncated: false,
    },
    mailTlsRpt: textRecords(`_smtp._tls.${domain}`),
    mailDane: { hosts: [], hostsDropped: 0 },
  };
}
