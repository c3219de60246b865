/** Requests to configured services: verified certificates, https outside of this machine, bounded answers, no redirects. */
import { afterAll, expect, test } from "vitest";
import { createConfiguredFetch } from "../../../src/egress/configured-fetch.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { egressTo, startHttp, startHttps, type TestServer } from "../../support/servers.ts";

const bodyBytesMax = 2 ** 20;
const servers: TestServer[] = [];
afterAll(() => Promise.all(servers.map(({ stop }) => stop())));

async function started(server: Promise<TestServer>): Promise<TestServer> {
  servers.push(await server);
  return server;
}

const fetchTo = (host: string, server: TestServer, caPems: readonly string[] = [testAuthority().root.pem]) =>
  createConfiguredFetch({ caPems, dnsServers: [], connectTo: egressTo({ [`${host}:443`]: server }).connectTo });

test("verifies the certificate against the bundled roots and the given ones", async () => {
  const site = await started(
    startHttps(siteIdentity("id.test"), { "/": { body: "ok", headers: { "x-other": "1", "content-type": "text/plain" } } }),
  );
  const answer = await fetchTo("id.test", site)("https://id.test/", {});
  expect([answer.status, await answer.text(), [...answer.headers.keys()].toSorted()]).toEqual([200, "ok", ["content-type", "date"]]);
  await expect(fetchTo("id.test", site, [])("https://id.test/", {})).rejects.toMatchObject({ name: "EgressError", because: "tls" });
  await expect(fetchTo("other.test", site)("https://other.test/", {})).rejects.toThrow("a certificate for other names");
});

test("sends a form with its length, and follows no redirect", async () => {
  let received = "";
  const site = await started(
    startHttp({
      "/token": (request, response) => {
        request.on("data", (chunk) => {
          received += chunk;
        });
        request.on("end", () => response.writeHead(302, { location: "/elsewhere" }).end());
      },
    }),
  );
  const ask = createConfiguredFetch({ caPems: [], dnsServers: [], connectTo: [] });
  const body = new URLSearchParams({ code: "a b" });
  const headers = { Accept: "application/json", "User-Agent": "library", Authorization: "Basic eA==" };
  expect((await ask(`http://127.0.0.1:${site.port}/token`, { method: "POST", body, headers })).status).toBe(302);
  expect(received).toBe("code=a+b");
  expect(site.requests.map(({ path, headers: { accept, authorization } }) => [path, accept, authorization])).toEqual([
    ["/token", "application/json", "Basic eA=="],
  ]);
  expect(site.requests[0]?.headers["user-agent"]).toMatch(/^assay /);
});

test("refuses http outside of this machine, and an answer without end", async () => {
  const ask = createConfiguredFetch({ caPems: [], dnsServers: [], connectTo: [] });
  for (const url of ["http://id.test/", "http://10.0.0.1/", "ftp://127.0.0.1/", "http://127.0.0.1.id.test/"])
    await expect(ask(url, {})).rejects.toMatchObject({ because: "blocked" });
  await expect(ask("https://169.254.169.254/", {})).rejects.toMatchObject({ because: "blocked" });
  const site = await started(startHttp({ "/": { body: "x".repeat(bodyBytesMax + 1) } }));
  await expect(ask(`http://127.0.0.1:${site.port}/`, {})).rejects.toMatchObject({ because: "invalid" });
});

test("ends with the signal of the caller", async () => {
  const site = await started(startHttp({ "/": () => {} }));
  const ask = createConfiguredFetch({ caPems: [], dnsServers: [], connectTo: [] });
  await expect(ask(`http://127.0.0.1:${site.port}/`, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ because: "timeout" });
});
