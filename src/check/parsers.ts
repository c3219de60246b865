/** The plugin API `assay/check/parsers`: parsers of headers, cookies, DNS records and certificates in evidence. */
export { dayMs } from "../base/units.ts";
export { type AdvisorySeverity, advisorySeverities, integrityCharsMax, weakSuiteKinds } from "../evidence/limits.ts";
export type { LibraryAdvisory } from "../evidence/page-facts.ts";
export { isRoutableIpv6, truncatedAddress } from "../parse/address.ts";
export type { CspDirective, CspGoverning, CspPolicy, CspSource, ScriptBypass } from "../parse/csp.ts";
export {
  allowsNoUrl,
  beforeCutDirective,
  cspKeywords,
  directivesIgnoredInMeta,
  governing,
  governsFetches,
  governsScripts,
  hasKeyword,
  isSchemeSource,
  knownDirectives,
  matchesAnyHost,
  matchesOpenHost,
  matchesUrl,
  parseCsp,
  parseCspSource,
  sandboxes,
  schemeNamed,
  scriptBypasses,
  scriptUrlSources,
  sourceListDirectives,
  trustsHashes,
  trustsNonces,
} from "../parse/csp.ts";
export { directoryListingOf, type ListingServer } from "../parse/directory-listing.ts";
export { type CaaDefect, parseCaaProperty } from "../parse/dns.ts";
export type { Redirect } from "../parse/header-fields.ts";
export {
  browserRedirects,
  fieldsNamed,
  firstHttpsAnswer,
  firstHttpsUrl,
  hstsHost,
  isHtml,
  isHttps,
  isInconclusiveStatus,
  isInconclusiveStatus as saysNothingOfSite,
  isPlainText,
  redirectsAmong,
  redirectTarget,
  valuesNamed,
} from "../parse/header-fields.ts";
export {
  parseStructuredDictionary,
  parseStructuredItem,
  parseStructuredToken,
  type StructuredValue,
  splitHeaderList,
} from "../parse/header-syntax.ts";
export * from "../parse/header-values.ts";
export * from "../parse/integrity.ts";
export { parseInternetDate } from "../parse/internet-date.ts";
export type { PublishedDmarc } from "../parse/mail/dmarc.ts";
export {
  dmarcNameOf,
  dmarcPolicyFor,
  dmarcRecordsOf,
  dmarcTagsBelowP,
  effectiveDmarc,
  isMeantAsDmarc,
  parseDmarc,
} from "../parse/mail/dmarc.ts";
export type { MtaStsPolicyDefect } from "../parse/mail/mta-sts.ts";
export {
  isMailHostCovered,
  isMeantAsMtaSts,
  isMeantAsTlsRpt,
  parseMtaStsPolicy,
  parseMtaStsRecord,
  parseTlsRpt,
} from "../parse/mail/mta-sts.ts";
export { ownSpf, type SpfEnd, type SpfFault, spfCosts, spfMxHostsMax, spfPolicy, spfTextsOf } from "../parse/mail/spf-evaluation.ts";
export { isMisspeltSpf } from "../parse/mail/spf-record.ts";
export { type SpfSenders, spfSenders } from "../parse/mail/spf-senders.ts";
export { type TlsaUse, tlsaText, tlsaUseForMail } from "../parse/mail/tlsa.ts";
export { domainOfTenants, isOpenOrigin } from "../parse/open-hosts.ts";
export * from "../parse/products.ts";
export { declaredEndpoints } from "../parse/reporting.ts";
export type { LibraryVersion, VersionRange } from "../parse/script-libraries.ts";
export {
  compareLibraryVersions,
  firstVersionOutside,
  isVersionIn,
  parseLibraryVersion,
} from "../parse/script-libraries.ts";
export {
  foundSecurityTxt,
  parseSecurityTxt,
  type SecurityTxtDefect,
  securityTxtValues,
  suggestedExpiry,
  unsafeHops,
} from "../parse/security-txt.ts";
export { isBinaryCurve, isShortCurve } from "../parse/server-key-exchange.ts";
export { type CookiePrefix, cookiePrefixes, parseSetCookie, type SetCookie } from "../parse/set-cookie.ts";
export { hostOf, isCookieDomainAccepted, isInsecureUrl, isLoopbackUrl } from "../parse/site.ts";
export { nearest } from "../parse/text.ts";
export type { CookieFault, SeenCookie, SeenCookies } from "./cookies.ts";
export {
  foundInCookies,
  hasSessionValue,
  isAntiForgeryName,
  isRefusedWithoutSecure,
  isSessionName,
  seenCookies,
  verdictOnCookies,
} from "./cookies.ts";
export * from "./csp.ts";
export * from "./hsts.ts";
export * from "./mail.ts";
export * from "./tls.ts";
export { minuteOf } from "./verdict.ts";
