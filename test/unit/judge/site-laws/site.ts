/** A model of a site, and the evidence that a scan of it would gather. The parts of a model agree with each other. */
import type { MailHostDane } from "../../../../src/evidence/dns-facts.ts";
import { type Evidence, read } from "../../../../src/evidence/evidence.ts";
import { type WeakSuiteKind, weakSuiteKinds } from "../../../../src/evidence/limits.ts";
import type { TlsOffersFacts } from "../../../../src/evidence/tls-facts.ts";
import { cookieLine } from "../../../support/cookies.ts";
import {
  answer,
  certificate,
  type EvidenceGiven,
  evidence,
  headerFields,
  textRecords,
  weakOffer,
  weakSuites,
} from "../../../support/evidence.ts";
import { enforcedPolicies } from "./policies.ts";

export const host = "site.example";
export const mailHost = `mail.${host}`;
export const policyHost = `mta-sts.${host}`;

/** Values by lower-case name, one for each field. */
export type Headers = Readonly<Record<string, readonly string[]>>;

export interface SiteCookie {
  readonly name: string;
  /** Attributes as sent, such as `SameSite=None`. */
  readonly attributes: readonly string[];
}

export interface SiteResource {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly kind: "script" | "style" | "other";
  readonly integrity: string | null;
}

export interface SiteTls {
  readonly versions: readonly ("1.0" | "1.1" | "1.2" | "1.3")[];
  readonly cipher: "modern" | "cbc" | "static-rsa";
  /** Kinds of weak suites that TLS 1.2 and older accept beside `cipher`. */
  readonly weakKinds: readonly WeakSuiteKind[];
  /** Bits of the group of DHE suites; null without such suites. */
  readonly dheBits: number | null;
  readonly weakCurve: "secp192r1" | "sect571r1" | null;
  readonly validity: "sound" | "expired" | "ending";
  readonly trusted: boolean;
  readonly hostMatches: boolean;
  readonly keyBits: number;
  readonly signatureHash: "sha256" | "sha1";
  readonly transparency: "compliant" | "not-compliant";
}

export interface Site {
  readonly scheme: "http" | "https";
  readonly headers: Headers;
  /** Policies in meta elements of the head. */
  readonly metaPolicies: readonly string[];
  readonly referrerMeta: string | null;
  readonly resources: readonly SiteResource[];
  /** Version of its script library, one of `libraryVersions`; null without a library. */
  readonly library: string | null;
  /** Scheme of each form's action. */
  readonly forms: readonly ("http" | "https")[];
  /** Method of a form with a password field; null without such a form. */
  readonly passwordForm: "get" | "post" | null;
  readonly cookies: readonly SiteCookie[];
  /** CORS headers of the answer to another origin. */
  readonly cors: Headers;
  readonly tls: SiteTls;
  /** What port 80 does on an https site; on others it has the page. */
  readonly plainHttp: "redirects" | "other-host" | "to-http" | "answers" | "refused";
  readonly preloaded: boolean;
  /** CAA properties as tag and value. */
  readonly caa: readonly (readonly [tag: string, value: string])[];
  readonly dnssec: "secure" | "insecure" | "bogus";
  readonly hasMail: boolean;
  /** Whether the mail host has TLSA records. */
  readonly dane: boolean;
  /** Records by owner: `@`, `_dmarc`, `_mta-sts`, `_smtp._tls`. */
  readonly texts: Readonly<Record<"@" | "_dmarc" | "_mta-sts" | "_smtp._tls", readonly string[]>>;
  /** Body of the MTA-STS policy; null without a policy. */
  readonly mtaStsPolicy: string | null;
  readonly securityTxt: SiteSecurityTxt | null;
}

interface SiteSecurityTxt {
  readonly at: "well-known" | "root";
  readonly contentType: string;
  readonly body: string;
  /** Certificate of another host that the file is redirected to; null without a redirect. */
  readonly redirectedTo: "accepted" | "refused" | null;
}

/** Oldest first; the last one has no advisory. */
export const libraryVersions: readonly string[] = ["1.12.4", "3.4.1", "3.5.0", "3.7.0"];
const advisories = (["high", "medium", "low"] as const).map((severity, at) => ({
  atOrAbove: null,
  below: libraryVersions[at + 1] ?? "",
  excludes: [],
  severity,
  identifiers: [`CVE-2020-100${at}`],
}));

const scannedAt = "2026-11-21T12:00:00.000Z";
const certificateDates: Readonly<Record<SiteTls["validity"], string>> = {
  sound: "2026-12-30T00:00:00.000Z",
  ending: "2026-11-25T00:00:00.000Z",
  expired: "2026-11-01T00:00:00.000Z",
};

/** Evidence of a scan of `<scheme>://site.example/`. */
export function evidenceOf(site: Site): Evidence {
  const { scheme, headers, tls, preloaded, passwordForm } = site;
  const url = `${scheme}://${host}/`;
  const { url: _url, ...page } = answer({ url, headers });
  return evidence({
    url,
    scannedAt,
    navigation: { finalUrl: url, security: scheme === "https" ? negotiated(tls) : null },
    page: { ...page, setCookies: site.cookies.map((cookie) => cookieLine(lineOf(cookie), { overHttps: scheme === "https" })) },
    dom: {
      metas: metasOf(site),
      subresources: site.resources.map((resource) => ({
        url: urlOf(resource),
        kind: resource.kind,
        integrity: resource.integrity,
        crossOrigin: resource.integrity === null ? null : "anonymous",
        sameSite: resource.host === host,
        sameOrigin: resource.host === host && resource.scheme === scheme,
      })),
      forms: site.forms.map((formScheme) => ({ action: `${formScheme}://${host}/in`, method: "post" })),
    },
    markup:
      passwordForm === null
        ? {}
        : { passwordFields: 1, passwordForms: [{ action: `${scheme}://${host}/in`, method: passwordForm, submitters: [] }] },
    requests: { total: 1 + site.resources.length, insecure: scheme === "https" ? insecureRequests(site) : [] },
    scriptLibraries: {
      libraries: site.library === null ? [] : [{ name: "jquery", version: site.library, detectedBy: ["page"], url: null, advisories }],
    },
    hstsPreload: { hostPreloaded: preloaded, registrableDomainPreloaded: preloaded },
    plainHttp: plainHttpOf(site),
    tls: tlsFactsOf(tls),
    tlsOffers: tlsOffersOf(tls),
    crossOrigin: { headers: headerFields(site.cors) },
    dnssec: { status: site.dnssec },
    ...(site.dnssec === "bogus" ? unresolved : recordsOf(site)),
    securityTxt: { attempts: attemptsOf(site) },
  });
}

/** Validating resolvers refuse every answer of a domain whose signatures are broken. */
const unresolved = {
  dnsCaa: "unresolved",
  mailMx: "unresolved",
  mailSpf: "unresolved",
  mailDmarc: "unresolved",
  mailMtaSts: "unresolved",
  mailMtaStsPolicy: "unresolved",
  mailTlsRpt: "unresolved",
  mailDane: "unresolved",
} as const;

function recordsOf(site: Site): EvidenceGiven {
  const { texts, hasMail } = site;
  return {
    dnsCaa: {
      foundAt: site.caa.length > 0 ? host : null,
      records: site.caa.map(([tag, value]) => ({ critical: false, tag, value, truncated: false })),
    },
    mailMx: { exchangers: hasMail ? [{ preference: 10, host: mailHost }] : [] },
    mailSpf: { own: textRecords(host, ...texts["@"]) },
    mailDmarc: { walk: [textRecords(`_dmarc.${host}`, ...texts._dmarc)] },
    mailMtaSts: textRecords(`_mta-sts.${host}`, ...texts["_mta-sts"]),
    mailMtaStsPolicy:
      site.mtaStsPolicy === null
        ? { unavailableBecause: "no-host", status: 0 }
        : { status: 200, contentType: "text/plain", body: site.mtaStsPolicy },
    mailTlsRpt: textRecords(`_smtp._tls.${host}`, ...texts["_smtp._tls"]),
    mailDane: { hosts: hasMail ? [{ host: mailHost, answer: read(daneOf(site)) }] : [] },
  };
}

/** TLSA records of the mail host; senders ask for them only in signed zones. */
function daneOf({ dnssec, dane }: Site): MailHostDane {
  const isSigned = dnssec === "secure";
  const record = { usage: 3, selector: 1, matchingType: 1, data: "ab".repeat(32), dataBytes: 32 };
  return {
    zone: isSigned ? "signed" : "unsigned",
    name: isSigned ? `_25._tcp.${mailHost}` : null,
    authentic: isSigned,
    records: isSigned && dane ? [record] : [],
    recordsDropped: 0,
  };
}

export function lineOf({ name, attributes }: SiteCookie): string {
  return [`${name}=<redacted>`, ...attributes].join("; ");
}

/** Names a version, so that its content can be pinned. */
export function urlOf({ scheme, host: at, kind }: SiteResource): string {
  return `${scheme}://${at}/1.2.3/${kind}`;
}

function metasOf({ metaPolicies, referrerMeta }: Site) {
  const policies = metaPolicies.map((content) => ({ httpEquiv: "content-security-policy", name: null, content, truncated: false }));
  const referrer = referrerMeta === null ? [] : [{ httpEquiv: null, name: "referrer", content: referrerMeta, truncated: false }];
  return [...policies, ...referrer];
}

/** Browsers upgrade these requests if a policy says so; otherwise they block scripts and styles, and load images. */
function insecureRequests(site: Site) {
  const upgrades = enforcedPolicies(site).some((policy) => policy.has("upgrade-insecure-requests"));
  return site.resources
    .filter(({ scheme }) => scheme === "http")
    .map((resource) => ({
      url: urlOf(resource),
      kind: { script: "script", style: "stylesheet", other: "image" }[resource.kind],
      outcome: upgrades ? ("upgraded" as const) : resource.kind === "other" ? ("loaded" as const) : ("blocked" as const),
    }));
}

function negotiated({ versions, cipher, transparency }: SiteTls) {
  const certificateTransparency = transparency;
  if (versions.includes("1.3")) return { protocol: "TLS 1.3", cipher: "AES_128_GCM", keyExchange: "", certificateTransparency };
  const keyExchange = cipher === "static-rsa" ? "RSA" : "ECDHE_RSA";
  return { protocol: "TLS 1.2", cipher: cipher === "modern" ? "AES_128_GCM" : "AES_128_CBC", keyExchange, certificateTransparency };
}

function tlsFactsOf({ versions, validity, trusted, hostMatches, keyBits, signatureHash }: SiteTls) {
  const stateOf = (version: SiteTls["versions"][number]) => (versions.includes(version) ? ("accepted" as const) : ("refused" as const));
  const leaf = certificate({ validTo: certificateDates[validity], keyType: "rsa", keyBits, rsaExponent: "10001", signatureHash });
  return {
    versions: { "1.0": stateOf("1.0"), "1.1": stateOf("1.1"), "1.2": stateOf("1.2"), "1.3": stateOf("1.3") },
    chain: [leaf, certificate({ subject: "CN=Example Issuing CA", issuer: "CN=Example Root", names: [] })],
    hostMatches,
    trusted,
    trustedBy: trusted ? ("public" as const) : null,
    untrustedBecause: trusted ? null : "DEPTH_ZERO_SELF_SIGNED_CERT",
  };
}

/** The suites that browsers negotiate in TLS 1.2, by the model's name. */
const negotiatedSuites = { modern: null, cbc: ["cbc", "ECDHE-RSA-AES128-SHA"], "static-rsa": ["staticKey", "AES128-SHA"] } as const;

function tlsOffersOf({ versions, cipher, weakKinds, dheBits, weakCurve }: SiteTls): Partial<TlsOffersFacts> {
  if (!versions.some((version) => version !== "1.3")) return {};
  const [ownKind, ownSuite] = negotiatedSuites[cipher] ?? [];
  const acceptedOf = (kind: WeakSuiteKind) => [
    ...(kind === ownKind ? [ownSuite] : []),
    ...(weakKinds.includes(kind) ? [`${kind}-suite`] : []),
  ];
  return {
    ...weakSuites(Object.fromEntries(weakSuiteKinds.map((kind) => [kind, weakOffer(acceptedOf(kind))]))),
    dhe: dheBits === null ? { answer: "refused", group: null } : { answer: "accepted", group: { bits: dheBits, primeSha256: "" } },
    weakCurves: { accepted: weakCurve === null ? [] : [weakCurve], others: "refused" },
  };
}

function plainHttpOf({ scheme, plainHttp, headers }: Site) {
  if (plainHttp === "refused" && scheme === "https") return { outcome: "refused" as const, answers: [] };
  const targets = {
    redirects: `https://${host}/`,
    "other-host": `https://www.${host}/`,
    "to-http": `http://www.${host}/`,
    answers: null,
    refused: null,
  };
  const target = scheme === "http" ? null : targets[plainHttp];
  const first = answer({
    url: `http://${host}/`,
    status: target === null ? 200 : 301,
    headers: target === null ? {} : { location: target },
  });
  return { answers: target === null ? [first] : [first, answer({ url: target, headers })] };
}

function attemptsOf({ securityTxt }: Site) {
  const [wellKnown, root] = [`https://${host}/.well-known/security.txt`, `https://${host}/security.txt`];
  const missing = { url: wellKnown, finalUrl: wellKnown, status: 404, contentType: null, body: "", truncated: false };
  if (securityTxt === null) return [missing];
  const { at, contentType, body, redirectedTo } = securityTxt;
  const url = at === "root" ? root : wellKnown;
  const own = { url, certificate: "accepted" as const };
  const hops = redirectedTo === null ? [own] : [own, { url: `https://files.${host}/security.txt`, certificate: redirectedTo }];
  const file = { url, finalUrl: hops.at(-1)?.url ?? url, status: 200, contentType, body, truncated: false, hops };
  return at === "root" ? [missing, file] : [file];
}
