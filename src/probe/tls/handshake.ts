/** TLS handshake by this runtime, which records the session even if the certificate is not trusted. */
import type { Socket } from "node:net";
import { connect, type DetailedPeerCertificate, type TLSSocket } from "node:tls";
import type { TrustAnchors } from "./trust.ts";

export interface TlsSession {
  readonly protocol: string;
  readonly cipher: string;
  readonly alpn: string | null;
  /** DER, leaf first: the certificates that the server sent, and the trusted root. Empty for key types that the runtime cannot show. */
  readonly chain: readonly Buffer[];
  /** The runtime's first error of the chain, host name not considered; null if trusted. */
  readonly trustError: string | null;
}

const chainStepsMax = 20;

/** Null without a session before the signal. Takes over the socket and destroys it. */
export function performHandshake(
  raw: Socket,
  serverName: string | null,
  anchors: TrustAnchors,
  signal: AbortSignal,
): Promise<TlsSession | null> {
  return new Promise((resolve) => {
    const end = (session: TlsSession | null) => {
      signal.removeEventListener("abort", onAbort);
      raw.destroy();
      resolve(session);
    };
    const onAbort = () => end(null);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
    const socket = connect({
      socket: raw,
      // RFC 6066 section 3: no literal addresses in SNI.
      servername: serverName ?? "",
      secureContext: anchors.context,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    socket.on("error", () => end(null));
    socket.once("close", () => end(null));
    // Read at once, because the runtime forgets the session when the connection closes.
    socket.once("secureConnect", () => end(sessionOf(socket)));
  });
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
    // A root is its own issuer. A copy of a certificate is another one that the server sent.
    if (at.issuerCertificate === at) break;
  }
  return chain;
}
