/** Servers, a forward proxy and a minimal client for tests of the proxy. Test files call `cleanUp` after each test. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { openEgress } from "../../src/egress/dial.ts";
import { defaultProxyLimits, type EgressProxy, type ProxyLimits, startProxy } from "../../src/egress/proxy.ts";
import type { EgressSettings } from "../../src/egress/settings.ts";
import { onCleanUp } from "./clean-up.ts";
import { egressSettings } from "./egress-settings.ts";

interface Listener {
  readonly port: number;
  /** All connections so far. */
  readonly connections: number;
  /** Currently open connections. */
  readonly open: number;
}

export async function listen(onConnection: (socket: Socket) => void, address = "127.0.0.1"): Promise<Listener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onCleanUp(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
  };
}

/** Answers with the head of the request, so that a test sees the forwarded bytes. */
export const echo = (socket: Socket) =>
  socket.on("data", (head: Buffer) => socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nX-CaSe: 1\r\nx-case: 2\r\n\r\n"), head])));

/** Sends nothing and closes after the other side closed. */
export const quiet = (socket: Socket) => socket.resume().once("end", () => socket.end());

/** A proxy that maps `http://site.test` and `https://site.test` to the listener. */
export async function proxyTo(
  listener: Listener,
  limits: Partial<ProxyLimits> = {},
  given: Partial<EgressSettings> = {},
): Promise<EgressProxy> {
  const connectTo = [80, 443].map((port) => ({ host: "site.test", port, address: "127.0.0.1", addressPort: listener.port }));
  const egress = openEgress(egressSettings({ allowCidrs: ["127.0.0.1"], connectTo, ...given }));
  const proxy = await startProxy(egress, { ...defaultProxyLimits, ...limits });
  onCleanUp(async () => {
    await proxy.stop();
    egress.close();
  });
  return proxy;
}

export function dialProxy({ port }: { port: number }): Socket {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.on("error", () => {});
  onCleanUp(() => socket.destroy());
  return socket;
}

/** All bytes up to the end or the failure of the connection. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = () => resolve(Buffer.concat(chunks).toString("latin1"));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("end", finish);
    socket.once("close", finish);
  });
}

export function sendRequest(proxy: { port: number }, request: string): Promise<string> {
  const socket = dialProxy(proxy);
  socket.write(Buffer.from(request, "latin1"));
  return readAll(socket);
}

export const plainRequest = (url: string) => `GET ${url} HTTP/1.1\r\nHost: ${URL.parse(url)?.host}\r\n\r\n`;
export const tunnelRequest = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(10);
}
