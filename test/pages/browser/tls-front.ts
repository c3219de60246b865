/** A reverse proxy as operators put before the appliance: it ends TLS, says whom it speaks for, and passes everything on as it comes. */
import { request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { ServerIdentity } from "../../support/certificates.ts";

export interface TlsFront {
  readonly port: number;
  stop(): Promise<void>;
}

/** @param origin Of the appliance behind; asked for at every request, because that one may start later. */
export async function startTlsFront({ certificateChainPem, privateKeyPem }: ServerIdentity, origin: () => string): Promise<TlsFront> {
  const open = new Set<Socket>();
  const server = createServer({ cert: certificateChainPem, key: privateKeyPem }, (request, response) =>
    passOn(request, response, origin()),
  );
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function passOn(request: IncomingMessage, response: ServerResponse, origin: string): void {
  const { hostname, port } = new URL(origin);
  const headers = {
    ...request.headers,
    "x-forwarded-for": request.socket.remoteAddress ?? "",
    "x-forwarded-proto": "https",
    "x-forwarded-host": request.headers.host ?? "",
  };
  // A connection for each: ending a request whose connection was handed on would end somebody else's.
  const behind = forward({ agent: false, hostname, port, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  behind.on("error", () => response.destroy());
  response.on("close", () => behind.destroy());
  request.pipe(behind);
}
