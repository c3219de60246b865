/** Probe of security.txt against real servers. */

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { wellKnownBytesMax } from "../../../../src/evidence/limits.ts";
import { probeSecurityTxt } from "../../../../src/probe/http/http.ts";
import { type Flaw, siteIdentity, testAuthority } from "../../../support/certificates.ts";
import { keep } from "../../../support/clean-up.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";
import { type Routes, startHttp, startHttps } from "../../../support/servers.ts";

const plainText = { "content-type": "text/plain; charset=utf-8" };
const body = "Contact: mailto:security@site.test\nExpires: 2030-01-01T00:00:00Z\n";

async function attemptsOf(routes: Routes, url = "https://site.test/deep/page") {
  const site = keep(await startHttps(siteIdentity("site.test"), routes));
  const plain = keep(await startHttp(routes));
  const reading = await probeSecurityTxt(contextOf(url, { "site.test:443": site, "site.test:80": plain }));
  if (reading.status === "failed") throw new Error(reading.because);
  return reading.facts.attempts;
}

/** Certificates on the way, where `/.well-known/security.txt` leads to another host with this flaw. */
async function certificatesOf(
  flaw: Flaw | null,
  { own = null as Flaw | null, caPems = [testAuthority().root.pem], location = "https://files.test/s" } = {},
) {
  const site = keep(
    await startHttps(siteIdentity("site.test", own === null ? {} : { flaw: own }), {
      "/.well-known/security.txt": { status: 301, headers: { location } },
    }),
  );
  const files = keep(
    await startHttps(siteIdentity("files.test", flaw === null ? {} : { flaw }), {
      "/s": { headers: plainText, body },
    }),
  );
  const plain = keep(await startHttp({ "*": { status: 307, headers: { location: "https://files.test/s" } } }));
  const endpoints = { "site.test:443": site, "files.test:443": files, "site.test:80": plain };
  const reading = await probeSecurityTxt({ ...contextOf("https://site.test/", endpoints), caPems });
  if (reading.status === "failed") throw new Error(reading.because);
  return reading.facts.attempts.map((attempt) => ({
    body: attempt.body,
    hops: attempt.hops?.map(({ url, certificate }) => `${certificate} ${new URL(url).host}`),
  }));
}

test.each<[Flaw | null, string]>([
  [null, "accepted"],
  ["expired", "refused"],
  ["not-yet-valid", "refused"],
  ["wrong-host", "refused"],
  ["no-names", "refused"],
  ["self-signed", "refused"],
  ["unknown-root", "refused"],
  ["missing-intermediate", "refused"],
])("the certificate of another host: %s", async (flaw, verdict) => {
  expect(await certificatesOf(flaw)).toEqual([{ body, hops: ["accepted site.test", `${verdict} files.test`] }]);
});

test("each hop has its own verdict", async () => {
  const own = "expired" as const;
  expect(await certificatesOf(null, { own })).toEqual([{ body, hops: ["refused site.test", "accepted files.test"] }]);
  expect(await certificatesOf("self-signed", { location: "http://site.test/s" })).toEqual([
    { body, hops: ["accepted site.test", "null site.test", "refused files.test"] },
  ]);
  expect(await certificatesOf(null, { caPems: [] })).toEqual([{ body, hops: ["refused site.test", "refused files.test"] }]);
});

test("the well-known path", async () => {
  expect(await attemptsOf({ "/.well-known/security.txt": { headers: plainText, body } })).toEqual([
    {
      url: "https://site.test/.well-known/security.txt",
      finalUrl: "https://site.test/.well-known/security.txt",
      status: 200,
      contentType: "text/plain; charset=utf-8",
      body,
      truncated: false,
    },
  ]);
});

test("the legacy path, if the well-known one has no file", async () => {
  for (const route of [{ status: 404 }, { status: 403, body: "no" }, { status: 200, body: "<h1>Our page for everything</h1>" }]) {
    const attempts = await attemptsOf({ "/.well-known/security.txt": route, "/security.txt": { headers: plainText, body } });
    expect(attempts.map(({ url, status }) => `${status} ${url}`)).toEqual([
      `${route.status} https://site.test/.well-known/security.txt`,
      "200 https://site.test/security.txt",
    ]);
    expect(attempts[0]?.body).toBe(route.status === 200 ? "<h1>Our page for everything</h1>" : "");
  }
});

test("no file at either path", async () => {
  expect((await attemptsOf({})).map(({ status, body }) => [status, body])).toEqual([
    [404, ""],
    [404, ""],
  ]);
});

test("at most five redirects are followed and recorded", async () => {
  const to = (location: string) => ({ status: 301, headers: { location } });
  const good = await attemptsOf({
    "/.well-known/security.txt": to("/1"),
    "/1": to("http://site.test/2"),
    "/2": { headers: plainText, body },
  });
  expect(good).toMatchObject([{ url: "https://site.test/.well-known/security.txt", finalUrl: "http://site.test/2", status: 200, body }]);
  const routes = Object.fromEntries(Array.from({ length: 9 }, (_, step) => [`/${step}`, to(`/${step + 1}`)]));
  const endless = await attemptsOf({ ...routes, "/.well-known/security.txt": to("/1") });
  expect(endless).toMatchObject([{ finalUrl: "https://site.test/5", status: 301, body: "" }, { status: 404 }]);
});

test("a host scanned over http is requested over https, except on a custom port", async () => {
  expect(await attemptsOf({ "*": { headers: plainText, body } }, "http://site.test/")).toMatchObject([
    { url: "https://site.test/.well-known/security.txt", status: 200 },
  ]);
  expect(await probeSecurityTxt(contextOf("http://site.test:8080/", {}))).toEqual({ status: "failed", because: "not-asked" });
});

test("long and invalid files are bounded", async () => {
  const long = await attemptsOf({ "*": { headers: plainText, body: "x".repeat(wellKnownBytesMax + 1) } });
  expect(long).toMatchObject([{ truncated: true }]);
  expect(long[0]?.body).toHaveLength(wellKnownBytesMax);
  const broken = await attemptsOf({ "*": { headers: plainText, body: Buffer.from([0x41, 0xff, 0x00, 0x42]) } });
  expect(broken[0]?.body).toBe("A\ufffd\0B");
});

test("a host that refuses connections", async () => {
  const context = contextOf("https://site.test/", { "site.test:443": { port: portWithoutListener() } });
  expect(await probeSecurityTxt(context)).toEqual({ status: "failed", because: "refused" });
});

test("a failure of the legacy path keeps the answer of the well-known one", async () => {
  const attempts = await attemptsOf({ "/security.txt": (request) => void request.socket.destroy() });
  expect(attempts).toMatchObject([{ url: "https://site.test/.well-known/security.txt", status: 404 }]);
});

test("a compressed file is not read", async () => {
  const packed = { headers: { ...plainText, "content-encoding": "gzip" }, body: gzipSync(body) };
  await expect(attemptsOf({ "/.well-known/security.txt": packed })).rejects.toThrow("invalid");
  const asIs = { headers: { ...plainText, "content-encoding": "identity" }, body };
  expect((await attemptsOf({ "/.well-known/security.txt": asIs }))[0]?.body).toBe(body);
});
