/** Cases of checks as their authors write them, and the evidence of a case: an https page without security headers, plus given facts. */
import type { TSchema } from "@sinclair/typebox";
import type { FindingCode } from "../check/check.ts";
import type { FindingValues } from "../check/verdict.ts";
import type { TextRecords } from "../evidence/dns-facts.ts";
import { type Evidence, failed, type ProbeFailure, type Reading, type ReadingName, read } from "../evidence/evidence.ts";
import { type Facts, factsSchema, readingNames } from "../evidence/facts.ts";
import type { HeaderField, HttpAnswer } from "../evidence/http-facts.ts";
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

export function weakOffer(accepted: readonly string[] = [], others: WeakSuiteOffer["others"] = "refused"): WeakSuiteOffer {
  return { accepted, others };
}

/** Answers by kind; the other kinds are refused. */
export function weakSuiteAnswers(given: Partial<TlsOffersFacts["weakSuites"]> = {}): { readonly weakSuites: TlsOffersFacts["weakSuites"] } {
  return { weakSuites: { ...blankFacts("tlsOffers").weakSuites, ...given } };
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
  const examples = { ...webExamples(url, host, finalUrl), ...nameExamples(host, domain) };
  const readings = Object.fromEntries(
    readingNames.map((name): [ReadingName, Reading<unknown>] => {
      const part = given[name];
      if (typeof part === "string") return [name, failed(part)];
      // As plain objects: a spread of all facts takes the type check seconds.
      const parts: readonly (object | undefined)[] = [blankFacts(name), examples[name], part];
      return [name, read(Object.assign({}, ...parts))];
    }),
  ) as unknown as Omit<Evidence, "subject">;
  const page = readings.page;
  return {
    ...readings,
    page: page.status === "read" && given.headers !== undefined ? read({ ...page.facts, headers: headerFields(given.headers) }) : page,
    subject: { url, host, registrableDomain, scannedAt: given.scannedAt ?? "2026-11-21T12:00:00.000Z" },
  };
}

/** Facts of a reading that found nothing: empty texts and lists, zero, false, null, and the first of several words. */
function blankFacts<N extends ReadingName>(name: N): Facts[N] {
  return blankOf(factsSchema.properties[name]) as Facts[N];
}

function blankOf(schema: TSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  const members: readonly TSchema[] = schema.anyOf ?? [];
  const [first] = members;
  if (first !== undefined) return members.some(({ type }) => type === "null") ? null : blankOf(first);
  if (schema.type === "array") return [];
  if (schema.type === "string") return "";
  if (schema.type !== "object") return schema.type === "integer" ? 0 : false;
  const names: readonly string[] = schema.required ?? [];
  return Object.fromEntries(names.map((name) => [name, blankOf(schema.properties[name])]));
}

/** Facts of a plain https page, as far as they are not blank. */
type Examples = { readonly [N in ReadingName]?: Partial<Facts[N]> };

/** The server refuses everything weak. Port 80 redirects to https. */
function webExamples(url: string, host: string, finalUrl: string): Examples {
  const security = { protocol: "TLS 1.3", cipher: "AES_128_GCM", keyExchange: "", certificateTransparency: "unknown" } as const;
  const plainAnswer = httpAnswer({ url: `http://${host}/`, status: 301, headers: { location: `https://${host}/` } });
  return {
    navigation: { finalUrl, finalStatus: 200, remoteAddress: "192.0.2.1", security: new URL(url).protocol === "https:" ? security : null },
    page: { ...httpAnswer({ url: finalUrl }), mediaType: "text/html" },
    dom: { title: "A page" },
    markup: { outline: { ...blankFacts("markup").outline, title: "A page" } },
    requests: { total: 1 },
    scriptLibraries: { advisoriesDate: "2026-08-22", variablesRead: true },
    plainHttp: { outcome: "answered", answers: [plainAnswer, httpAnswer({ url: `https://${host}/` })] },
    crossOrigin: { url: finalUrl, status: 200, originSent: "https://cross-origin.invalid" },
    tls: {
      host,
      port: 443,
      address: "192.0.2.1",
      negotiated: { protocol: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", alpn: "h2" },
      versions: { "1.0": "refused", "1.1": "refused", "1.2": "accepted", "1.3": "accepted" },
      chain: [certificate(), certificate({ subject: "CN=Example Issuing CA", issuer: "CN=Example Root", names: [] })],
      chainAsSent: true,
      hostMatches: true,
      trusted: true,
      trustedBy: "public",
    },
    tlsOffers: { host, port: 443, dhe: { answer: "refused", group: null }, hybrid: { answer: "refused", group: null } },
  };
}

/** The domain has IPv6 and name servers in two networks, and no mail. */
function nameExamples(host: string, domain: string): Examples {
  return {
    dnsCaa: { asked: [host] },
    dnsIpv6: { host, nameExists: true, addresses: ["2001:db8::1"] },
    dnsNameServers: {
      zone: domain,
      servers: [nameServer("ns1.site.example", "192.0.2.53", "2001:db8:1::53"), nameServer("ns2.site.example", "198.51.100.53")],
    },
    dnssec: { domain, status: "insecure" },
    mailMx: { domain, nameExists: true },
    mailSpf: { domain, own: textRecords(domain) },
    mailDmarc: { domain, walk: [textRecords(`_dmarc.${domain}`)] },
    mailMtaSts: textRecords(`_mta-sts.${domain}`),
    mailMtaStsPolicy: { url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`, status: 404 },
    mailTlsRpt: textRecords(`_smtp._tls.${domain}`),
  };
}

/** Evidence of a case: changes to a plain https page, or captured evidence. */
export type CaseEvidence = EvidenceGiven | Evidence;
/** Description of a case, and its evidence. */
export type Case = readonly [words: string, given: CaseEvidence];
/** `also`: other codes of the same evidence. `values`: values that the finding must quote. */
export type ViolationCase<Code> = readonly [
  words: string,
  given: CaseEvidence,
  expected?: { readonly also?: readonly Code[]; readonly values?: FindingValues },
];

export interface CaseTable<Code extends FindingCode> {
  readonly passed: readonly [Case, ...Case[]];
  /** Empty only for a check that always applies. */
  readonly notApplicable: readonly Case[];
  /** Cases besides failed readings and cut headers, which are added automatically. */
  readonly notChecked?: readonly Case[];
  /** A case for every declared finding. */
  readonly violated: { readonly [C in Code]: readonly [ViolationCase<Code>, ...ViolationCase<Code>[]] };
}

/** Table of a check whose codes are not known to the compiler. */
export type AnyCaseTable = CaseTable<FindingCode>;

/** Complete evidence of a case. */
export function evidenceOf(given: CaseEvidence): Evidence {
  return "subject" in given ? given : evidence(given);
}
