/** Looks at one TLS endpoint: what it negotiates, which versions it has, what certificates it shows and whether they are good. */
import type { X509Certificate } from "node:crypto";
import { withDeadline } from "../../base/deadline.ts";
import { parseHost } from "../../egress/host.ts";
import { failed, type ProbeFailure, type Reading, read } from "../../evidence/evidence.ts";
import type { TlsFacts, TlsVersion } from "../../evidence/facts.ts";
import { certificatesMax } from "../../evidence/limits.ts";
import { alternativeNames } from "../../parse/alternative-names.ts";
import { namesCoverHost } from "../../parse/host-match.ts";
import { exchangeMs, failedBy, type ProbeContext } from "../context.ts";
import { certificateFacts, readCertificate } from "./certificate.ts";
import { suiteName } from "./cipher-suites.ts";
import { shakeHands, type TlsSession } from "./handshake.ts";
import { versionAnswer } from "./server-flight.ts";
import { type HelloAnswer, probeTlsVersions } from "./tls-versions.ts";
import { pathFault, type TrustAnchors, trustAnchors } from "./trust.ts";

export interface TlsContext extends ProbeContext {
  /** As in URLs. */
  readonly host: string;
  readonly port: number;
  /** PEM certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
}

export async function probeTls(context: TlsContext): Promise<Reading<TlsFacts>> {
  try {
    return await lookAtTls(context);
  } catch (thrown) {
    return failedBy(thrown);
  }
}

async function lookAtTls({ egress, host: hostText, port, caPems, signal }: TlsContext): Promise<Reading<TlsFacts>> {
  const host = parseHost(hostText);
  if (host === null) return failed("unresolved");
  const serverName = host.kind === "name" ? host.text : null;
  const anchors = trustAnchors(caPems);
  const dial = () => egress.dial(host.text, port, { deadlineMs: exchangeMs, signal });
  // One alone at first: the others then go to the address that answered, and where nobody answers there are no others.
  const socket = await dial();
  const [session, answers] = await withDeadline(exchangeMs, [signal], (ending) =>
    Promise.all([shakeHands(socket, serverName, anchors, ending), probeTlsVersions(dial, serverName, ending)]),
  );
  const negotiated = session === null ? negotiatedIn(answers) : { protocol: session.protocol, cipher: session.cipher, alpn: session.alpn };
  if (negotiated === null) return failed(whyNothing(answers));

  const { ders, asSent } = shownChain(session, answers);
  const [leaf, ...others] = ders.slice(0, certificatesMax).map(readCertificate);
  // Rare key types: the runtime shows an empty certificate, or cannot read the one that was sent.
  if (leaf === undefined || leaf === null) return failed("unsupported");
  const chain: readonly [X509Certificate, ...X509Certificate[]] = [leaf, ...others.filter((certificate) => certificate !== null)];
  const untrustedBecause = objectionTo(chain, session, anchors);
  return read({
    host: host.text,
    port,
    address: egress.pinnedAddress(host.text, port) ?? "",
    negotiated,
    versions: versionsOf(answers, session),
    chain: chain.map((certificate) => certificateFacts(certificate, anchors.all.has(certificate))),
    certificatesDropped: ders.length - chain.length,
    chainAsSent: asSent,
    hostMatches: namesCoverHost(alternativeNames(leaf.raw), host.text),
    trusted: untrustedBecause === null,
    trustedBy: untrustedBecause === null ? trustedBy(chain, anchors) : null,
    untrustedBecause,
  });
}

/** What a server would have agreed upon with a client that knows more than this runtime, DHE or RC4 for example. */
function negotiatedIn(answers: readonly HelloAnswer[]): TlsFacts["negotiated"] | null {
  const best = answers.find(({ version, flight }) => versionAnswer(version, flight) === "accepted");
  if (best === undefined) return null;
  return { protocol: protocolName(best.version), cipher: suiteName(best.flight.suite ?? 0), alpn: null };
}

/** A session is as good an answer as a hello. */
function versionsOf(hellos: readonly HelloAnswer[], session: TlsSession | null): TlsFacts["versions"] {
  const answers = hellos.map(({ version, flight }) => [
    version,
    session?.protocol === protocolName(version) ? "accepted" : versionAnswer(version, flight),
  ]);
  return Object.fromEntries(answers) as TlsFacts["versions"];
}

/** As the runtime says it. */
function protocolName(version: TlsVersion): string {
  return version === "1.0" ? "TLSv1" : `TLSv${version}`;
}

/** What came in answer to a hello, provided that it is about the certificate of the session; else the runtime's path. */
function shownChain(
  session: TlsSession | null,
  answers: readonly HelloAnswer[],
): { readonly ders: readonly Buffer[]; readonly asSent: boolean } {
  const leaf = session?.chain[0];
  const sent = answers
    .map(({ flight }) => flight.certificates)
    .find(([first]) => first !== undefined && (leaf === undefined || leaf.equals(first)));
  return sent === undefined ? { ders: session?.chain ?? [], asSent: false } : { ders: sent, asSent: true };
}

/** Objections about dates, which others judge, and about finding a way to a root, which the path knows better: it tries them all, and any anchor ends it. */
const settledElsewhere: readonly string[] = [
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/**
 * The runtime's word where it is content. Where it is not, it names only its first objection and takes a self-signed leaf
 * that may not sign for an incomplete chain, so the path tells why; what the path does not know of, such as a certificate
 * that is not meant for servers, stays with the runtime.
 */
function objectionTo(
  chain: readonly [X509Certificate, ...X509Certificate[]],
  session: TlsSession | null,
  anchors: TrustAnchors,
): string | null {
  if (session !== null && session.objection === null) return null;
  const fault = pathFault(chain, anchors.all);
  if (fault !== null || session === null) return fault;
  return session.objection !== null && settledElsewhere.includes(session.objection) ? null : session.objection;
}

/** Where both have a root for the chain, browsers know it too. */
function trustedBy(chain: readonly [X509Certificate, ...X509Certificate[]], anchors: TrustAnchors): "public" | "operator" {
  return pathFault(chain, anchors.public) === null ? "public" : "operator";
}

/** Of a place that never got as far as a version. */
function whyNothing(answers: readonly HelloAnswer[]): ProbeFailure {
  if (answers.some(({ flight }) => flight.isTls === true)) return "tls";
  if (answers.some(({ flight }) => flight.isTls === false)) return "invalid";
  return answers.some(({ ended }) => ended === "timeout") ? "timeout" : "unreachable";
}
