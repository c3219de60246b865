/** What each probe may see, as plain bounded JSON: as seen on the wire, never interpreted. */
import type { ProbeFailure, Reading } from "./evidence.ts";

/** One header field as received; RFC 9110 section 5.3 allows a name to repeat, so order and duplicates stay. */
export interface HeaderField {
  readonly name: string;
  /** At most `headerValueCharsMax` characters. */
  readonly value: string;
  /** True when the value was longer than the limit and is stored cut. */
  readonly truncated: boolean;
}

/** One answer of a server. */
export interface HttpAnswer {
  /** Absolute URL that was asked. */
  readonly url: string;
  readonly status: number;
  readonly headers: readonly HeaderField[];
  /** How many header fields were left out because there were more than `headerFieldsMax`. */
  readonly headersDropped: number;
}

/** A redirect answer. `internal` ones were made up by the browser (an HSTS upgrade), no server sent them. */
export interface Hop extends HttpAnswer {
  readonly internal: boolean;
}

/** How the browser got to the page. */
export interface NavigationFacts {
  /** Redirect answers in order; empty when the first URL answered itself. */
  readonly hops: readonly Hop[];
  readonly finalUrl: string;
  readonly finalStatus: number;
  /** The address that the egress guard pinned for the final host, or null when the browser was not asked to dial. */
  readonly remoteAddress: string | null;
  /** What the browser negotiated with the final host; null over plain http. */
  readonly security: {
    /** As Chromium names it, for example `TLS 1.3`. */
    readonly protocol: string;
    readonly cipher: string;
    /** Key exchange of TLS 1.2 and older; empty for TLS 1.3. */
    readonly keyExchange: string;
    readonly certificateTransparency: "compliant" | "not-compliant" | "unknown";
  } | null;
}

/** One Set-Cookie line of a first-party response, its value replaced by `<redacted>`. */
export interface SetCookieLine {
  /** Host that sent the line. */
  readonly host: string;
  /** Whether it came over https. */
  readonly overHttps: boolean;
  /** Name, `=`, `<redacted>` and the attributes as sent; at most `headerValueCharsMax` characters. */
  readonly line: string;
  readonly truncated: boolean;
}

/** The answer that the main document came with. */
export interface PageFacts extends HttpAnswer {
  /** Lower-case media type without parameters, as the browser understood it, at most `headerValueCharsMax` characters; null when none was sent. */
  readonly mediaType: string | null;
  /** Lines of the main document and its redirects in order of arrival, then those of first-party subresources in order of their URLs. */
  readonly setCookies: readonly SetCookieLine[];
  /** Lines left out because there were more than `setCookieLinesMax`. */
  readonly setCookiesDropped: number;
}

export interface MetaElement {
  /** Lower-case `http-equiv`, or null. */
  readonly httpEquiv: string | null;
  /** Lower-case `name`, or null. */
  readonly name: string | null;
  readonly content: string;
  readonly truncated: boolean;
}

export interface Subresource {
  readonly url: string;
  /** Element kind, not file type. */
  readonly kind: "script" | "style" | "preload" | "other";
  /** The integrity attribute as written, or null when absent. */
  readonly integrity: string | null;
  /** The crossorigin attribute as written (`""` counts as anonymous), or null when absent. */
  readonly crossOrigin: string | null;
  /** Same registrable domain as the page. */
  readonly sameSite: boolean;
  /** Same scheme, host and port as the page. */
  readonly sameOrigin: boolean;
}

/** The document as the browser built it, after load and settling. */
export interface DomFacts {
  /** Only http-equiv content-security-policy* in the head, and content-type, name referrer, and charset (as `name: "charset"`). */
  readonly metas: readonly MetaElement[];
  readonly metasDropped: number;
  readonly subresources: readonly Subresource[];
  readonly subresourcesDropped: number;
  /** Absolute action URL of each form, in document order. */
  readonly forms: readonly { readonly action: string; readonly method: string }[];
  readonly formsDropped: number;
  readonly title: string;
}

/** What the page asked for besides the main document. */
export interface RequestsFacts {
  readonly total: number;
  /** Requests to plain http (or ws) from a page served over https. */
  readonly insecure: readonly {
    readonly url: string;
    /** Chromium's resource type in lower case: script, stylesheet, image, media, font, xhr, fetch, websocket, document ... */
    readonly kind: string;
    readonly outcome: "loaded" | "blocked" | "upgraded";
  }[];
  readonly insecureDropped: number;
  /** Subresources that the browser refused because their integrity did not match. */
  readonly integrityBlocked: readonly string[];
}

/** Whether Chromium's built-in HSTS preload list covers a name. */
export interface HstsPreloadFacts {
  readonly hostPreloaded: boolean;
  readonly registrableDomainPreloaded: boolean;
}

/** The same address asked over plain http on port 80 by our own client: a browser upgrades preloaded hosts by itself. */
export interface PlainHttpFacts {
  /** `custom-port`: not asked, because the scanned URL names a port of its own. `refused`: nothing listens, so nothing is served in plain text. */
  readonly outcome: "custom-port" | "refused" | "answered";
  /** The redirect answers in order and the first answer that is none; empty unless answered. Followed for `hopsMax` answers. */
  readonly answers: readonly HttpAnswer[];
  /** Why following stopped before an answer that is no redirect; null when such an answer came. */
  readonly stoppedBecause: "too-many-hops" | "connection-failed" | "bad-location" | null;
}

export type TlsVersion = "1.0" | "1.1" | "1.2" | "1.3";
/** `unknown`: neither a completed hello nor a definite refusal was seen. */
export type TlsVersionAnswer = "accepted" | "refused" | "unknown";

export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and IP addresses of the subjectAltName extension, at most `certificateNamesMax`. */
  readonly names: readonly string[];
  readonly namesDropped: number;
  /** ISO 8601, UTC. */
  readonly validFrom: string;
  readonly validTo: string;
  /** `rsa`, `rsa-pss`, `ec`, `ed25519`, `ed448` or `dsa`; null for any other kind. */
  readonly keyType: string | null;
  /** Of the modulus, the curve or the prime; null when it cannot be told, for a curve that few use for example. */
  readonly keyBits: number | null;
  /** OpenSSL's name of the curve, or its dotted identifier; null for other kinds. */
  readonly curve: string | null;
  /** RSA's public exponent in lower-case hex, `10001` as a rule, at most `certificateNameCharsMax` characters; null for other kinds. */
  readonly rsaExponent: string | null;
  /** As OpenSSL names it, for example `sha256WithRSAEncryption`, or the dotted identifier; null when it cannot be read. */
  readonly signatureAlgorithm: string | null;
  /** The hash that was signed, for example `sha256`; for RSASSA-PSS the one of its parameters. Null for an algorithm that is not known. */
  readonly signatureHash: string | null;
  readonly serialNumber: string;
  /** SHA-256 of the DER form, lower-case hex without colons. */
  readonly fingerprint: string;
  /** Subject and issuer are the same name and the key verifies the signature, or is named by it where the runtime cannot verify it. */
  readonly selfSigned: boolean;
  /** One of the roots that the scan trusts: nobody has to believe its signature. */
  readonly trustAnchor: boolean;
}

/** One TLS endpoint: the host that served the page, or the scanned host when there is none. */
export interface TlsFacts {
  readonly host: string;
  readonly port: number;
  /** The address that was judged. */
  readonly address: string;
  readonly negotiated: { readonly protocol: string; readonly cipher: string; readonly alpn: string | null };
  readonly versions: Readonly<Record<TlsVersion, TlsVersionAnswer>>;
  /** Leaf first. */
  readonly chain: readonly CertificateFacts[];
  readonly certificatesDropped: number;
  /** True when `chain` is what the server sent; false when it is the path that the runtime built. */
  readonly chainAsSent: boolean;
  /** A subjectAltName covers the host (RFC 9525; the common name does not count). */
  readonly hostMatches: boolean;
  /** Does the chain build to a root of the bundled store, of the system or of the operator's CA files? Dates and names are left aside. */
  readonly trusted: boolean;
  /** `public`: a path ends at a root of the bundled store. `operator`: only at one of the system or the operator's CA files. Null when not trusted. */
  readonly trustedBy: "public" | "operator" | null;
  /** The runtime's code for why not, for example `DEPTH_ZERO_SELF_SIGNED_CERT`; null when trusted. */
  readonly untrustedBecause: string | null;
}

/** The scanned page asked once by GET with a foreign Origin; RFC 6454, Fetch standard section 3.2. */
export interface CrossOriginFacts {
  readonly url: string;
  readonly status: number;
  readonly originSent: string;
  /** Only the access-control-* fields, vary, and content-security-policy: whether a nonce is new on this second load. */
  readonly headers: readonly HeaderField[];
}

/** Certification authority authorisation, RFC 8659. */
export interface DnsCaaFacts {
  /** The name at which the climb found records, or null when the whole tree has none. */
  readonly foundAt: string | null;
  readonly records: readonly { readonly critical: boolean; readonly tag: string; readonly value: string; readonly truncated: boolean }[];
  readonly recordsDropped: number;
  /** Names asked, in order. */
  readonly asked: readonly string[];
}

/** One question for text records (TXT) and what came back. */
export interface TextRecords {
  /** The name that was asked. */
  readonly name: string;
  /** False when there is no such name at all (NXDOMAIN, RFC 8020). */
  readonly nameExists: boolean;
  /** The strings of a record joined without a space (RFC 7208 section 3.3), at most `dnsRecordCharsMax` characters. */
  readonly records: readonly { readonly text: string; readonly truncated: boolean }[];
  readonly recordsDropped: number;
}

/** What a validating resolver makes of the registrable domain. A reading that failed as `unsupported`: the resolver does not validate. */
export interface DnssecFacts {
  readonly domain: string;
  /** RFC 4033 section 5, as told by AD; `bogus`: refused, but answered with checking disabled (CD). */
  readonly status: "secure" | "insecure" | "bogus";
  /** Of a bogus domain: what a resolver has to go by, as it is handed out with checking disabled. Null for others, and where it could not be read. */
  readonly unchecked: {
    /** RFC 4034 appendix B. */
    readonly dsKeyTags: readonly number[];
    readonly zoneKeyTags: readonly number[];
    readonly signatures: readonly {
      readonly covers: "SOA" | "DNSKEY";
      /** ISO 8601, UTC. */
      readonly validTo: string;
    }[];
  } | null;
}

/** Where mail for the registrable domain goes. */
export interface MailMxFacts {
  readonly domain: string;
  readonly nameExists: boolean;
  /** Lower-case host names without a trailing dot; an empty one is the null MX of RFC 7505. */
  readonly exchangers: readonly { readonly preference: number; readonly host: string }[];
  readonly exchangersDropped: number;
}

/** Sender Policy Framework, RFC 7208: the text records of the domain, and the answers that evaluating its record needs. */
export interface MailSpfFacts {
  readonly domain: string;
  /** Of the domain itself; SPF records are among them. */
  readonly own: TextRecords;
  /** Each name and type once, in the order of asking. `MX` holds host names, `A` counts addresses of both families. */
  readonly followed: readonly {
    readonly name: string;
    readonly type: "TXT" | "A" | "MX";
    readonly answer: Reading<{
      readonly nameExists: boolean;
      readonly records: readonly { readonly text: string; readonly truncated: boolean }[];
    }>;
  }[];
  /** Questions that were not put because there were more than `spfQuestionsMax`. */
  readonly followedDropped: number;
}

/** DMARC, RFC 9989: the names of the tree walk with their text records, and whether foreign receivers of reports agree. */
export interface MailDmarcFacts {
  readonly domain: string;
  /** The walk from `_dmarc.<domain>` upwards, and what that of the scanned host asks beyond it, each until it ends (RFC 9989 section 4.10). */
  readonly walk: readonly TextRecords[];
  /** Why the walk of the scanned host stopped before its end; null when it did not. That of the domain always ends. */
  readonly hostUnread: ProbeFailure | null;
  /** RFC 9990 section 4: `<policy domain>._report._dmarc.<receiver>` for each receiver outside of the organisation. */
  readonly reportReceivers: readonly { readonly domain: string; readonly answer: Reading<TextRecords> }[];
  readonly reportReceiversDropped: number;
}

/** The policy file of MTA-STS, RFC 8461 section 3.3. */
export interface MailMtaStsPolicyFacts {
  readonly url: string;
  /** Why there is no answer although that is the site's own doing: it then has no policy. */
  readonly unavailableBecause: "no-host" | "refused" | "certificate-not-accepted" | null;
  /** Zero without an answer. A redirect is an answer: it must not be followed. */
  readonly status: number;
  readonly contentType: string | null;
  /** Kept only for status 200; at most `mtaStsPolicyBytesMax` bytes, invalid UTF-8 replaced. */
  readonly body: string;
  readonly truncated: boolean;
}

/** security.txt, RFC 9116: the well-known place first, the old place only when that has none and it answered. */
export interface SecurityTxtFacts {
  readonly attempts: readonly {
    readonly url: string;
    /** Where redirects led; equals `url` when there were none. */
    readonly finalUrl: string;
    readonly status: number;
    readonly contentType: string | null;
    /** Kept only for status 200; at most `wellKnownBytesMax` bytes, invalid UTF-8 replaced. */
    readonly body: string;
    readonly truncated: boolean;
  }[];
}

/** Every reading by name. A probe that asks several questions gives a reading for each, since each can fail alone. */
export interface Facts {
  readonly navigation: NavigationFacts;
  readonly page: PageFacts;
  readonly dom: DomFacts;
  readonly requests: RequestsFacts;
  readonly hstsPreload: HstsPreloadFacts;
  readonly plainHttp: PlainHttpFacts;
  readonly tls: TlsFacts;
  readonly crossOrigin: CrossOriginFacts;
  readonly dnsCaa: DnsCaaFacts;
  readonly securityTxt: SecurityTxtFacts;
  readonly dnssec: DnssecFacts;
  readonly mailMx: MailMxFacts;
  readonly mailSpf: MailSpfFacts;
  readonly mailDmarc: MailDmarcFacts;
  /** `_mta-sts.<domain>`. */
  readonly mailMtaSts: TextRecords;
  /** Asked for only where `mailMtaSts` has a record. */
  readonly mailMtaStsPolicy: MailMtaStsPolicyFacts;
  /** `_smtp._tls.<domain>`. */
  readonly mailTlsRpt: TextRecords;
}
