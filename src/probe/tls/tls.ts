/** TLS probe of one endpoint: negotiated session, supported versions, certificate chain and trust. */
import type { Socket } from "node:net";
import { connect, type DetailedPeerCertificate, type TLSSocket } from "node:tls";
import { aborted, withDeadline } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { parseHost } from "../../egress/host.ts";
import { failed, type ProbeFailure, type Reading, read } from "../../evidence/evidence.ts";
import { certificatesMax, type TlsVersion } from "../../evidence/limits.ts";
import type { TlsFacts } from "../../evidence/tls-facts.ts";
import { alternativeNames, namesCoverHost } from "../../parse/certificate.ts";
import { exchangeMs, failedBy, type ProbeContext } from "../context.ts";
import { certificateFacts, pathCertificate, readCertificate } from "./certificate.ts";
import { suiteName } from "./cipher-suites.ts";
import { versionAnswer } from "./server-flight.ts";
import { type HelloAnswer, probeTlsVersions } from "./tls-versions.ts";
import { type CertificateChain, longestTrustPath, pathError, type TrustAnchors, trustAnchors } from "./trust.ts";

// TLS handshake by this runtime, which records the session even if the certificate is not trusted.

interface TlsSession {
  readonly protocol: string;
  readonly cipher: string;
  readonly alpn: string | null;
  /** DER, leaf first: the certificates that the server sent, and the trusted root. Empty for key types that the runtime cannot show. */
  readonly chain: readonly Buffer[];
  /** The runtime's first error of the chain, host name not considered; null if trusted. */
  readonly trustError: string | null;
}

const chainStepsMax = 20;

/** Session with the server; null if the handshake fails or the signal aborts first. Takes over the socket and destroys it. */
function performHandshake(raw: Socket, serverName: string | null, anchors: TrustAnchors, signal: AbortSignal): Promise<TlsSession | null> {
  const session = new Promise<TlsSession | null>((resolve) => {
    void aborted(signal).then(() => resolve(null));
    const socket = connect({
      socket: raw,
      // RFC 6066 section 3: no literal addresses in SNI.
      servername: serverName ?? "",
      secureContext: anchors.context,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    socket.on("error", () => resolve(null));
    socket.once("close", () => resolve(null));
    // Read at once, because the runtime forgets the session when the connection closes.
    socket.once("secureConnect", () => resolve(sessionOf(socket)));
  });
  return session.finally(() => raw.destroy());
}

function sessionOf(socket: TLSSocket): TlsSession {
  const error: unknown = socket.authorizationError ?? null;
  return {
    protocol: socket.getProtocol() ?? "",
    cipher: socket.getCipher()?.name ?? "",
    alpn: socket.alpnProtocol || null,
    chain: chainOf(socket.getPeerCertificate(true)),
    trustError: error === null ? null : ((error as { code?: string }).code ?? String(error)),
  };
}

function chainOf(leaf: DetailedPeerCertificate): readonly Buffer[] {
  const chain: Buffer[] = [];
  for (
    let at: DetailedPeerCertificate | undefined = leaf;
    at?.raw !== undefined && chain.length < chainStepsMax;
    at = at.issuerCertificate
  ) {
    chain.push(at.raw);
    // A root is its own issuer. A copy of a certificate counts as a further certificate of the server.
    if (at.issuerCertificate === at) break;
  }
  return chain;
}

export interface TlsContext extends ProbeContext {
  readonly host: string;
  readonly port: number;
  readonly caPems: readonly string[];
}

export function probeTls(context: TlsContext): Promise<Reading<TlsFacts>> {
  return readTls(context).catch(failedBy);
}

async function readTls({ egress, host: hostText, port, caPems, signal }: TlsContext): Promise<Reading<TlsFacts>> {
  const host = parseHost(hostText);
  if (host === null) return failed("unresolved");
  const serverName = host.kind === "name" ? host.text : null;
  const anchors = trustAnchors(caPems);
  const dial = () => egress.dial(host.text, port, { deadlineMs: exchangeMs, signal });
  // The first connection pins the address for the others. Without an answer, no further connection is opened.
  const socket = await dial();
  const [session, answers] = await withDeadline(deadlineClock, exchangeMs, [signal], (deadline) =>
    Promise.all([performHandshake(socket, serverName, anchors, deadline), probeTlsVersions(dial, serverName, deadline)]),
  );
  const negotiated = session === null ? negotiatedIn(answers) : { protocol: session.protocol, cipher: session.cipher, alpn: session.alpn };
  if (negotiated === null) return failed(failureWithoutSession(answers));

  return read({
    host: host.text,
    port,
    address: egress.pinnedAddress(host.text, port) ?? "",
    negotiated,
    versions: versionsOf(answers, session),
    ...chainFacts(serverChain(session, answers), host.text, session, anchors),
  });
}

interface ServerChain {
  /** DER, leaf first. */
  readonly ders: readonly Buffer[];
  readonly asSent: boolean;
}

type ChainFacts = Pick<
  TlsFacts,
  "chain" | "certificatesDropped" | "chainAsSent" | "hostMatches" | "trusted" | "trustedBy" | "untrustedBecause" | "path"
>;

function chainFacts({ ders, asSent }: ServerChain, host: string, session: TlsSession | null, anchors: TrustAnchors): ChainFacts {
  const [leaf, ...others] = ders.slice(0, certificatesMax).map(readCertificate);
  // For rare key types the runtime returns an empty certificate, or cannot parse the one from the server.
  if (leaf === undefined || leaf === null) return { ...noChain, certificatesDropped: ders.length };
  const chain: CertificateChain = [leaf, ...others.filter((certificate) => certificate !== null)];
  const untrustedBecause = trustErrorOf(chain, session, anchors);
  const trusted = untrustedBecause === null;
  const path = trusted ? longestTrustPath(chain, anchors.all, Date.now()) : null;
  return {
    chain: chain.map((certificate) => certificateFacts(certificate, anchors.all.has(certificate))),
    certificatesDropped: ders.length - chain.length,
    chainAsSent: asSent,
    hostMatches: namesCoverHost(alternativeNames(leaf.raw), host),
    trusted,
    trustedBy: trusted ? trustedBy(chain, anchors) : null,
    untrustedBecause,
    path: path?.map((certificate) => pathCertificate(certificate, anchors.all.has(certificate))) ?? null,
  };
}

/** Facts of a server whose versions are known, but no certificate. */
const noChain: ChainFacts = {
  chain: [],
  certificatesDropped: 0,
  chainAsSent: false,
  hostMatches: false,
  trusted: false,
  trustedBy: null,
  untrustedBecause: null,
  path: null,
};

/** Parameters that the server would negotiate with a client that supports DHE or RC4; this runtime does not. */
function negotiatedIn(answers: readonly HelloAnswer[]): TlsFacts["negotiated"] | null {
  const best = answers.find(({ version, flight }) => versionAnswer(version, flight) === "accepted");
  if (best === undefined) return null;
  return { protocol: protocolName(best.version), cipher: suiteName(best.flight.suite ?? 0), alpn: null };
}

/** A complete session also proves that its version is accepted. */
function versionsOf(answers: readonly HelloAnswer[], session: TlsSession | null): TlsFacts["versions"] {
  const entries = answers.map(({ version, flight }) => [
    version,
    session?.protocol === protocolName(version) ? "accepted" : versionAnswer(version, flight),
  ]);
  return Object.fromEntries(entries) as TlsFacts["versions"];
}

function protocolName(version: TlsVersion): string {
  return version === "1.0" ? "TLSv1" : `TLSv${version}`;
}

/** The chain as sent after a hello, if it starts with the session's certificate; else the runtime's, which may add the root. */
function serverChain(session: TlsSession | null, answers: readonly HelloAnswer[]): ServerChain {
  const leaf = session?.chain[0];
  const sent = answers
    .map(({ flight }) => flight.certificates)
    .find(([first]) => first !== undefined && (leaf === undefined || leaf.equals(first)));
  return sent === undefined ? { ders: session?.chain ?? [], asSent: false } : { ders: sent, asSent: true };
}

/** Errors about dates, which are judged apart from trust, and about the path, for which `pathError` is more thorough. */
const ignoredErrors: readonly string[] = [
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/**
 * Null if the runtime trusts the chain. Otherwise `pathError` decides first, because the runtime reports only one error
 * and mistakes some self-signed leaves for an incomplete chain. Other errors, such as a certificate that is not for
 * servers, come from the runtime.
 */
function trustErrorOf(chain: CertificateChain, session: TlsSession | null, anchors: TrustAnchors): string | null {
  if (session !== null && session.trustError === null) return null;
  const error = pathError(chain, anchors.all);
  if (error !== null || session === null) return error;
  return session.trustError !== null && ignoredErrors.includes(session.trustError) ? null : session.trustError;
}

/** A path to a bundled root counts as public, even if the operator trusts one too. */
function trustedBy(chain: CertificateChain, anchors: TrustAnchors): "public" | "operator" {
  return pathError(chain, anchors.public) === null ? "public" : "operator";
}

function failureWithoutSession(answers: readonly HelloAnswer[]): ProbeFailure {
  if (answers.some(({ flight }) => flight.isTls === true)) return "tls";
  if (answers.some(({ flight }) => flight.isTls === false)) return "invalid";
  return answers.some(({ ended }) => ended === "timeout") ? "timeout" : "unreachable";
}
