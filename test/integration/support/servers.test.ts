/** The test servers themselves: TLS versions, routes, and their reachability through the egress. */

import { createSecureContext } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { type Egress, openEgress } from "../../../src/egress/dial.ts";
import { type GetOptions, httpGet } from "../../../src/egress/http-client.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { egressTo, startHttp, startHttps, startTcp, type TestServer } from "../../support/servers.ts";

const running: TestServer[] = [];
let egress: Egress | null = null;
afterEach(async () => {
  egress?.close();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

function keep(server: TestServer): TestServer {
  running.push(server);
  return server;
}

const trust = createSecureContext({ ca: [testAuthority().root.pem], minVersion: "TLSv1" });
const options: GetOptions = { deadlineMs: 30_000, bodyBytesMax: 1_000, trust };

test("an https server is reachable by name, trusted, and records its requests", async () => {
  const site = keep(await startHttps(siteIdentity("site.test"), { "/": { headers: { "X-Many": ["1", "2"] }, body: "hello" } }));
  egress = openEgress(egressTo({ "site.test:443": site }));
  const reply = await httpGet(egress, "https://site.test/?q=1", options);
  expect(Buffer.from(reply.body).toString()).toBe("hello");
  expect(reply.headers.filter(({ name }) => name.toLowerCase() === "x-many").map(({ value }) => value)).toEqual(["1", "2"]);
  expect(site.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /?q=1"]);
  expect(site.connections).toBe(1);
});

test.each(["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const)("an https server accepts only %s", async (version) => {
  const tls = { minVersion: version, maxVersion: version };
  const site = keep(await startHttps(siteIdentity("site.test"), { "*": { body: "hello" } }, tls));
  egress = openEgress(egressTo({ "site.test:443": site }));
  expect((await httpGet(egress, "https://site.test/any", options)).status).toBe(200);
});

test.each(["expired", "not-yet-valid", "wrong-host", "self-signed", "unknown-root", "missing-intermediate"] as const)(
  "a certificate that is %s is refused by a client that verifies",
  async (flaw) => {
    const site = keep(await startHttps(siteIdentity("site.test", { flaw }), { "*": {} }));
    egress = openEgress(egressTo({ "site.test:443": site }));
    await expect(httpGet(egress, "https://site.test/", options)).rejects.toMatchObject({ because: "tls" });
    expect((await httpGet(egress, "https://site.test/", { ...options, trust: undefined })).status).toBe(200);
  },
);

test("a plain server answers unknown paths with 404, and a closed port refuses connections", async () => {
  const site = keep(await startHttp({ "/": {} }));
  egress = openEgress(egressTo({ "site.test:80": site, "gone.test:80": { port: portWithoutListener() } }));
  expect((await httpGet(egress, "http://site.test/other", options)).status).toBe(404);
  await expect(httpGet(egress, "http://gone.test/", options)).rejects.toMatchObject({ because: "refused" });
});

test("stop closes open connections", async () => {
  const server = await startTcp((socket) => void socket.write("greeting"));
  egress = openEgress(egressTo({ "site.test:443": server }));
  const socket = await egress.dial("site.test", 443, { deadlineMs: 30_000 });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  socket.once("end", () => socket.destroy());
  await server.stop();
  await closed;
});
