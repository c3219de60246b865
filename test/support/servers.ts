/**
 * Real servers on free ports of 127.0.0.1, and the egress settings that lead to them.
 *
 *     const site = await startHttps(siteIdentity("site.test"), {
 *       "/": { headers: { "strict-transport-security": "max-age=1" }, body: "<h1>hello</h1>" },
 *       "/old": { status: 301, headers: { location: "/" } },
 *       "/slow": (request, response) => void setTimeout(() => response.end("late"), 500),
 *     });
 *     const plain = await startHttp({ "*": { status: 301, headers: { location: "https://site.test/" } } });
 *     const settings = egressTo({ "site.test:443": site, "site.test:80": plain });
 *     const egress = openEgress(settings);       // now https://site.test/ is that server
 *     ...
 *     await site.stop();
 *
 * Route `"*"` answers paths without a route; otherwise they get 404. Routes are matched without the query.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { SecureVersion } from "node:tls";
import type { EgressSettings } from "../../src/egress/settings.ts";
import type { ServerIdentity } from "./certificates.ts";

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}
export type Route = Answer | ((request: IncomingMessage, response: ServerResponse) => void);
export type Routes = Readonly<Record<string, Route>>;

export interface ReceivedRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface TestServer {
  readonly port: number;
  /** Requests in order of arrival; empty for servers without HTTP. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections so far. */
  readonly connections: number;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
}

export interface TlsOptions {
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
  /** OpenSSL cipher list for TLS 1.2 and older. */
  readonly ciphers?: string;
}

/** `address`: another one of loopback. */
export async function startHttp(routes: Routes, address?: string): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  return listening(createHttpServer(answering(routes, requests)), requests, address);
}

/** HTTP/1.1 over TLS 1.2 and 1.3 by default; `tls` allows 1.0 to 1.3. */
export async function startHttps(
  identity: ServerIdentity,
  routes: Routes,
  { address, ...tls }: TlsOptions & { readonly address?: string } = {},
): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const options = { cert: identity.certificateChainPem, key: identity.privateKeyPem, ...tls };
  return listening(createHttpsServer(options, answering(routes, requests)), requests, address);
}

/** A TCP server whose behaviour the test defines, usually a faulty one. */
export async function startTcp(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listening(createTcpServer({ allowHalfOpen: true }, onConnection));
}

/** Settings that map each `host:port` to a test server; loopback is otherwise unreachable. */
export function egressTo(
  endpoints: Readonly<Record<string, { readonly port: number }>>,
  given: Partial<EgressSettings> = {},
): EgressSettings {
  return {
    profile: "internet",
    allowCidrs: ["127.0.0.0/8"],
    denyCidrs: [],
    allowPorts: [80, 443],
    connectTo: Object.entries(endpoints).map(([endpoint, server]) => {
      const [, host = "", port] = /^(.+):(\d+)$/.exec(endpoint) ?? [];
      return { host, port: Number(port), address: "127.0.0.1", addressPort: server.port };
    }),
    dnsServers: [],
    ownEndpoints: [],
    ...given,
  };
}

function answering(routes: Routes, requests: ReceivedRequest[]): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const { method = "", url: path = "/", headers } = request;
    requests.push({ method, path, headers: { ...headers } });
    const route = routes[path.replace(/\?.*$/, "")] ?? routes["*"] ?? { status: 404, body: "not found" };
    if (typeof route === "function") return route(request, response);
    response.writeHead(route.status ?? 200, { "content-type": "text/html; charset=utf-8", ...lowerCase(route.headers ?? {}) });
    response.end(route.body ?? "");
  };
}

function lowerCase(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), typeof value === "string" ? value : [...value]]),
  );
}

/** Starts any server on a free port of a loopback address. Its request handler may record into `requests`. */
export async function listening(server: Server, requests: readonly ReceivedRequest[] = [], address = "127.0.0.1"): Promise<TestServer> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  // Many tests have clients that abort the handshake.
  server.on("tlsClientError", () => {});
  server.on("clientError", (_error: Error, socket: Socket) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    get connections() {
      return connections;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
