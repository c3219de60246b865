/** Limits on the data that a scan stores: sizes, and lists of the only allowed words. An attacker controls all of it. */

/** Seconds until a scan is ended as failed, unless the operator sets another limit. */
export const scanSecondsDefault = 90;
/** Characters of a header value. Longer values are cut, and checks that read them return `notChecked` (specification, section 8). */
export const headerValueCharsMax = 512;
/** Highest limit that the operator may set in its place. */
export const headerValueCharsMaxHighest = 16_384;
/** Header fields per response; browsers stop at a few hundred. */
export const headerFieldsMax = 200;
/** Characters of a header field's name. */
export const headerNameCharsMax = 128;
/** Set-Cookie lines per page load. */
export const setCookieLinesMax = 100;
/** Characters of the Set-Cookie lines of one answer, of which a page load can have thousands. */
export const setCookieCharsPerAnswerMax = setCookieLinesMax * headerValueCharsMax;
/** Redirect answers per chain; Chromium stops at 20. */
export const hopsMax = 20;
/** Characters of any URL in evidence. */
export const urlCharsMax = 2_048;
/** Characters of the title of a document. */
export const titleCharsMax = 200;
/** Characters of a short attribute, such as crossorigin. */
export const attributeCharsMax = 64;
/** Meta elements per document. */
export const metaElementsMax = 50;
/** Scripts, style sheets and similar subresources per document. */
export const subresourcesMax = 500;
/** Characters of an integrity attribute; three SHA-512 hashes fit. */
export const integrityCharsMax = 512;
/** Forms per document. */
export const formsMax = 100;
/** Forms with a password field per document. */
export const passwordFormsMax = 20;
/** Submit buttons of one of these forms. */
export const submittersMax = 10;
/** Meta elements named generator. */
export const generatorsMax = 5;
/** Link elements of type icon. */
export const iconsMax = 10;
/** First elements in the body of a document. */
export const bodyElementsMax = 8;
/** First links of a document. */
export const linksMax = 16;
/** Characters of a method, a generator, a title, a heading, the name of an element, or a link. */
export const markupTextCharsMax = 200;
/** Insecure requests per page load. */
export const insecureRequestsMax = 100;
/** Script files per page load. */
export const scriptFilesMax = 200;
export const cspViolationsMax = 100;
/** Scripts and style sheets of other sites. */
export const otherSitesMax = 500;
/** Origins from which a page loads, each with a kind of resource. */
export const loadedOriginsMax = 200;
/** Elements of a document in which inline code is looked for; in larger documents it is not read. */
export const inlineElementsMax = 20_000;
/** Inline scripts, style elements and event handlers whose hashes are kept, of each kind. Drafts allow fewer. */
export const inlineHashesMax = 6;
/** Characters of inline code that the page sends for its hashes, each and together. */
export const inlineCodeCharsMax = 50_000;
export const allInlineCodeCharsMax = 200_000;
/** `sha256-` and 44 characters of base64. */
export const hashCharsMax = 51;
/** Versions of script libraries per page. */
export const scriptLibrariesMax = 50;
/** Characters of the name of a script library. */
export const libraryNameCharsMax = 60;
/** Characters of a version of a script library. */
export const libraryVersionCharsMax = 64;
/** Advisories for one library; the collection of August 2026 has 159. */
export const advisoriesPerLibraryMax = 500;
/** Versions inside the range of an advisory that are not affected. */
export const advisoryExcludesMax = 20;
/** Identifiers of one advisory; the collection of August 2026 has 3. */
export const advisoryIdentifiersMax = 10;
/** Worst first. */
export const advisorySeverities = ["critical", "high", "medium", "low"] as const;
/** Severity as the advisory states it. */
export type AdvisorySeverity = (typeof advisorySeverities)[number];
/** Estimated random bits of a cookie's value. Higher estimates say no more. */
export const randomBitsMax = 256;
/** Characters of an IP address in text. */
export const addressCharsMax = 64;
/** Characters of a protocol, a suite or a kind of request, as the browser or the TLS library names it. */
export const protocolCharsMax = 128;
export const tlsVersions = ["1.0", "1.1", "1.2", "1.3"] as const;
export type TlsVersion = (typeof tlsVersions)[number];
/** Kinds of weak suites, worst first. */
export const weakSuiteKinds = ["null", "anonymous", "export", "rc4", "smallBlock", "staticKey", "cbc"] as const;
/**
 * Kind of a weak suite of TLS 1.2 and older. Each suite has one kind, the first that applies. `null`: without encryption. `anonymous`:
 * without certificate. `export`: keys of at most 56 bits, so also DES. `smallBlock`: blocks of 64 bits, as in 3DES and IDEA. `staticKey`:
 * key exchange without forward secrecy. `cbc`: CBC mode with blocks of 128 bits.
 */
export type WeakSuiteKind = (typeof weakSuiteKinds)[number];
/** Certificates per chain. */
export const certificatesMax = 12;
/** Subject alternative names per certificate. The host is matched against all names before the cut. */
export const certificateNamesMax = 100;
/** Extended key usages per certificate. */
export const certificateUsagesMax = 20;
/** Characters of a distinguished name or a single certificate name. */
export const certificateNameCharsMax = 256;
/** Characters of a name in the DNS, without a trailing dot (RFC 1035 section 2.3.4). */
export const dnsNameCharsMax = 253;
/** DNS records per answer. */
export const dnsRecordsMax = 50;
/** Characters of one DNS record's text. */
export const dnsRecordCharsMax = 1_024;
/** Characters of a TXT record of a domain with SPF; its address lists are longer than other records. */
export const spfRecordCharsMax = 4_096;
/** Questions for one SPF record. Evaluation fails after 10 lookups (RFC 7208 section 4.6.4). */
export const spfQuestionsMax = 40;
/** Names of a DMARC tree walk (RFC 9989 section 4.10). */
export const dmarcWalkNamesMax = 8;
/** External receivers of DMARC reports whose consent is queried. */
export const reportReceiversMax = 10;
/** Mail hosts whose TLSA records are queried; more than large providers have. */
export const daneHostsMax = 10;
/** Hex characters of a TLSA record's data: a SHA-512 digest fits. */
export const tlsaDataCharsMax = 128;
/** Name servers whose addresses are queried: as many as the root has. */
export const nameServersMax = 13;
/** Addresses per name and address family. */
export const hostAddressesMax = 16;
/** Bytes of an MTA-STS policy: the limit that RFC 8461 section 3.2 recommends. */
export const mtaStsPolicyBytesMax = 65_536;
/** Redirects from a well-known file that are followed. */
export const wellKnownRedirectsMax = 5;
/** Bytes of a well-known file; longer files are cut. */
export const wellKnownBytesMax = 102_400;
/** Findings of one check per scan. */
export const findingsPerCheckMax = 20;
/** Characters of one value that a finding quotes. */
export const findingValueCharsMax = 200;
