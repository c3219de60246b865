/** A reverse proxy over TLS before a server of a test, which can lose answers and connections. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { siteIdentity } from "./certificates.ts";
import { startHttps, type TestServer } from "./servers.ts";

export interface ForwardingServer extends TestServer {
  /** Requests, as in `GET /path`, whose next answer is dropped after they had their effect. */
  readonly answersToLose: Set<string>;
  /** Connections to close before the request is forwarded. */
  requestsToRefuse: number;
}

export async function startForwarding(host: string, origin: string): Promise<ForwardingServer> {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    if (forwarding.requestsToRefuse > 0) {
      forwarding.requestsToRefuse -= 1;
      request.socket.destroy();
      return;
    }
    const body = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "host" && name !== "connection"));
    const method = request.method ?? "GET";
    const init = { method, headers: headers as Record<string, string>, ...(body.length === 0 ? {} : { body: Buffer.concat(body) }) };
    const answer = await fetch(`${origin}${request.url}`, init);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (forwarding.answersToLose.delete(`${method} ${request.url}`)) {
      request.socket.destroy();
      return;
    }
    const { "content-length": _length, ...fields } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, fields);
    response.end(bytes);
  };
  const server = await startHttps(siteIdentity(host), { "*": (request, response) => void forward(request, response) });
  const forwarding: ForwardingServer = Object.assign(server, { answersToLose: new Set<string>(), requestsToRefuse: 0 });
  return forwarding;
}
