/** The forward proxy through which Chromium meets the network: reads request heads, dials through the egress, pipes bytes. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { ProbeFailure } from "../evidence/evidence.ts";
import { blockPort, unblockPort } from "./blocked-ports.ts";
import type { Egress } from "./dial.ts";
import { toEgressError } from "./egress-error.ts";
import { endpointText, parseHost } from "./host.ts";
import { type ProxyRequest, readProxyRequest } from "./proxy-request.ts";

/** What one scan may use up. A page that needs more is cut off and the scan says so. */
export interface ProxyLimits {
  /** Bytes from all servers to the browser. */
  readonly bytesDownMax: number;
  /** Connections at once; Chromium itself stops at 32 per proxy. */
  readonly connectionsAtOnceMax: number;
  readonly connectionsMax: number;
  /** Request line and fields; Chromium allows itself cookies and URLs of some hundred kilobytes. */
  readonly headBytesMax: number;
  /** Until a request head is complete. */
  readonly headMs: number;
  /** Resolving and connecting for one request. */
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
  /** Where it listens, as Chromium's `proxyServer` takes it: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Why the browser did not get through to that place, or null when it did or never asked. Hosts stand as in URLs. */
  failureOf(host: string, port: number): ProbeFailure | null;
  /** Whether the scan was cut because servers sent more than `bytesDownMax`. */
  readonly tooLarge: boolean;
  readonly bytesDown: number;
  /** Cuts every connection and stops listening. */
  stop(): Promise<void>;
}

/** Places whose failure is remembered: as many as a scan can make connections. */
const failuresMax = defaultProxyLimits.connectionsMax;

/** Answers a tunnel that cannot be had. Chromium makes an error of its own of it, never a page "from" the site. */
const noTunnel = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const tunnelOpen = "HTTP/1.1 200 Connection established\r\n\r\n";

/** One listener on 127.0.0.1 for one scan. Its port is shut to every scan while it listens. */
export async function startProxy(egress: Egress, limits: ProxyLimits = defaultProxyLimits): Promise<EgressProxy> {
  const failures = new Map<string, ProbeFailure>();
  /** The browser's connections; each takes its server's connection along when it closes. */
  const open = new Set<Socket>();
  const state = { accepted: 0, bytesDown: 0, tooLarge: false };

  function record(request: ProxyRequest, because: ProbeFailure | null): void {
    const key = placeKey(request.host, request.port);
    if (because === null) failures.delete(key);
    else if (failures.size < failuresMax) failures.set(key, because);
  }

  function cutAll(): void {
    for (const socket of open) socket.destroy();
  }

  async function serve(client: Socket): Promise<void> {
    const request = await readProxyRequest(client, limits);
    if (request === null) return void client.destroy();
    let upstream: Socket;
    try {
      upstream = await egress.dial(request.host, request.port, { deadlineMs: limits.dialMs });
    } catch (thrown) {
      record(request, toEgressError(thrown).because);
      // Whatever we answered to a plain request would be a page from the site: the browser gets a cut connection.
      if (request.kind === "tunnel") client.end(noTunnel, () => client.destroy());
      else client.destroy();
      return;
    }
    record(request, null);
    if (client.destroyed) return void upstream.destroy();
    if (request.kind === "tunnel") client.write(tunnelOpen);
    upstream.write(request.forward);
    join(client, upstream, request.bodyBytesLeft);
  }

  function join(client: Socket, upstream: Socket, bodyBytesLeft: number): void {
    let upBytesLeft = bodyBytesLeft;
    pump(client, upstream, (chunk) => {
      upBytesLeft -= chunk.length;
      return upBytesLeft >= 0;
    });
    pump(upstream, client, (chunk) => {
      state.bytesDown += chunk.length;
      if (state.bytesDown <= limits.bytesDownMax) return true;
      state.tooLarge = true;
      cutAll();
      return false;
    });
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => {});
    state.accepted++;
    if (state.tooLarge || open.size >= limits.connectionsAtOnceMax || state.accepted > limits.connectionsMax) {
      client.destroy();
      return;
    }
    open.add(client);
    client.once("close", () => open.delete(client));
    void serve(client);
  });
  const port = await listen(server);

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    failureOf(host, askedPort) {
      return state.tooLarge ? "too-large" : (failures.get(placeKey(host, askedPort)) ?? null);
    },
    get tooLarge() {
      return state.tooLarge;
    },
    get bytesDown() {
      return state.bytesDown;
    },
    async stop() {
      await stopServer(server, port, cutAll);
    },
  };
}

export interface AskedPlace {
  /** `https` when a tunnel was asked for, `http` when a plain request came. */
  readonly scheme: "https" | "http";
  readonly host: string;
  readonly port: number;
}

/** A proxy that dials nothing: behind it a browser can be asked which scheme it chooses by itself, and nobody hears of it. */
export interface RefusingProxy {
  readonly url: string;
  readonly port: number;
  /** Everything that was asked for, in order; at most `connectionsMax` entries. */
  readonly asked: readonly AskedPlace[];
  stop(): Promise<void>;
}

export async function startRefusingProxy(limits: ProxyLimits = defaultProxyLimits): Promise<RefusingProxy> {
  const asked: AskedPlace[] = [];
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => {});
    if (open.size >= limits.connectionsAtOnceMax || asked.length >= limits.connectionsMax) return void client.destroy();
    open.add(client);
    client.once("close", () => open.delete(client));
    void readProxyRequest(client, limits).then((request) => {
      if (request === null) return void client.destroy();
      asked.push({ scheme: request.kind === "tunnel" ? "https" : "http", host: request.host, port: request.port });
      if (request.kind === "tunnel") client.end(noTunnel, () => client.destroy());
      else client.destroy();
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    async stop() {
      await stopServer(server, port, () => {
        for (const socket of open) socket.destroy();
      });
    },
  };
}

/** Passes bytes on as fast as the other side takes them, and an end as an end. `admit` false breaks both sides off. */
function pump(from: Socket, to: Socket, admit: (chunk: Buffer) => boolean): void {
  const breakOff = () => {
    from.destroy();
    to.destroy();
  };
  from.on("data", (chunk: Buffer) => {
    if (!admit(chunk)) return breakOff();
    if (!to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.once("end", () => to.end());
  from.once("error", breakOff);
  from.once("close", () => {
    // Nobody is left to read from, or to write back to: what was read in good order is still delivered.
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
  if (from.isPaused()) from.resume();
}

function placeKey(host: string, port: number): string {
  return endpointText(parseHost(host)?.text ?? host, port);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  blockPort(port);
  return port;
}

async function stopServer(server: Server, port: number, cutAll: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  cutAll();
  await closed;
  unblockPort(port);
}
