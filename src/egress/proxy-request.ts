/** Parses the head of one request to the forward proxy: destination and bytes to forward; RFC 9112 section 3.2. */
import type { Socket } from "node:net";

export interface ProxyRequest {
  /** `tunnel`: CONNECT, for https and WebSockets. `plain`: a request for an absolute http URL. */
  readonly kind: "tunnel" | "plain";
  readonly host: string;
  readonly port: number;
  /** First bytes for the server: the rewritten head of a plain request, then the bytes received after the head. */
  readonly forward: Buffer;
  /** Remaining bytes of this request. Later bytes would be another request, perhaps for another host. */
  readonly bodyBytesLeft: number;
}

export interface HeadLimits {
  readonly headBytesMax: number;
  readonly headMs: number;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Null for a head that is too long, too slow, incomplete or not a proxy request. Leaves the socket paused. */
export async function readProxyRequest(client: Socket, limits: HeadLimits): Promise<ProxyRequest | null> {
  const read = await readHead(client, limits);
  if (read === null) return null;
  const [requestLine = "", ...fieldLines] = read.head.split("\r\n");
  const [method = "", target = "", version = "", ...rest] = requestLine.split(" ");
  if (!/^HTTP\/1\.[01]$/.test(version) || rest.length > 0) return null;
  return method === "CONNECT" ? tunnelRequest(target, read.rest) : plainRequest(method, target, fieldLines, read.rest);
}

interface ReadHead {
  readonly head: string;
  readonly rest: Buffer;
}

function readHead(client: Socket, { headBytesMax, headMs }: HeadLimits): Promise<ReadHead | null> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const settle = (result: ReadHead | null) => {
      clearTimeout(timer);
      client.pause();
      client.off("data", onData);
      client.off("end", onEnd);
      client.off("close", onEnd);
      resolve(result);
    };
    const onEnd = () => settle(null);
    const onData = (chunk: Buffer) => {
      const searchFrom = Math.max(0, received.length - headEnd.length);
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(headEnd, searchFrom);
      if (end >= 0 && end <= headBytesMax) {
        settle({ head: received.toString("latin1", 0, end), rest: received.subarray(end + headEnd.length) });
      } else if (received.length > headBytesMax) settle(null);
    };
    const timer = setTimeout(onEnd, headMs);
    client.on("data", onData);
    client.once("end", onEnd);
    client.once("close", onEnd);
  });
}

function tunnelRequest(target: string, rest: Buffer): ProxyRequest | null {
  const authority = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(target);
  if (authority === null) return null;
  const [, host = "", port] = authority;
  return { kind: "tunnel", host, port: Number(port), forward: rest, bodyBytesLeft: Number.POSITIVE_INFINITY };
}

function plainRequest(method: string, target: string, fieldLines: readonly string[], rest: Buffer): ProxyRequest | null {
  const url = URL.parse(target);
  if (url?.protocol !== "http:") return null;
  const bodyBytes = bodyLength(fieldLines);
  if (bodyBytes === null || rest.length > bodyBytes) return null;
  const head = [
    // Origin form as written, not as a URL parser would serialise it.
    `${method} ${originForm(target)} HTTP/1.1`,
    ...fieldLines.filter((line) => !/^(proxy-[a-z-]+|connection|keep-alive)\s*:/i.test(line)),
    "Connection: close",
  ].join("\r\n");
  return {
    kind: "plain",
    host: url.hostname,
    port: url.port === "" ? 80 : Number(url.port),
    forward: Buffer.concat([Buffer.from(head, "latin1"), headEnd, rest]),
    bodyBytesLeft: bodyBytes - rest.length,
  };
}

/** The request target after scheme and authority, without the fragment, which is never sent. */
function originForm(target: string): string {
  const rest = target.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/#.*$/, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Null for a body without declared length: browsers never send one through a proxy over HTTP/1.1. */
function bodyLength(fieldLines: readonly string[]): number | null {
  if (fieldLines.some((line) => /^transfer-encoding\s*:/i.test(line))) return null;
  const lengths = fieldLines.filter((line) => /^content-length\s*:/i.test(line)).map((line) => line.slice(line.indexOf(":") + 1).trim());
  if (lengths.length === 0) return 0;
  return lengths.length === 1 && /^\d{1,15}$/.test(lengths[0] ?? "") ? Number(lengths[0]) : null;
}
