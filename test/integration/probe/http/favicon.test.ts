/** Icon of the page: one chain of requests, whose cookies and addresses are added to the page's. */

import { expect, test } from "vitest";
import type { PageReadings } from "../../../../src/probe/browser/page.ts";
import { type Favicon, probeFavicon, withFavicon } from "../../../../src/probe/http/favicon.ts";
import { siteIdentity } from "../../../support/certificates.ts";
import { keep } from "../../../support/clean-up.ts";
import { cookieLine, cookieLines } from "../../../support/cookies.ts";
import { type EvidenceGiven, evidence } from "../../../support/evidence.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";
import { type Routes, startHttp, startHttps } from "../../../support/servers.ts";

const pageUrl = "https://site.test/a/page";

async function probe(icons: readonly string[], routes: Routes, endpoints: Readonly<Record<string, { readonly port: number }>> = {}) {
  const site = keep(await startHttps(siteIdentity("site.test"), routes));
  const { markup } = evidence({ markup: { icons } });
  const context = contextOf(pageUrl, { "site.test:443": site, ...endpoints });
  const reading = await probeFavicon({ ...context, pageUrl, markup });
  return { reading, paths: site.requests.map(({ path }) => path) };
}

test("a page without an icon is asked for /favicon.ico once, and its cookies are kept without values", async () => {
  const { reading, paths } = await probe([], { "/favicon.ico": { status: 404, headers: { "set-cookie": "sid=secret; Path=/" } } });
  expect(paths).toEqual(["/favicon.ico"]);
  expect(reading).toEqual({
    status: "read",
    facts: { setCookies: [{ host: "site.test", overHttps: true, line: "sid=<redacted>; Path=/", truncated: false }], insecureUrl: null },
  });
});

test("the random bits of a value are estimated before it is removed", async () => {
  const { reading } = await probe([], { "/favicon.ico": { headers: { "set-cookie": "a=d4f1c0ffee9b27a6e8350d1b7c42f96a; Path=/" } } });
  const [line] = reading.status === "read" ? reading.facts.setCookies : [];
  expect(line?.line).toBe("a=<redacted>; Path=/");
  expect(line?.valueRandomBits).toBeGreaterThan(64);
});

test("the first icon that needs a request is asked for, and its redirects are followed", async () => {
  const { reading, paths } = await probe(["data:image/png,x", "https://site.test/i.png", "https://site.test/j.png"], {
    "/i.png": { status: 302, headers: { location: "/k.png", "set-cookie": "hop=1" } },
    "/k.png": { headers: { "set-cookie": "icon=1; Secure" } },
  });
  expect(paths).toEqual(["/i.png", "/k.png"]);
  expect(reading).toMatchObject({ facts: { setCookies: [{ line: "hop=<redacted>" }, { line: "icon=<redacted>; Secure" }] } });
});

test("an icon over http is requested over https, as browsers do, and told", async () => {
  const { reading, paths } = await probe(["http://site.test/i.png"], { "/i.png": {} });
  expect(paths).toEqual(["/i.png"]);
  expect(reading).toMatchObject({ facts: { insecureUrl: "http://site.test/i.png" } });
});

test("a redirect to http is told", async () => {
  const plain = keep(await startHttp({ "/i.png": {} }));
  const routes = { "/favicon.ico": { status: 301, headers: { location: "http://cdn.test/i.png" } } };
  const { reading } = await probe([], routes, { "cdn.test:80": plain });
  expect(reading).toMatchObject({ facts: { insecureUrl: "http://cdn.test/i.png" } });
});

test("an icon of another site is not requested", async () => {
  const { reading, paths } = await probe(["http://cdn.test/i.png"], {});
  expect(paths).toEqual([]);
  expect(reading).toEqual({ status: "read", facts: { setCookies: [], insecureUrl: "http://cdn.test/i.png" } });
});

test("an icon that is part of the page needs no request", async () => {
  expect(await probe(["data:image/png,x"], {})).toEqual({ reading: { status: "failed", because: "not-asked" }, paths: [] });
});

test("a page that was not read, a challenge and a refused connection add nothing", async () => {
  const context = contextOf(pageUrl, { "site.test:443": { port: portWithoutListener() } });
  const { markup } = evidence({ markup: "timeout" });
  expect(await probeFavicon({ ...context, pageUrl, markup })).toEqual({ status: "failed", because: "not-asked" });
  expect(await probeFavicon({ ...context, pageUrl, markup: evidence().markup })).toEqual({ status: "failed", because: "refused" });
  const challenge = { status: 403, headers: { "cf-mitigated": "challenge", "set-cookie": "__cf=1" } };
  expect((await probe([], { "/favicon.ico": challenge })).reading).toEqual({ status: "failed", because: "challenged" });
});

test("an icon that never comes is a timeout, and does not hide an insecure address", async () => {
  const [{ reading }, insecure] = await Promise.all([
    probe([], { "/favicon.ico": () => {} }),
    probe(["http://site.test/i.png"], { "/i.png": () => {} }),
  ]);
  expect(reading).toEqual({ status: "failed", because: "timeout" });
  expect(insecure.reading).toEqual({ status: "read", facts: { setCookies: [], insecureUrl: "http://site.test/i.png" } });
});

const readingsOf = (given: EvidenceGiven): PageReadings => evidence(given);
const favicon = (facts: Favicon) => ({ status: "read", facts }) as const;

test("the page gets the icon's cookies that it does not set itself, and the insecure address", () => {
  const readings = readingsOf(cookieLines("sid=<redacted>; Secure"));
  const setCookies = [cookieLine("sid=<redacted>"), cookieLine("icon=<redacted>")];
  const { page, requests } = withFavicon(readings, favicon({ setCookies, insecureUrl: "http://site.example/i.png" }));
  expect(page).toMatchObject({
    facts: { setCookies: [{ line: "sid=<redacted>; Secure" }, { line: "icon=<redacted>" }], setCookiesDropped: 0 },
  });
  expect(requests).toMatchObject({ facts: { insecure: [{ url: "http://site.example/i.png", kind: "favicon", outcome: "upgraded" }] } });
});

test("an insecure icon of an IP address is not upgraded", () => {
  const { requests } = withFavicon(readingsOf({}), favicon({ setCookies: [], insecureUrl: "http://192.0.2.1/i.png" }));
  expect(requests).toMatchObject({ facts: { insecure: [{ kind: "favicon", outcome: "loaded" }] } });
});

test("limits hold, and an unread page stays unread", () => {
  const many = Array.from({ length: 120 }, (_, at) => cookieLine(`c${at}=<redacted>`));
  expect(withFavicon(readingsOf({}), favicon({ setCookies: many, insecureUrl: null })).page).toMatchObject({
    facts: { setCookiesDropped: 20 },
  });
  const unread = readingsOf({ page: "server-error" });
  expect(withFavicon(unread, favicon({ setCookies: many, insecureUrl: null }))).toBe(unread);
});
