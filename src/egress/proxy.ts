/** Forward proxy that puts Chromium behind the SSRF guard: reads request heads, dials through the egress, pipes bytes. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { ProbeFailure } from "../evidence/evidence.ts";
import { endpointText } from "../parse/address.ts";
import { blockPort, unblockPort } from "./address-policy.ts";
import type { Egress } from "./dial.ts";
import { toEgressError } from "./egress-error.ts";
import { parseHost } from "./host.ts";

// Parses the head of one request to the forward proxy: destination and bytes to forward; RFC 9112 section 3.2.

interface ProxyRequest {
  /** `tunnel`: CONNECT, for https and WebSockets. `plain`: a request for an absolute http URL. */
  readonly kind: "tunnel" | "plain";
  readonly host: string;
  readonly port: number;
  /** First bytes for the server: the rewritten head of a plain request, then the bytes received after the head. */
  readonly forward: Buffer;
  /** Remaining bytes of this request. Later bytes would be another request, perhaps for another host. */
  readonly bodyBytesLeft: number;
}

type HeadLimits = Pick<ProxyLimits, "headBytesMax" | "headMs">;

const headEnd = Buffer.from("\r\n\r\n");

/** Reads a request head; null if it is too long, too slow, incomplete or not a proxy request. Leaves the socket paused. */
async function readProxyRequest(client: Socket, limits: HeadLimits): Promise<ProxyRequest | null> {
  const read = await readHead(client, limits);
  if (read === null) return null;
  const [requestLine = "", ...fieldLines] = read.head.split("\r\n");
  const [method = "", target = "", version = "", ...rest] = requestLine.split(" ");
  if (!/^HTTP\/1\.[01]$/.test(version) || rest.length > 0) return null;
  return method === "CONNECT" ? tunnelRequest(target, read.rest) : plainRequest(method, target, fieldLines, read.rest);
}

type ReadHead = { readonly head: string; readonly rest: Buffer };

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

/** Length of the body; null if it is not declared: browsers never send such a body through a proxy over HTTP/1.1. */
function bodyLength(fieldLines: readonly string[]): number | null {
  if (fieldLines.some((line) => /^transfer-encoding\s*:/i.test(line))) return null;
  const lengths = fieldLines.filter((line) => /^content-length\s*:/i.test(line)).map((line) => line.slice(line.indexOf(":") + 1).trim());
  if (lengths.length === 0) return 0;
  return lengths.length === 1 && /^\d{1,15}$/.test(lengths[0] ?? "") ? Number(lengths[0]) : null;
}

export const defaultProxyLimits = {
  bytesDownMax: 64 * 1_024 * 1_024,
  /** Simultaneous connections; Chromium itself opens at most 32 per proxy. */
  connectionsAtOnceMax: 64,
  connectionsMax: 2_000,
  /** Request line and fields; Chromium sends cookies and URLs of some hundred kilobytes. */
  headBytesMax: 256 * 1_024,
  headMs: 10_000,
  dialMs: 10_000,
};
export type ProxyLimits = Readonly<typeof defaultProxyLimits>;

export type EgressProxy = Awaited<ReturnType<typeof startProxy>>;

/** One failure per endpoint: at most as many as a scan can make connections. */
const failuresMax = defaultProxyLimits.connectionsMax;

/** Answer to a failed CONNECT. Chromium shows it as a network error, never as a page of the site. */
const tunnelRefused = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const tunnelEstablished = "HTTP/1.1 200 Connection established\r\n\r\n";

/** One listener on 127.0.0.1 for one scan. The SSRF guard blocks its port for every scan while it listens. */
export async function startProxy(egress: Egress, limits: ProxyLimits = defaultProxyLimits) {
  const failures = new Map<string, ProbeFailure>();
  /** Connections of the browser; closing one also closes its upstream connection. */
  const open = new Set<Socket>();
  const state = { accepted: 0, bytesDown: 0, tooLarge: false };

  function record(request: ProxyRequest, because: ProbeFailure | null): void {
    const key = endpointKey(request.host, request.port);
    if (because === null) failures.delete(key);
    else if (failures.size < failuresMax) failures.set(key, because);
  }

  async function serve(client: Socket): Promise<void> {
    const request = await readProxyRequest(client, limits);
    if (request === null) return void client.destroy();
    let upstream: Socket;
    try {
      upstream = await egress.dial(request.host, request.port, { deadlineMs: limits.dialMs });
    } catch (thrown) {
      record(request, toEgressError(thrown).because);
      return refuse(client, request);
    }
    record(request, null);
    if (client.destroyed) return void upstream.destroy();
    if (request.kind === "tunnel") client.write(tunnelEstablished);
    upstream.write(request.forward);
    pipeBoth(client, upstream, request.bodyBytesLeft);
  }

  function pipeBoth(client: Socket, upstream: Socket, bodyBytesLeft: number): void {
    let upBytesLeft = bodyBytesLeft;
    pump(client, upstream, (chunk) => {
      upBytesLeft -= chunk.length;
      return upBytesLeft >= 0;
    });
    pump(upstream, client, (chunk) => {
      state.bytesDown += chunk.length;
      if (state.bytesDown <= limits.bytesDownMax) return true;
      state.tooLarge = true;
      destroyAll(open);
      return false;
    });
  }

  function admit(): boolean {
    state.accepted++;
    return !state.tooLarge && open.size < limits.connectionsAtOnceMax && state.accepted <= limits.connectionsMax;
  }

  const server = createProxyServer(open, admit, (client) => void serve(client));
  const port = await listenOnLoopback(server);

  return {
    /** URL for Chromium's `proxyServer`. */
    url: `http://127.0.0.1:${port}`,
    port,
    /** Failure of the connection to an endpoint; null if it succeeded or was never tried. Hosts as in URLs. */
    failureOf(host: string, requestedPort: number): ProbeFailure | null {
      return state.tooLarge ? "too-large" : (failures.get(endpointKey(host, requestedPort)) ?? null);
    },
    /** True if servers sent more than `bytesDownMax`, so that all connections were closed. */
    get tooLarge() {
      return state.tooLarge;
    },
    get bytesDown() {
      return state.bytesDown;
    },
    stop: () => stopServer(server, port, open),
  };
}

export type RefusingProxy = Awaited<ReturnType<typeof startRefusingProxy>>;

/** A proxy that dials nothing: shows which scheme a browser chooses by itself, without any network traffic. */
export async function startRefusingProxy(limits: ProxyLimits = defaultProxyLimits) {
  const requested: { readonly scheme: "https" | "http"; readonly host: string; readonly port: number }[] = [];
  const open = new Set<Socket>();
  const admit = () => open.size < limits.connectionsAtOnceMax && requested.length < limits.connectionsMax;
  const server = createProxyServer(open, admit, (client) => {
    void readProxyRequest(client, limits).then((request) => {
      if (request === null) return void client.destroy();
      requested.push({ scheme: request.kind === "tunnel" ? "https" : "http", host: request.host, port: request.port });
      refuse(client, request);
    });
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, port, requested, stop: () => stopServer(server, port, open) };
}

/** Closes a plain request without an answer, because any answer would look like a page of the site. */
function refuse(client: Socket, { kind }: ProxyRequest): void {
  if (kind === "tunnel") client.end(tunnelRefused, () => client.destroy());
  else client.destroy();
}

/** Pipes bytes with backpressure and forwards the end. Destroys both sockets when `admit` returns false. */
function pump(from: Socket, to: Socket, admit: (chunk: Buffer) => boolean): void {
  const destroyBoth = () => {
    from.destroy();
    to.destroy();
  };
  from.on("data", (chunk: Buffer) => {
    if (!admit(chunk)) return destroyBoth();
    if (!to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.once("end", () => to.end());
  from.once("error", destroyBoth);
  from.once("close", () => {
    // After a clean end, the bytes still buffered are delivered first.
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
  if (from.isPaused()) from.resume();
}

function destroyAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

function endpointKey(host: string, port: number): string {
  return endpointText(parseHost(host)?.text ?? host, port);
}

/** Tracks open connections, and closes each new one that `admit` rejects. */
function createProxyServer(open: Set<Socket>, admit: () => boolean, serve: (client: Socket) => void): Server {
  return createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => {});
    if (!admit()) return void client.destroy();
    open.add(client);
    client.once("close", () => open.delete(client));
    serve(client);
  });
}

async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  blockPort(port);
  return port;
}

async function stopServer(server: Server, port: number, open: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  destroyAll(open);
  await closed;
  unblockPort(port);
}
