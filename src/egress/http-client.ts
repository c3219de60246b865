/** HTTP/1.1 client behind the SSRF guard: one bounded request, plain or over TLS; follows no redirect and decompresses nothing. */

import type { Socket } from "node:net";
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext, type TLSSocket } from "node:tls";
import { withDeadline } from "../base/clock.ts";
import { createLruCache } from "../base/lru-cache.ts";
import { deadlineClock } from "../base/standstill.ts";
import { headerValueCharsMax, setCookieLinesMax } from "../evidence/limits.ts";
import { boundedHeaders, boundedSetCookie, decodedHeaderValue } from "../evidence/redact.ts";
import { alternativeNames, namesCoverHost } from "../parse/certificate.ts";
import type { Egress } from "./dial.ts";
import { CertificateRefused, EgressError, orTimeout, toEgressError } from "./egress-error.ts";
import { parseHost, portOf } from "./host.ts";
import { ownUserAgent } from "./settings.ts";

// Incremental parser of one HTTP/1.1 response, bounded and as lenient as browsers; RFC 9112.

/** Status line and fields. Large enough for sites that send 100 KB of headers. */
const headBytesMax = 256 * 1_024;
const interimMax = 8;
const chunkLineBytesMax = 4_096;
const lf = 0x0a;

type Framing = "none" | "length" | "chunked" | "close";

/** Call `push` until it returns true, or `end` when the peer ends the connection; then read `response`. */
class ResponseReader {
  readonly #bodyBytesMaxOf: (status: number) => number;
  #bodyBytesMax = 0;
  #head = Buffer.allocUnsafe(16 * 1_024);
  #headBytes = 0;
  #interims = 0;
  #status = 0;
  /** Fields as sent, with order, spelling and duplicates. */
  #pairs: readonly (readonly [string, string])[] = [];
  #framing: Framing | null = null;
  /** Remaining bytes of the body or of the current chunk. */
  #bytesLeft = 0;
  /** The incomplete size line; null inside a chunk. */
  #chunkLine: string | null = "";
  #body: Buffer[] = [];
  #bodyBytes = 0;
  #truncated = false;
  #complete = false;

  constructor(bodyBytesMaxOf: (status: number) => number) {
    this.#bodyBytesMaxOf = bodyBytesMaxOf;
  }

  /** Returns true once the response is complete or truncated. @throws EgressError `invalid`. */
  push(bytes: Buffer): boolean {
    let rest = bytes;
    while (this.#framing === null && rest.length > 0) rest = this.#pushHead(rest);
    if (this.#framing !== null && !this.#complete) this.#pushBody(rest);
    return this.#complete;
  }

  /** @throws EgressError when the response is incomplete: `invalid` within its head, else `unreachable`. */
  end(): void {
    if (this.#framing === "close") this.#complete = true;
    if (this.#complete) return;
    if (this.#framing === null && this.#headBytes > 0) throw invalid("the answer ended within its head");
    throw new EgressError("unreachable", "the connection ended before the answer did");
  }

  response() {
    return { status: this.#status, pairs: this.#pairs, body: Buffer.concat(this.#body), truncated: this.#truncated };
  }

  /** Consumes bytes up to the empty line and returns the rest. */
  #pushHead(bytes: Buffer): Buffer {
    const searchFrom = Math.max(0, this.#headBytes - 3);
    this.#keepHead(bytes);
    const before = this.#headBytes - bytes.length;
    if (before < "HTTP/".length && !"HTTP/".startsWith(this.#headText(0, Math.min(5, this.#headBytes))))
      throw invalid("the answer is not HTTP/1");
    const end = headEnd(this.#head, searchFrom, this.#headBytes);
    if (end === null) {
      if (this.#headBytes > headBytesMax) throw invalid(`the head is longer than ${headBytesMax} bytes`);
      return bytes.subarray(bytes.length);
    }
    this.#readHead(this.#headText(0, end));
    this.#headBytes = 0;
    return bytes.subarray(end - before);
  }

  #keepHead(bytes: Buffer): void {
    const needed = this.#headBytes + bytes.length;
    if (needed > this.#head.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#head.length));
      this.#head.copy(larger, 0, 0, this.#headBytes);
      this.#head = larger;
    }
    bytes.copy(this.#head, this.#headBytes);
    this.#headBytes = needed;
  }

  #headText(from: number, to: number): string {
    return this.#head.toString("latin1", from, to);
  }

  #readHead(head: string): void {
    if (head.length > headBytesMax) throw invalid(`the head is longer than ${headBytesMax} bytes`);
    const [statusLine = "", ...lines] = head.split(/\r?\n/);
    const status = /^HTTP\/1\.\d ([1-5]\d\d)(?: |$)/.exec(statusLine)?.[1];
    if (status === undefined) throw invalid("the answer is not HTTP/1");
    this.#status = Number(status);
    // RFC 9110 section 15.2. An unrequested 101 counts as a final response.
    if (this.#status < 200 && this.#status !== 101) {
      if (++this.#interims > interimMax) throw invalid(`more than ${interimMax} interim responses`);
      return;
    }
    this.#pairs = readFields(lines);
    this.#beginBody();
  }

  /** RFC 9112 section 6.3. */
  #beginBody(): void {
    this.#bodyBytesMax = this.#bodyBytesMaxOf(this.#status);
    const all = (name: string) => this.#pairs.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value.trim());
    const lengths = new Set(all("content-length"));
    const length = [...lengths][0] ?? "";
    if (this.#status === 101 || this.#status === 204 || this.#status === 304) this.#framing = "none";
    else if (all("transfer-encoding").some((value) => /(^|,)\s*chunked\s*$/i.test(value))) this.#framing = "chunked";
    else if (lengths.size === 0) this.#framing = "close";
    else if (lengths.size === 1 && /^\d{1,15}$/.test(length)) this.#framing = "length";
    else throw invalid("the length of the answer is not a number");
    if (this.#framing === "length") this.#bytesLeft = Number(length);
    this.#complete = this.#framing === "none" || (this.#framing === "length" && this.#bytesLeft === 0);
    // A caller without interest in the body does not wait for it.
    if (!this.#complete && this.#bodyBytesMax === 0) this.#cut();
  }

  #pushBody(bytes: Buffer): void {
    if (this.#framing === "chunked") {
      this.#pushChunks(bytes);
      return;
    }
    const part = this.#framing === "length" ? bytes.subarray(0, this.#bytesLeft) : bytes;
    this.#keepBody(part);
    this.#bytesLeft -= part.length;
    if (this.#framing === "length" && this.#bytesLeft === 0) this.#complete = true;
  }

  /** RFC 9112 section 7.1. Ignores trailers, because the connection is closed anyway. */
  #pushChunks(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && !this.#complete) {
      if (this.#chunkLine === null) {
        const part = rest.subarray(0, this.#bytesLeft);
        this.#keepBody(part);
        this.#bytesLeft -= part.length;
        rest = rest.subarray(part.length);
        if (this.#bytesLeft === 0) this.#chunkLine = "";
        continue;
      }
      const lineEnd = rest.indexOf(lf);
      const taken = lineEnd < 0 ? rest : rest.subarray(0, lineEnd + 1);
      this.#chunkLine += taken.toString("latin1");
      rest = rest.subarray(taken.length);
      if (this.#chunkLine.length > chunkLineBytesMax) throw invalid("a chunk's size line is too long");
      if (lineEnd >= 0) this.#readChunkLine(this.#chunkLine);
    }
  }

  #readChunkLine(line: string): void {
    this.#chunkLine = "";
    // The line break after the previous chunk.
    if (line === "\r\n" || line === "\n") return;
    const size = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?\r?\n$/i.exec(line)?.[1];
    if (size === undefined) throw invalid("a chunk has no size");
    this.#bytesLeft = Number.parseInt(size, 16);
    if (this.#bytesLeft === 0) this.#complete = true;
    else this.#chunkLine = null;
  }

  #keepBody(bytes: Buffer): void {
    const bytesFree = this.#bodyBytesMax - this.#bodyBytes;
    const kept = bytes.subarray(0, bytesFree);
    if (kept.length > 0) this.#body.push(Buffer.from(kept));
    this.#bodyBytes += kept.length;
    if (bytes.length > bytesFree) this.#cut();
  }

  #cut(): void {
    this.#truncated = true;
    this.#complete = true;
  }
}

function invalid(message: string): EgressError {
  return new EgressError("invalid", message);
}

/** Offset after the empty line that ends the head; also accepts bare line feeds (RFC 9112 section 2.2). */
function headEnd(bytes: Buffer, from: number, to: number): number | null {
  for (let at = bytes.indexOf(lf, from); at >= 0 && at < to; at = bytes.indexOf(lf, at + 1)) {
    if (at + 1 < to && bytes[at + 1] === lf) return at + 2;
    if (at + 2 < to && bytes[at + 1] === 0x0d && bytes[at + 2] === lf) return at + 3;
  }
  return null;
}

/** Skips invalid lines and joins folded ones, as browsers do (RFC 9112 section 5.2). */
function readFields(lines: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (const line of lines) {
    const folded = /^[ \t]+(.*)$/s.exec(line);
    const last = pairs.at(-1);
    if (folded !== null && last !== undefined) last[1] = `${last[1]} ${folded[1]?.trim() ?? ""}`.trim();
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/s.exec(line);
    if (field !== null) pairs.push([field[1] ?? "", decodedHeaderValue(field[2] ?? "").trim()]);
  }
  return pairs;
}

export interface GetOptions {
  /** Deadline of the whole exchange, from now. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Bytes kept of the body. With 0, the head of the answer ends the exchange. */
  readonly bodyBytesMax: number | ((status: number) => number);
  /** Characters kept of a header value; the default limit of evidence if absent. */
  readonly headerCharsMax?: number;
  /** Additional fields, sent after Host and User-Agent. Accept replaces the default. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Trusted roots for https. Without it, certificates are not verified, because the tls probe assesses them. */
  readonly trust?: SecureContext | undefined;
}

export interface RequestOptions extends GetOptions {
  readonly method: "GET" | "POST" | "DELETE";
  /** Null if absent. */
  readonly body: { readonly mediaType: string; readonly text: string } | null;
}

export type HttpReply = Awaited<ReturnType<typeof requestUntil>>;

/**
 * @throws EgressError: all errors of `dial`; `tls` without a session; `CertificateRefused` when only the certificate is refused;
 * `invalid` for an answer that is not HTTP/1.1 or has an oversized head; `timeout`; `unreachable` when the peer disconnects.
 */
export function httpGet(egress: Egress, url: string | URL, options: GetOptions): Promise<HttpReply> {
  return httpRequest(egress, url, { ...options, method: "GET", body: null });
}

/** @throws EgressError as `httpGet` does. */
export function httpRequest(egress: Egress, url: string | URL, options: RequestOptions): Promise<HttpReply> {
  return withDeadline(deadlineClock, options.deadlineMs, [options.signal], (signal) => requestUntil(egress, new URL(url), options, signal));
}

async function requestUntil(egress: Egress, url: URL, options: RequestOptions, signal: AbortSignal) {
  const { method, body: sent } = options;
  const { protocol, hostname, pathname, search, host } = url;
  const port = portOf(url);
  const raw = await egress.dial(hostname, port, { deadlineMs: options.deadlineMs, signal });
  try {
    const socket = protocol === "https:" ? await startTls(raw, hostname, options, signal) : raw;
    const { bodyBytesMax } = options;
    const reader = new ResponseReader(typeof bodyBytesMax === "number" ? () => bodyBytesMax : bodyBytesMax);
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
      /** Fields in order, with duplicates, truncated to the limits of evidence. */
      ...boundedHeaders(pairs, options.headerCharsMax),
      /** Set-Cookie lines without values, at most `setCookieLinesMax`. */
      setCookies: () =>
        pairs
          .filter(([name]) => name.toLowerCase() === "set-cookie")
          .slice(0, setCookieLinesMax)
          .map(([, line]) => boundedSetCookie(line, options.headerCharsMax ?? headerValueCharsMax)),
      /** The full value of the first field of that name; null when absent. */
      field: (name: string): string | null => pairs.find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1] ?? null,
      body,
      truncated,
    };
  } finally {
    raw.destroy();
  }
}

/** Shared context without roots: an unverified connection does not need them, and loading costs a megabyte. */
const contextWithoutRoots = createSecureContext({ ca: [], minVersion: "TLSv1" });

/** Contexts with roots, by what they were made of: one takes some 50 ms and a megabyte. A server uses few. */
const contextsWithRoots = createLruCache<SecureContext>(4);

/**
 * Context with the bundled roots and the given ones; the same object for the same roots. Servers that get secrets need TLS 1.2 or newer
 * (RFC 8996). @throws Error for text that is no certificate.
 */
export function verifyingContext(caPems: readonly string[], minVersion: "TLSv1" | "TLSv1.2" = "TLSv1.2"): SecureContext {
  const key = [minVersion, ...caPems].join("\n");
  const context = contextsWithRoots.get(key) ?? createSecureContext({ ca: [...rootCertificates, ...caPems], minVersion });
  contextsWithRoots.set(key, context);
  return context;
}

function startTls(raw: Socket, hostname: string, { trust }: GetOptions, signal: AbortSignal): Promise<Socket> {
  const host = parseHost(hostname);
  const secured = () => {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
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
      const failure = trust === undefined ? null : certificateFailure(socket, host?.text ?? hostname);
      if (failure === null) resolve(socket);
      else reject(failure);
    });
    return promise;
  };
  return orTimeout(signal, `${hostname} did not finish the TLS handshake in time`, secured);
}

/** Reason to refuse a certificate; null if it chains to a root and names the host (RFC 9525: the common name does not count). */
function certificateFailure(socket: TLSSocket, host: string): EgressError | null {
  const { raw } = socket.getPeerCertificate();
  // For rare key types the runtime returns an empty certificate, which proves nothing.
  if (raw === undefined) return new EgressError("tls", `${host}: a certificate that cannot be read`);
  if (socket.authorizationError) return new CertificateRefused(`${host}: ${socket.authorizationError}`);
  return namesCoverHost(alternativeNames(raw), host) ? null : new CertificateRefused(`${host}: a certificate for other names`);
}

function exchange(socket: Socket, request: string, reader: ResponseReader, signal: AbortSignal): Promise<void> {
  return orTimeout(signal, "the answer did not come in time", () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const attempt = (isComplete: () => boolean) => {
      try {
        if (isComplete()) resolve();
      } catch (thrown) {
        reject(toEgressError(thrown));
      }
    };
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
    return promise;
  });
}
