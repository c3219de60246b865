/** Plugins written before `assay/check/parsers` existed import everything from `assay/check`: no name may disappear there. */
import * as contract from "assay/check";
import * as parsers from "assay/check/parsers";
import { expect, test } from "vitest";

const namesOfFirstRelease = `
allowsEval allowsNoUrl browserRedirects charsetOfMediaType charsetOfMetaContent cookiePrefixes
cspKeywords cspMetas dayMs directiveNames directivesIgnoredInMeta distinct
dmarcNameOf dmarcPolicyFor dmarcRecordsOf effectiveDmarc enforcedCsp fieldsNamed
firstHttpsAnswer firstHttpsUrl firstOfEachCode foundAtAddresses foundInCookies foundSecurityTxt governing
hasKeyword hasSessionValue hasSignatureThatCounts hostOf hstsHost integrityCharsMax isAntiForgeryName
isCertificateAccepted isEncodingLabel isHttps isMailHostCovered isMeantAsDmarc isMeantAsMtaSts
isMeantAsTlsRpt isMisspeltSpf isPlainText isSchemeSource isSessionName knownDirectives
lifetimeMs mailHosts matchesAnyHost matchesUrl minuteOf nearest
notApplicable notChecked openToAllInline ownSpf parseCaaProperty parseCsp
parseCspSource parseDmarc parseFrameOptions parseHsts parseIntegrity parseInternetDate
parseMtaStsPolicy parseMtaStsRecord parseProducts parseReferrerPolicyHeader parseReferrerPolicyMeta parseSecurityTxt
parseSetCookie parseStructuredDictionary parseStructuredToken parseTlsRpt passed redirectTarget
redirectsAmong registerCheck ruleNames rulesOn sandboxes saysNothingOfSite
schemeNamed scriptBypasses scriptUrlSources securityTxtValues seenCookies soleRecord
sourceListDirectives spfCosts spfMxHostsMax spfPolicy spfTextsOf splitHeaderList
strongestHashes suggestedExpiry trustsHashes trustsNonces validityAt valuesNamed
verdictOnCsp violated violatedBy writtenCsp
`;

test("every name of the first release is still exported by assay/check", () => {
  const names = namesOfFirstRelease.trim().split(/\s+/);
  expect(names.filter((name) => !(name in contract))).toEqual([]);
});

test("assay/check exports every parser, and assay/check/parsers nothing of the contract", () => {
  expect(Object.keys(parsers).filter((name) => !(name in contract))).toEqual([]);
  expect(Object.keys(parsers)).not.toContain("registerCheck");
});
