/** Compares the rows on policies with csp_evaluator, by the vectors of its own tests. Each difference has the reason that decides. */
import { expect, test } from "vitest";
import { builtInChecks } from "../../checks/index.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import { evidence } from "../support/evidence.ts";
import { cspEvaluatorVectors, type PeerVector } from "./csp-evaluator-vectors.ts";

const anyHost = ["script-any-host", "script-data-urls", "script-blob-urls", "object-src-not-none", "base-uri-any-host"];

/** Findings, without `security.csp.`, for what a function of the peer judges. */
const codes: Readonly<Record<string, readonly string[]>> = {
  checkScriptUnsafeInline: ["script-unsafe-inline"],
  checkScriptUnsafeEval: ["script-unsafe-eval"],
  checkPlainUrlSchemes: anyHost,
  checkWildcards: anyHost,
  checkMissingDirectives: ["script-src-missing", "object-src-missing", "base-uri-missing"],
  checkScriptAllowlistBypass: ["jsonp-host", "angular-host", "script-any-host"],
  checkFlashObjectAllowlistBypass: ["object-src-not-none"],
  checkNonceLength: ["short-nonce", "invalid-source"],
  checkSrcHttp: ["insecure-sources"],
};

/** Functions that no vector is compared for, and why. */
const notCompared: Readonly<Record<string, string>> = {
  checkIpSource: "a note of the peer that browsers match no address but 127.0.0.1 (CSP Level 3 section 6.7.2.10); no row judges it",
  checkDeprecatedDirective: "the peer's note says that a directive is old; csp-syntax reports only names that no specification has",
  checkHasConfiguredReporting: "no attack depends on reports (docs/decisions.md); reporting-endpoints judges the endpoints that are named",
};

const noScriptRule =
  "CSP Level 3 section 6.3.1: base-uri protects scripts that nonces or hashes trust, and this policy lets in every script";
const question =
  "the peer only asks (MEDIUM_MAYBE): by CSP Level 3 section 6.7.2.8 this host alone is let in, and no bypass is known for it";

/** Vectors with another verdict, and what decides. */
const differences: Readonly<Record<string, string>> = {
  CheckScriptUnsafeHashesInScriptSrc: "CSP Level 3 section 6.7.3.3: only handlers with a listed hash run",
  CheckPlainUrlSchemesInBaseUri: noScriptRule,
  CheckWildcardsInBaseUri: noScriptRule,
  CheckWildcardsDangerousDirectivesOK:
    "CSP Level 3, object-src: plugins of that host run, as the peer's checkFlashObjectAllowlistBypass says",
  checkScriptAllowlistBypassWithNoneAndJSONPBypass: "CSP Level 3 section 6.7.2.7: 'none' counts only as the single source",
  checkScriptAllowlistBypassJSONPBypassEvalRequiredNotPresent:
    "CSP Level 3 section 4.4: the bypass needs 'unsafe-eval', and the peer only asks",
  checkScriptAllowlistBypassNoBypassWarningOnly: question,
  checkScriptAllowlistBypassNoBypassSelfWarningOnly: question,
};

function isViolated({ policy, checker }: PeerVector): boolean {
  const checks = builtInChecks.filter(({ area }) => area === "csp");
  const { findings } = judgeEvidence(evidence({ headers: { "content-security-policy": policy } }), { checks, version: "test" }, () => {});
  return findings.some(({ code }) => codes[checker]?.includes(code.replace("security.csp.", "")));
}

/** Fewer would mean that the reader of the vectors no longer fits the package. */
const vectorsMin = 43;
const vectors = cspEvaluatorVectors();
const judged = vectors.filter(({ checker }) => checker in codes);

test("the verdicts differ only where a standard decides", () => {
  const differing = judged.filter((vector) => isViolated(vector) !== vector.faults > 0);
  const line = (vector: PeerVector) =>
    `${vector.name}: ${vector.policy} | peer: ${vector.faults} faults | ${differences[vector.name] ?? "not explained"}`;
  console.log(`csp_evaluator: ${judged.length} vectors, ${judged.length - differing.length} agree\n${differing.map(line).join("\n")}`);
  expect(differing.map(({ name }) => name)).toEqual(Object.keys(differences));
});

test("every vector is compared, or left out for a reason", () => {
  expect([...new Set(vectors.map(({ checker }) => checker).filter((checker) => !(checker in codes)))]).toEqual(Object.keys(notCompared));
  expect(judged.length).toBeGreaterThanOrEqual(vectorsMin);
});
