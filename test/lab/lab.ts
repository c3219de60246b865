/** The laboratory: scans every case of every area for real, prints what was expected and seen, and demands that each check was seen in each state. */
import { describe, expect, test } from "vitest";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { applicationCases } from "./application.ts";
import { certificateCases } from "./certificates.ts";
import { cspCases } from "./csp.ts";
import { dnsCases } from "./dns.ts";
import { casesSeen, labTests } from "./laboratory.ts";
import { landmarkCases } from "./landmarks.ts";
import { mailCases } from "./mail.ts";
import { spfCases } from "./mail-spf.ts";
import { pastedCases } from "./pasted.ts";
import { proxyTests } from "./proxies.ts";
import { remediationTests } from "./remediation.ts";
import { caseTable, matrixSummary, unseenProofs, untoldCodes } from "./table.ts";
import { unreadableCases } from "./unreadable.ts";
import { versionCases } from "./versions.ts";
import { webCases } from "./web.ts";
import { webServerCases } from "./web-servers.ts";

/** What no laboratory can show, and why. */
const notToBeSeen: Readonly<Record<string, string>> = {
  "tls-certificate-lifetime passed": "only a public authority's leaf is measured, and its key is not here to serve it with",
  "tls-certificate-transparency passed": "only a public authority's leaf is asked about, and Chromium alone knows the public logs",
  "tls-certificate-transparency violated": "only a public authority's leaf is asked about, and Chromium alone knows the public logs",
};

/** Findings that no laboratory can call forth, and why. */
const notToBeTold: Readonly<Record<string, string>> = {
  "security.tls.certificate-not-logged": notToBeSeen["tls-certificate-transparency violated"] ?? "",
};

labTests("certificates", certificateCases);
labTests("TLS versions", versionCases);
labTests("CSP", cspCases);
labTests("web servers", webServerCases);
labTests("a real application", applicationCases);
labTests("web", webCases);
labTests("unreadable", unreadableCases);
labTests("DNS and mail", dnsCases);
labTests("SPF and DNSSEC", spfCases);
labTests("mail and files", mailCases);
labTests("landmarks", landmarkCases);
labTests("lines pasted", pastedCases);
remediationTests();
proxyTests();

describe("laboratory: everything seen", () => {
  const keys = Object.keys(enGb.checks);
  const codes = Object.values(enGb.checks).flatMap(({ findings }) => Object.keys(findings));

  test("each check was seen passed, violated and not checked", () => {
    const unseen = unseenProofs(casesSeen(), keys);
    console.log(caseTable(casesSeen()));
    console.log(matrixSummary(unseen, keys));
    for (const proof of unseen) console.log(`  never seen: ${proof}: ${notToBeSeen[proof] ?? "no case shows it"}`);
    expect([...unseen].sort()).toEqual(Object.keys(notToBeSeen).sort());
  });

  test("each finding was told of a real site", () => {
    const untold = untoldCodes(casesSeen(), codes);
    console.log(`of ${codes.length} findings told for real: ${codes.length - untold.length}`);
    for (const code of untold) console.log(`  never told: ${code}: ${notToBeTold[code] ?? "no case shows it"}`);
    expect([...untold].sort()).toEqual(Object.keys(notToBeTold).sort());
  });
});
