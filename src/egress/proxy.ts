/** Forward proxy that puts Chromium behind the SSRF guard: reads request heads, dials through the egress, pipes bytes. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { ProbeFailure } from "../evidence/evidence.ts";
import { blockPort, unblockPort } from "./blocked-ports.ts";
import type { Egress } from "./dial.ts";
import { toEgressError } from "./egress-error.ts";
import { endpointText, parseHost } from "./host.ts";
import { type ProxyRequest, readProxyRequest } from "./proxy-request.ts";

export interface ProxyLimits {
  readonly bytesDownMax: number;
  /** Simultaneous connections; Chromium itself opens at most 32 per proxy. */
  readonly connectionsAtOnceMax: number;
  readonly connectionsMax: number;
  /** Request line and fields; Chromium sends cookies and URLs of some hundred kilobytes. */
  readonly headBytesMax: number;
  readonly headMs: number;
  readonly dialMs: number;
}

export const defaultProxyLimits: ProxyLimits = {
  bytesDownMax: 64 * 1_024 * 1_024,
  connectionsAtOnceMax: 64,
  connectionsMax: 2_000,
  headBytesMax: 256 * 1_024,
  headMs: 10_000,
  dialMs: 10_000,
};

export interface EgressProxy {
  /** For Chromium's `proxyServer`: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Why the browser did not reach that endpoint; null when it did or never tried. Hosts as in URLs. */
  failureOf(host: string, port: number): ProbeFailure | null;
  /** Whether servers sent more than `bytesDownMax`, so that all connections were closed. */
  readonly tooLarge: boolean;
  readonly bytesDown: number;
  stop(): Promise<void>;
}

/** One failure per endpoint: at most as many as a scan can make connections. */
const failuresMax = defaultProxyLimits.connectionsMax;

/** Answer to a failed CONNECT. Chromium shows it as a network error, never as a page of the site. */
const tunnelRefused = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const tunnelEstablished = "HTTP/1.1 200 Connection established\r\n\r\n";

/** One listener on 127.0.0.1 for one scan. The SSRF guard blocks its port for every scan while it listens. */
export async function startProxy(egress: Egress, limits: ProxyLimits = defaultProxyLimits): Promise<EgressProxy> {
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
    url: `http://127.0.0.1:${port}`,
    port,
    failureOf(host, requestedPort) {
      return state.tooLarge ? "too-large" : (failures.get(endpointKey(host, requestedPort)) ?? null);
    },
    get tooLarge() {
      return state.tooLarge;
    },
    get bytesDown() {
      return state.bytesDown;
    },
    stop: () => stopServer(server, port, open),
  };
}

/** A proxy that dials nothing: shows which scheme a browser chooses by itself, without any network traffic. */
export interface RefusingProxy {
  readonly url: string;
  readonly port: number;
  readonly requested: readonly { readonly scheme: "https" | "http"; readonly host: string; readonly port: number }[];
  stop(): Promise<void>;
}

export async function startRefusingProxy(limits: ProxyLimits = defaultProxyLimits): Promise<RefusingProxy> {
  const requested: RefusingProxy["requested"][number][] = [];
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
