/** Stored results and check texts: two checks, one with a finding that quotes a value. */
import type { StoredResult } from "../../src/judge/result.ts";
import type { ChecksTexts } from "../../src/text/i18n.ts";

export const checksTexts: ChecksTexts = {
  "en-gb": {
    "sample-header": {
      label: "Sample header",
      reason: "It is a sample.",
      findings: {
        "security.sample.weak": {
          title: "Weak sample",
          detail: "{{host}} sent {{sent}} at {{url}}, and {{host}} again.",
          riskStatement: "A risk.",
          remediation: "Send {{wanted}}.",
        },
      },
    },
    "sample-cookie": { label: "Sample cookie", reason: "Cookies are samples.", findings: {} },
  },
  "de-de": {
    "sample-header": {
      label: "Beispielheader",
      reason: "Er ist ein Beispiel.",
      findings: {
        "security.sample.weak": {
          title: "Schwaches Beispiel",
          detail: "{{host}} sendete {{sent}} unter {{url}}, und nochmals {{host}}.",
          riskStatement: "Ein Risiko.",
          remediation: "Senden Sie {{wanted}}.",
        },
      },
    },
    "sample-cookie": { label: "Beispielcookie", reason: "Cookies sind Beispiele.", findings: {} },
  },
};

/** Good result without checks. */
export const emptyResult: StoredResult = {
  algorithmVersion: 1,
  catalogVersion: "v",
  measured: true,
  score: 90,
  band: "good",
  rank: "strong",
  ledger: [],
  findings: [],
};

/** Result with a row in each state; the finding quotes `sent`. */
export function storedResult(sent: string | number = "max-age=1") {
  return {
    algorithmVersion: 1,
    catalogVersion: "0123456789abcdef",
    measured: true,
    score: 67,
    band: "warn",
    rank: "fair",
    ledger: [
      { key: "gone-check", state: "notApplicable", evidence: ["navigation"] },
      { key: "sample-cookie", state: "passed", evidence: ["page"] },
      { key: "sample-header", state: "violated", evidence: ["page", "headers.x-sample"] },
      { key: "sample-tls", state: "notChecked", evidence: ["tls"], notCheckedBecause: "tls: timeout" },
    ],
    findings: [
      {
        code: "security.sample.weak",
        checkKey: "sample-header",
        severity: "medium",
        riskLevel: "low",
        effort: "low",
        values: { sent, wanted: "more" },
      },
    ],
  } as const satisfies StoredResult;
}
