/** Shakes hands with a server over TLS as this runtime does, and keeps what it saw, whatever it thinks of the certificate. */
import type { Socket } from "node:net";
import { connect, type DetailedPeerCertificate, type TLSSocket } from "node:tls";
import type { TrustAnchors } from "./trust.ts";

export interface TlsSession {
  /** As the runtime names it: `TLSv1.3`. */
  readonly protocol: string;
  readonly cipher: string;
  readonly alpn: string | null;
  /** DER, leaf first: the path that the runtime built, a root of its own included. Empty when it cannot show the certificate. */
  readonly chain: readonly Buffer[];
  /** The runtime's code for why it does not trust the chain, its first objection only; names are not its business. */
  readonly objection: string | null;
}

const chainStepsMax = 20;

/** Null when no session came about before the signal. Takes the socket over and destroys it. */
export function shakeHands(raw: Socket, serverName: string | null, anchors: TrustAnchors, signal: AbortSignal): Promise<TlsSession | null> {
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
    // Read at once: the runtime forgets a session as soon as its connection is gone.
    socket.once("secureConnect", () => end(sessionOf(socket)));
  });
}

function sessionOf(socket: TLSSocket): TlsSession {
  const objection: unknown = socket.authorizationError ?? null;
  return {
    protocol: socket.getProtocol() ?? "",
    cipher: socket.getCipher()?.name ?? "",
    alpn: socket.alpnProtocol || null,
    chain: chainOf(socket.getPeerCertificate(true)),
    objection: objection === null ? null : ((objection as { code?: string }).code ?? String(objection)),
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
    // A root is its own issuer.
    if (at.issuerCertificate === at || at.issuerCertificate?.raw?.equals(at.raw)) break;
  }
  return chain;
}
