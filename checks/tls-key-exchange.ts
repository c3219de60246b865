/** Checks that every key exchange that the server accepts has forward secrecy and a strong group. */
import {
  type Found,
  modernCiphers,
  modernCurves,
  modernProtocols,
  notChecked,
  registerCheck,
  type TlsOffersFacts,
  violatedBy,
} from "assay/check";
import { isBinaryCurve, isShortCurve, knownWeakPrime, weakSuiteKinds } from "assay/check/parsers";

/** RFC 9325 section 4.5. */
const groupBitsMin = 2_048;
/** Groups below this length were broken in practice (Logjam, 2015). */
const unbrokenGroupBitsMin = 1_024;

type Code =
  | "security.tls.dh-group-broken"
  | "security.tls.dh-prime-known-weak"
  | "security.tls.dh-group-short"
  | "security.tls.curve-short"
  | "security.tls.curve-binary"
  | "security.tls.forward-secrecy-optional";

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
    return found.length > 0 || isComplete(tlsOffers) ? violatedBy(found) : notChecked();
  },
});

function isComplete({ dhe, weakCurves, weakSuites }: TlsOffersFacts): boolean {
  const isGroupKnown = dhe.answer === "refused" || dhe.group !== null;
  return isGroupKnown && weakCurves.others !== "unknown" && weakSuiteKinds.every((kind) => weakSuites[kind].others !== "unknown");
}

function groupFindings({ host, dhe: { group } }: TlsOffersFacts): readonly Found<Code>[] {
  if (group === null) return [];
  const { bits, primeSha256 } = group;
  const values = { tlsHost: host, bits };
  if (bits < unbrokenGroupBitsMin) return [{ code: "security.tls.dh-group-broken", values }];
  const prime = knownWeakPrime(primeSha256);
  if (prime !== null) return [{ code: "security.tls.dh-prime-known-weak", values: { ...values, prime } }];
  return bits < groupBitsMin ? [{ code: "security.tls.dh-group-short", values }] : [];
}

function curveFindings({ host, weakCurves: { accepted } }: TlsOffersFacts): readonly Found<Code>[] {
  return accepted.flatMap((curve): readonly Found<Code>[] => {
    const values = { tlsHost: host, curve };
    if (isShortCurve(curve)) return [{ code: "security.tls.curve-short", values }];
    return isBinaryCurve(curve) ? [{ code: "security.tls.curve-binary", values }] : [];
  });
}

/** In OpenSSL's names, suites with ephemeral keys start with their key exchange, after `EXP` in export suites. */
const forwardSecretPattern = /^(EXP\d*-)?(ECDHE|DHE|ADH|AECDH)-/;

function forwardSecrecyFindings({ host, weakSuites }: TlsOffersFacts): readonly Found<Code>[] {
  const suites = weakSuiteKinds.flatMap((kind) => weakSuites[kind].accepted).filter((name) => !forwardSecretPattern.test(name));
  return suites.length === 0
    ? []
    : [{ code: "security.tls.forward-secrecy-optional", values: { tlsHost: host, suites: suites.join(", ") } }];
}
