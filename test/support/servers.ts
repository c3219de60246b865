/**
 * Real servers on 127.0.0.1 with ports of the system's choosing, and the egress settings that lead to them.
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
 * `"*"` answers every path that has no route of its own; without it they get 404. Paths are compared without their query.
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

export interface Asked {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface TestServer {
  readonly port: number;
  /** Requests in order of arrival; empty for servers that speak no HTTP. */
  readonly requests: readonly Asked[];
  /** Connections so far. */
  readonly connections: number;
  /** Cuts all connections and stops listening. */
  stop(): Promise<void>;
}

export interface TlsWish {
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
  /** OpenSSL cipher list for TLS 1.2 and older. */
  readonly ciphers?: string;
}

export async function startHttp(routes: Routes): Promise<TestServer> {
  const requests: Asked[] = [];
  return listening(createHttpServer(answering(routes, requests)), requests);
}

/** HTTP/1.1 over TLS, versions 1.0 to 1.3 as wished; 1.2 and 1.3 otherwise. */
export async function startHttps(identity: ServerIdentity, routes: Routes, wish: TlsWish = {}): Promise<TestServer> {
  const requests: Asked[] = [];
  const options = { cert: identity.certificateChainPem, key: identity.privateKeyPem, ...wish };
  return listening(createHttpsServer(options, answering(routes, requests)), requests);
}

/** A server that does with each connection whatever the test says: misbehave, above all. */
export async function startTcp(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listening(createTcpServer({ allowHalfOpen: true }, onConnection));
}

/** Settings of an installation that would refuse loopback, opened just so far that `host:port` leads to the server given. */
export function egressTo(places: Readonly<Record<string, { readonly port: number }>>, given: Partial<EgressSettings> = {}): EgressSettings {
  return {
    profile: "internet",
    allowCidrs: ["127.0.0.0/8"],
    denyCidrs: [],
    allowPorts: [80, 443],
    connectTo: Object.entries(places).map(([place, server]) => {
      const [, host = "", port] = /^(.+):(\d+)$/.exec(place) ?? [];
      return { host, port: Number(port), address: "127.0.0.1", addressPort: server.port };
    }),
    dnsServers: [],
    ownEndpoints: [],
    ...given,
  };
}

/** A port on which nothing listens: connections to it are refused. */
export async function closedPort(): Promise<number> {
  const server = await startTcp(() => {});
  await server.stop();
  return server.port;
}

function answering(routes: Routes, requests: Asked[]): (request: IncomingMessage, response: ServerResponse) => void {
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

/** Any server on a port of the system's choosing; `requests` is filled by whoever answers, where anybody counts. */
export async function listening(server: Server, requests: readonly Asked[] = []): Promise<TestServer> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  // A client that turns away in the middle of a handshake is what many tests are about.
  server.on("tlsClientError", () => {});
  server.on("clientError", (_error: Error, socket: Socket) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
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
