/** HTTP server: listening and graceful shutdown. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { listen } from "../../../src/http/server.ts";
import { startApi } from "../../support/api.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("an open request is answered, a new one is refused", async () => {
  const api = await startApi();
  const { token } = await api.customer();
  const body = '{"url":"https://site.example/"}';
  const socket = connect(api.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const head = `POST /api/v1/scans HTTP/1.1\r\nHost: assay.test\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.slice(0, 5)}`;
  await new Promise<void>((written) => socket.write(head, () => written()));
  // An answer to a later request shows that the server has seen the earlier one.
  await (await api.request("/healthz")).text();
  const stopped = api.stop();
  await expect(api.request("/healthz")).rejects.toThrow();
  socket.write(body.slice(5));
  await closed;
  expect(text).toContain("202 Accepted");
  await stopped;
});

test("a body that its client breaks off is no error of the server", async () => {
  const api = await startApi();
  const { token } = await api.customer();
  const head = `POST /api/v1/scans HTTP/1.1\r\nHost: assay.test\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"url`;
  const socket = connect(api.port, "127.0.0.1");
  await new Promise<void>((written) => socket.write(head, () => written()));
  // An answer to a later request shows that the server has seen the earlier one.
  await (await api.request("/healthz")).text();
  socket.destroy();
  while (!api.logged.some((line) => JSON.parse(line).event === "request broken off")) await Bun.sleep(5);
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

test("an idle connection does not delay the shutdown", async () => {
  const api = await startApi();
  await (await api.request("/healthz")).text();
  await api.stop();
});

test("a port in use throws the system's error", async () => {
  const api = await startApi();
  const log = createLog({ level: "error", format: "json", write: () => {} });
  let code: unknown;
  try {
    listen(api.api, { hostname: "127.0.0.1", port: api.port, log });
  } catch (error) {
    ({ code } = error as { code?: unknown });
  }
  expect(code).toBe("EADDRINUSE");
  await api.stop();
});

test("several lines of X-Forwarded-For are one list, in their order", async () => {
  const log = createLog({ level: "error", format: "json", write: () => {} });
  const handler = { server: null as unknown, fetch: ({ headers }: Request) => new Response(headers.get("x-forwarded-for")) };
  const server = listen(handler, { hostname: "127.0.0.1", port: 0, log });
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const lines = ["X-Forwarded-For: 1.1.1.1", "x-forwarded-for: 2.2.2.2", "X-Forwarded-For:3.3.3.3"];
  socket.write(`GET / HTTP/1.1\r\nHost: assay.test\r\nConnection: close\r\n${lines.join("\r\n")}\r\n\r\n`);
  await closed;
  expect(text.split("\r\n\r\n")[1]).toBe("1.1.1.1, 2.2.2.2, 3.3.3.3");
  await server.stop();
});

test("a request that gets no answer is aborted five seconds after the stop", async () => {
  const log = createLog({ level: "error", format: "json", write: () => {} });
  const clock = fakeClock();
  const asked = Promise.withResolvers<void>();
  const fetch = () => {
    asked.resolve();
    return new Promise<Response>(() => {});
  };
  const server = listen({ server: null as unknown, fetch }, { hostname: "127.0.0.1", port: 0, log, clock });
  const socket = connect(server.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: assay.test\r\n\r\n");
  await asked.promise;
  const stopped = server.stop();
  expect(clock.waits()).toEqual([5_000]);
  clock.advance(5_000);
  await Promise.all([stopped, closed]);
  const idle = listen({ server: null as unknown, fetch }, { hostname: "127.0.0.1", port: 0, log, clock });
  await idle.stop();
  expect(clock.waits()).toEqual([]);
});
