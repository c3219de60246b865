/** Checks that every key exchange that the server accepts has forward secrecy and a strong group. */
import {
  finding,
  findingIf,
  modernCiphers,
  modernCurves,
  modernProtocols,
  registerCheck,
  type TlsOffersFacts,
  violatedBy,
} from "assay/check";
import { isBinaryCurve, isShortCurve, knownWeakPrime, weakSuiteKinds } from "assay/check/parsers";

/** RFC 9325 section 4.5. */
const groupBitsMin = 2_048;
/** Groups below this length were broken in practice (Logjam, 2015). */
const unbrokenGroupBitsMin = 1_024;

export default registerCheck({
  key: "tls-key-exchange",
  weight: 3,
  area: "transport",
  standards: ["RFC 9325 sections 4.1 and 4.5", "RFC 8422 section 5.1.1", "RFC 7919"],
  appliesTo: ["https"],
  reads: ["tlsOffers"],
  findings: {
    "security.tls.dh-group-broken": { severity: "high", riskLevel: "medium", effort: "low", cwe: 326, weight: 6 },
    "security.tls.dh-prime-known-weak": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 326, weight: 4 },
    "security.tls.dh-group-short": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 326 },
    "security.tls.curve-short": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 326 },
    "security.tls.curve-binary": { severity: "low", riskLevel: "low", effort: "low", cwe: 327, weight: 1 },
    // Charged by tls-weak-ciphers or, if the browser negotiates it, by tls-cipher-negotiated.
    "security.tls.forward-secrecy-optional": { severity: "info", riskLevel: "low", effort: "low", cwe: 327, weight: 0 },
  },
  fixes: {
    "security.tls.dh-group-broken": [modernProtocols, modernCiphers],
    "security.tls.dh-prime-known-weak": [modernProtocols, modernCiphers],
    "security.tls.dh-group-short": [modernProtocols, modernCiphers],
    "security.tls.curve-short": [modernCurves],
    "security.tls.curve-binary": [modernCurves],
    "security.tls.forward-secrecy-optional": [modernProtocols, modernCiphers],
  },
  judge({ tlsOffers }) {
    const found = [...groupFindings(tlsOffers), ...curveFindings(tlsOffers), ...forwardSecrecyFindings(tlsOffers)];
    return violatedBy(found, isComplete(tlsOffers));
  },
});

function isComplete({ dhe, weakCurves, weakSuites }: TlsOffersFacts): boolean {
  const isGroupKnown = dhe.answer === "refused" || dhe.group !== null;
  return isGroupKnown && weakCurves.others !== "unknown" && weakSuiteKinds.every((kind) => weakSuites[kind].others !== "unknown");
}

function groupFindings({ host, dhe: { group } }: TlsOffersFacts) {
  if (group === null) return [];
  const { bits, primeSha256 } = group;
  const values = { tlsHost: host, bits };
  if (bits < unbrokenGroupBitsMin) return [finding("security.tls.dh-group-broken", values)];
  const prime = knownWeakPrime(primeSha256);
  if (prime !== null) return [finding("security.tls.dh-prime-known-weak", { ...values, prime })];
  return findingIf(bits < groupBitsMin, "security.tls.dh-group-short", values);
}

function curveFindings({ host, weakCurves: { accepted } }: TlsOffersFacts) {
  return accepted.flatMap((curve) => {
    const code = isShortCurve(curve) ? "security.tls.curve-short" : "security.tls.curve-binary";
    return findingIf(isShortCurve(curve) || isBinaryCurve(curve), code, { tlsHost: host, curve });
  });
}

/** In OpenSSL's names, suites with ephemeral keys start with their key exchange, after `EXP` in export suites. */
const forwardSecretPattern = /^(EXP\d*-)?(ECDHE|DHE|ADH|AECDH)-/;

function forwardSecrecyFindings({ host, weakSuites }: TlsOffersFacts) {
  const suites = weakSuiteKinds.flatMap((kind) => weakSuites[kind].accepted).filter((name) => !forwardSecretPattern.test(name));
  return findingIf(suites.length > 0, "security.tls.forward-secrecy-optional", { tlsHost: host, suites: suites.join(", ") });
}
