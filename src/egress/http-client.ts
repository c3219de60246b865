/** HTTP/1.1 client behind the SSRF guard: one bounded request, plain or over TLS; follows no redirect and decompresses nothing. */
import type { Socket } from "node:net";
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext, type TLSSocket } from "node:tls";
import { systemClock, withDeadline } from "../base/clock.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import { headerValueCharsMax, setCookieLinesMax } from "../evidence/limits.ts";
import { boundedHeaders, boundedSetCookie } from "../evidence/redact.ts";
import { alternativeNames } from "../parse/alternative-names.ts";
import { namesCoverHost } from "../parse/host-match.ts";
import type { Egress } from "./dial.ts";
import { CertificateRefused, EgressError, toEgressError } from "./egress-error.ts";
import { parseHost, portOf } from "./host.ts";
import { ResponseReader } from "./http-response.ts";
import { ownUserAgent } from "./settings.ts";

export interface GetOptions {
  /** For the whole exchange, from now. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  readonly bodyBytesMax: number;
  /** Characters kept of a header value; the default limit of evidence if absent. */
  readonly headerCharsMax?: number;
  /** Sent after Host and User-Agent. An own Accept replaces the default. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Trusted roots for https. Without it, certificates are not verified, because the tls probe assesses them. */
  readonly trust?: SecureContext | undefined;
}

export interface RequestOptions extends GetOptions {
  readonly method: "GET" | "POST" | "DELETE";
  /** Null without one. */
  readonly body: { readonly mediaType: string; readonly text: string } | null;
}

export interface HttpReply {
  readonly status: number;
  /** In order, with duplicates, truncated to the limits of evidence. */
  readonly headers: readonly HeaderField[];
  readonly headersDropped: number;
  /** Set-Cookie lines without values, at most `setCookieLinesMax`. */
  setCookies(): readonly ReturnType<typeof boundedSetCookie>[];
  /** The full value of the first field of that name; null when absent. */
  field(name: string): string | null;
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/**
 * @throws EgressError: those of `dial`; `tls` without a session; `CertificateRefused` when only the certificate is refused;
 * `invalid` for an answer that is not HTTP/1.1 or has an oversized head; `timeout`; `unreachable` when the peer disconnects.
 */
export function httpGet(egress: Egress, url: string | URL, options: GetOptions): Promise<HttpReply> {
  return httpRequest(egress, url, { ...options, method: "GET", body: null });
}

/** @throws EgressError as `httpGet` does. */
export function httpRequest(egress: Egress, url: string | URL, options: RequestOptions): Promise<HttpReply> {
  return withDeadline(systemClock, options.deadlineMs, [options.signal], (signal) => requestUntil(egress, new URL(url), options, signal));
}

async function requestUntil(egress: Egress, url: URL, options: RequestOptions, signal: AbortSignal): Promise<HttpReply> {
  const { method, body: sent } = options;
  const { protocol, hostname, pathname, search, host } = url;
  const port = portOf(url);
  const raw = await egress.dial(hostname, port, { deadlineMs: options.deadlineMs, signal });
  try {
    const socket = protocol === "https:" ? await startTls(raw, hostname, options, signal) : raw;
    const reader = new ResponseReader(options.bodyBytesMax);
    const fields = [
      ["Host", host],
      ["User-Agent", ownUserAgent],
      ...(options.headers?.some(([name]) => name.toLowerCase() === "accept") ? [] : [["Accept", "*/*"] as const]),
      ["Accept-Encoding", "identity"],
      ...(options.headers ?? []),
      ...(sent === null ? [] : [["Content-Type", sent.mediaType] as const, ["Content-Length", Buffer.byteLength(sent.text)] as const]),
    ];
    const lines = [`${method} ${pathname}${search} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`), "Connection: close"];
    await exchange(socket, `${lines.join("\r\n")}\r\n\r\n${sent?.text ?? ""}`, reader, signal);
    const { status, pairs, body, truncated } = reader.response();
    return {
      status,
      ...boundedHeaders(pairs, options.headerCharsMax),
      setCookies: () =>
        pairs
          .filter(([name]) => name.toLowerCase() === "set-cookie")
          .slice(0, setCookieLinesMax)
          .map(([, line]) => boundedSetCookie(line, options.headerCharsMax ?? headerValueCharsMax)),
      field: (name) => pairs.find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1] ?? null,
      body,
      truncated,
    };
  } finally {
    raw.destroy();
  }
}

/** Shared and without roots: loading them for an unverified connection costs milliseconds and a megabyte. */
const contextWithoutRoots = createSecureContext({ ca: [], minVersion: "TLSv1" });

/** The bundled roots and those of the texts, for servers that get secrets: no version below TLS 1.2 (RFC 8996). */
export function verifyingContext(caPems: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...rootCertificates, ...caPems], minVersion: "TLSv1.2" });
}

function startTls(raw: Socket, hostname: string, { trust }: GetOptions, signal: AbortSignal): Promise<Socket> {
  const host = parseHost(hostname);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new EgressError("timeout", `${hostname} did not finish the TLS handshake in time`));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const socket = connectTls({
      socket: raw,
      // RFC 6066 section 3: no literal addresses in SNI.
      servername: host?.kind === "name" ? host.text : "",
      // Verified below: the runtime's refusal looks like a broken connection, and it accepts a common name.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      secureContext: trust ?? contextWithoutRoots,
      ALPNProtocols: ["http/1.1"],
    });
    socket.on("error", (error) => reject(new EgressError("tls", `${hostname}: ${error.message}`)));
    socket.once("close", () => reject(new EgressError("tls", `${hostname} aborted the TLS handshake`)));
    socket.once("secureConnect", () => {
      signal.removeEventListener("abort", onAbort);
      const failure = trust === undefined ? null : certificateFailure(socket, host?.text ?? hostname);
      if (failure === null) resolve(socket);
      else reject(failure);
    });
  });
}

/** Null for a certificate that chains to a root and names the host (RFC 9525: the common name does not count). */
function certificateFailure(socket: TLSSocket, host: string): EgressError | null {
  const { raw } = socket.getPeerCertificate();
  // For rare key types the runtime returns an empty certificate, which proves nothing.
  if (raw === undefined) return new EgressError("tls", `${host}: a certificate that cannot be read`);
  if (socket.authorizationError) return new CertificateRefused(`${host}: ${socket.authorizationError}`);
  return namesCoverHost(alternativeNames(raw), host) ? null : new CertificateRefused(`${host}: a certificate for other names`);
}

function exchange(socket: Socket, request: string, reader: ResponseReader, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const attempt = (step: () => boolean) => {
      try {
        if (step()) resolve();
      } catch (thrown) {
        reject(toEgressError(thrown));
      }
    };
    const onAbort = () => reject(new EgressError("timeout", "the answer did not come in time"));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const onEnd = () =>
      attempt(() => {
        reader.end();
        return true;
      });
    socket.on("data", (chunk: Buffer) => attempt(() => reader.push(chunk)));
    socket.once("end", onEnd);
    socket.once("close", onEnd);
    socket.once("error", () => reject(new EgressError("unreachable", "the peer closed the connection")));
    socket.write(request);
  });
}
