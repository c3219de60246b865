/** TLS-terminating reverse proxy that sets forwarding headers. */
import { request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { ServerIdentity } from "../../support/certificates.ts";
import { listening, type TestServer } from "../../support/servers.ts";

/** Suites of TLS 1.2 with forward secrecy and authenticated encryption only. */
const ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

/** @param origin Upstream origin, evaluated per request since it may start later. */
export function startTlsFront({ certificateChainPem, privateKeyPem }: ServerIdentity, origin: () => string): Promise<TestServer> {
  return listening(
    createServer({ cert: certificateChainPem, key: privateKeyPem, ciphers }, (request, response) => passOn(request, response, origin())),
  );
}

function passOn(request: IncomingMessage, response: ServerResponse, origin: string): void {
  const { hostname, port } = new URL(origin);
  const headers = {
    ...request.headers,
    "x-forwarded-for": request.socket.remoteAddress ?? "",
    "x-forwarded-proto": "https",
    "x-forwarded-host": request.headers.host ?? "",
  };
  // One connection per request: aborting a reused connection would abort another request.
  const behind = forward({ agent: false, hostname, port, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  behind.on("error", () => response.destroy());
  response.on("close", () => behind.destroy());
  request.pipe(behind);
}
