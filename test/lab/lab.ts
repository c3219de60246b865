/** The laboratory: scans every case, prints a table of results, and requires that each check reached each state. */
import { describe, expect, test } from "vitest";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { landmarkKeys } from "../support/finished-scans.ts";
import { applicationCases } from "./application.ts";
import { certificateCases } from "./certificates.ts";
import { cspCases } from "./csp.ts";
import { dnsCases } from "./dns.ts";
import { caseResults, labTests } from "./laboratory.ts";
import { landmarkCases } from "./landmarks.ts";
import { listingCases } from "./listings.ts";
import { mailCases } from "./mail.ts";
import { mailSpfCases } from "./mail-spf.ts";
import { pastedCases } from "./pasted.ts";
import { proxyTests } from "./proxies.ts";
import { remediationTests } from "./remediation.ts";
import { caseTable, matrixSummary, missingCodes, missingStates } from "./table.ts";
import { tlsOfferCases } from "./tls-offers.ts";
import { unreadableCases } from "./unreadable.ts";
import { versionCases } from "./versions.ts";
import { webCases } from "./web.ts";
import { webServerCases } from "./web-servers.ts";

/** States that no laboratory can reach, and why. */
const unreachableStates: Readonly<Record<string, string>> = {
  "tls-certificate-lifetime passed": "only leaves of public authorities are judged, and their keys are not available here",
  "tls-certificate-transparency passed": "only leaves of public authorities are judged, and only Chromium knows the public logs",
  "tls-certificate-transparency violated": "only leaves of public authorities are judged, and only Chromium knows the public logs",
};

/** Findings that no laboratory can cause, and why. */
const unreachableCodes: Readonly<Record<string, string>> = {
  "security.tls.certificate-not-logged": unreachableStates["tls-certificate-transparency violated"] ?? "",
};

labTests("certificates", certificateCases);
labTests("TLS versions", versionCases);
labTests("TLS offers", tlsOfferCases);
labTests("CSP", cspCases);
labTests("web servers", webServerCases);
labTests("application", applicationCases);
labTests("directory listings", listingCases);
labTests("web", webCases);
labTests("unreadable", unreadableCases);
labTests("DNS and mail", dnsCases);
labTests("SPF and DNSSEC", mailSpfCases);
labTests("mail and files", mailCases);
labTests("landmarks", landmarkCases);
labTests("pasted lines", pastedCases);
remediationTests();
proxyTests();

describe("laboratory: coverage", () => {
  // A check that is newer than the landmarks may lack a case.
  const keys = landmarkKeys;
  const codes = keys.flatMap((key) => Object.keys((enGb.checks as Record<string, { findings: object }>)[key]?.findings ?? {}));

  test("each check has a passed, a violated and a not checked case", () => {
    const missing = missingStates(caseResults(), keys);
    console.log(caseTable(caseResults()));
    console.log(matrixSummary(missing, keys));
    for (const state of missing) console.log(`  not reached: ${state}: ${unreachableStates[state] ?? "no case reaches it"}`);
    expect([...missing].sort()).toEqual(Object.keys(unreachableStates).sort());
  });

  test("each finding was reported for a real site", () => {
    const missing = missingCodes(caseResults(), codes);
    console.log(`of ${codes.length} findings reported: ${codes.length - missing.length}`);
    for (const code of missing) console.log(`  not reported: ${code}: ${unreachableCodes[code] ?? "no case causes it"}`);
    expect([...missing].sort()).toEqual(Object.keys(unreachableCodes).sort());
  });
});
