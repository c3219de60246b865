/** The plugin API `assay/check/parsers`: parsers of headers, cookies, DNS records and certificates in evidence. */
export { dayMs } from "../base/units.ts";
export type { AdvisorySeverity } from "../evidence/limits.ts";
export { advisorySeverities, integrityCharsMax, weakSuiteKinds } from "../evidence/limits.ts";
export type { LibraryAdvisory } from "../evidence/page-facts.ts";
export { isRoutableIpv6, truncatedAddress } from "../parse/address.ts";
export type { CaaDefect } from "../parse/caa.ts";
export { parseCaaProperty } from "../parse/caa.ts";
export { charsetOfMediaType, charsetOfMetaContent, isEncodingLabel } from "../parse/charset.ts";
export type { CspDirective, CspGoverning, CspPolicy } from "../parse/csp.ts";
export {
  beforeCutDirective,
  directivesIgnoredInMeta,
  governing,
  governsFetches,
  governsScripts,
  knownDirectives,
  parseCsp,
  sandboxes,
  sourceListDirectives,
} from "../parse/csp.ts";
export type { CspSource } from "../parse/csp-source.ts";
export {
  allowsNoUrl,
  cspKeywords,
  hasKeyword,
  isSchemeSource,
  matchesAnyHost,
  matchesUrl,
  parseCspSource,
  schemeNamed,
  scriptUrlSources,
  trustsHashes,
  trustsNonces,
} from "../parse/csp-source.ts";
export type { ListingServer } from "../parse/directory-listing.ts";
export { directoryListingOf } from "../parse/directory-listing.ts";
export { dmarcNameOf, isMeantAsDmarc, parseDmarc } from "../parse/dmarc.ts";
export type { PublishedDmarc } from "../parse/dmarc-walk.ts";
export { dmarcPolicyFor, dmarcRecordsOf, effectiveDmarc } from "../parse/dmarc-walk.ts";
export type { FrameOptions } from "../parse/frame-options.ts";
export { parseFrameOptions } from "../parse/frame-options.ts";
export {
  fieldsNamed,
  firstHttpsAnswer,
  firstHttpsUrl,
  hstsHost,
  isHtml,
  isHttps,
  isPlainText,
  valuesNamed,
} from "../parse/header-fields.ts";
export { splitHeaderList } from "../parse/header-list.ts";
export type { HstsDefect, HstsPolicy } from "../parse/hsts.ts";
export { hstsMaxAgeSecondsMin, parseHsts } from "../parse/hsts.ts";
export type { Integrity, IntegrityAlgorithm, IntegrityHash } from "../parse/integrity.ts";
export { parseIntegrity, strongestHashes } from "../parse/integrity.ts";
export { parseInternetDate } from "../parse/internet-date.ts";
export type { LibraryVersion, VersionRange } from "../parse/library-version.ts";
export { compareLibraryVersions, firstVersionOutside, isVersionIn, parseLibraryVersion } from "../parse/library-version.ts";
export type { MtaStsPolicyDefect } from "../parse/mta-sts.ts";
export { isMailHostCovered, isMeantAsMtaSts, parseMtaStsPolicy, parseMtaStsRecord } from "../parse/mta-sts.ts";
export { nearest } from "../parse/nearest.ts";
export { isPinnableUrl } from "../parse/pinnable-url.ts";
export { namesVersion, productVersionFields } from "../parse/product-version.ts";
export type { Products } from "../parse/products.ts";
export { parseProducts } from "../parse/products.ts";
export type { Redirect } from "../parse/redirects.ts";
export {
  browserRedirects,
  isInconclusiveStatus,
  isInconclusiveStatus as saysNothingOfSite,
  redirectsAmong,
  redirectTarget,
} from "../parse/redirects.ts";
export type { ReferrerPolicy } from "../parse/referrer-policy.ts";
export { parseReferrerPolicyHeader, parseReferrerPolicyMeta } from "../parse/referrer-policy.ts";
export type { ScriptBypass } from "../parse/script-bypasses.ts";
export { scriptBypasses } from "../parse/script-bypasses.ts";
export type { SecurityTxtDefect } from "../parse/security-txt.ts";
export { parseSecurityTxt, securityTxtValues } from "../parse/security-txt.ts";
export { foundSecurityTxt, suggestedExpiry } from "../parse/security-txt-places.ts";
export { isBinaryCurve, isShortCurve } from "../parse/server-key-exchange.ts";
export type { CookiePrefix, SetCookie } from "../parse/set-cookie.ts";
export { cookiePrefixes, parseSetCookie } from "../parse/set-cookie.ts";
export { hostOf } from "../parse/site.ts";
export { isMisspeltSpf } from "../parse/spf.ts";
export { spfCosts, spfMxHostsMax } from "../parse/spf-cost.ts";
export { ownSpf, spfTextsOf } from "../parse/spf-evaluation.ts";
export type { SpfEnd, SpfFault } from "../parse/spf-policy.ts";
export { spfPolicy } from "../parse/spf-policy.ts";
export type { StructuredValue } from "../parse/structured-field.ts";
export { parseStructuredDictionary, parseStructuredToken } from "../parse/structured-field.ts";
export { isMeantAsTlsRpt, parseTlsRpt } from "../parse/tls-rpt.ts";
export type { TlsaUse } from "../parse/tlsa.ts";
export { tlsaText, tlsaUseForMail } from "../parse/tlsa.ts";
export { isInsecureUrl, isLoopbackUrl } from "../parse/trustworthy.ts";
export type { Validity } from "./certificate.ts";
export {
  hasSignatureThatCounts,
  isCertificateAccepted,
  isCertificateUnread,
  issuersOnPath,
  lifetimeMs,
  missingServerUsage,
  validityAt,
} from "./certificate.ts";
export type { SeenCookie, SeenCookies } from "./cookies.ts";
export { foundInCookies, hasSessionValue, isAntiForgeryName, isSessionName, seenCookies } from "./cookies.ts";
export type { EnforcedCsp } from "./csp.ts";
export {
  allowsEval,
  cspMetas,
  directiveNames,
  enforcedCsp,
  openToAllInline,
  ruleNames,
  rulesOn,
  verdictOnCsp,
  writtenCsp,
} from "./csp.ts";
export { knownWeakPrime } from "./dh-primes.ts";
export { minuteOf } from "./finding-values.ts";
export { hstsWithSubdomains } from "./hsts-coverage.ts";
export type { SoleRecord } from "./mail.ts";
export { mailHosts, soleRecord } from "./mail.ts";
export type { PreloadState } from "./preload.ts";
export { preloadListDate, preloadState } from "./preload.ts";
