/** Compares verdicts on name prefixes and on Domain with the browser, which stores a cookie or refuses it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import domainCheck from "../../checks/cookie-domain.ts";
import prefixCheck from "../../checks/cookie-prefix.ts";
import type { AnyCheck } from "../../src/check/registry.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import { siteIdentity } from "../support/certificates.ts";
import { cookieLine, cookieLines } from "../support/cookies.ts";
import { evidence } from "../support/evidence.ts";
import { startHttps, type TestServer } from "../support/servers.ts";
import { openTab, type Tab } from "./tab.ts";

const host = "outer.test";
const prefixes = ["__Host-", "__host-", "__Secure-", "__SECURE-", "__Http-", "__http-", "__Host-Http-", "__HOST-HTTP-"];
const attributes = ["Secure", "HttpOnly", `Domain=${host}`, "Path=/"];
/** Every prefix with every choice of attributes, under a name of its own. */
const lines = prefixes.flatMap((prefix) =>
  Array.from({ length: 2 ** attributes.length }, (_, choice) =>
    [`${prefix}${choice}=1`, ...attributes.filter((_attribute, at) => (choice >> at) % 2 === 1)].join("; "),
  ),
);

/** Hosts of both sections of the public suffix list, of no section and of addresses, and domains for their cookies. */
const hosts = [
  ["shop.co.uk", "www.shop.co.uk", "github.io", "acme.github.io", "www.acme.github.io", "intranet", "shop.intranet", "127.0.0.1"],
  ["www.city.kawasaki.jp", "shop.city2.kawasaki.jp", "acme.b-cdn.net", "acme.cloudapp.azure.com"],
].flat();
const domains = [
  ["co.uk", "shop.co.uk", ".shop.co.uk", "www.shop.co.uk", "SHOP.co.uk", "uk", "github.io", "acme.github.io", "io", "intranet", "0.0.1"],
  [
    "127.0.0.1",
    "jp",
    "kawasaki.jp",
    "city.kawasaki.jp",
    "city2.kawasaki.jp",
    "b-cdn.net",
    "azure.com",
    "com",
    "shop.co.uk.",
    "https://intranet",
  ],
].flat();

let server: TestServer;
let tab: Tab;
let sent: readonly string[] = [];
beforeAll(async () => {
  const headers = { "content-type": "text/html" };
  server = await startHttps(siteIdentity(host), {
    "/": (_request, response) => void response.writeHead(200, { ...headers, "set-cookie": [...sent] }).end("<title>cookies</title>"),
  });
  tab = await openTab(Object.fromEntries([host, ...hosts].map((name) => [`${name}:443`, server])));
});
afterAll(async () => {
  await tab.close();
  await server.stop();
});

/** Names of the cookies that the browser stores from these lines. */
async function storedNames(from: string, lines: readonly string[]): Promise<readonly string[]> {
  sent = lines;
  await tab.session.send("Network.clearBrowserCookies");
  await tab.load(`https://${from}/`);
  const { cookies } = await tab.session.send("Network.getCookies", { urls: [`https://${from}/`] });
  return cookies.map(({ name }) => name).sort();
}

function codesOf(check: unknown, from: string, line: string): readonly string[] {
  const given = evidence({ url: `https://${from}/`, ...cookieLines(cookieLine(line, { host: from })) });
  return judgeEvidence(given, { checks: [check as AnyCheck], version: "test" }, () => {}).findings.map(({ code }) => code);
}

const nameOf = (line: string) => line.slice(0, line.indexOf("="));

test("a cookie meets its prefix if and only if the browser stores it", async () => {
  const stored = await storedNames(host, lines);
  expect(stored).toEqual(
    lines
      .filter((line) => codesOf(prefixCheck, host, line).length === 0)
      .map(nameOf)
      .sort(),
  );
  expect(stored.length).toBeGreaterThan(0);
});

test.each(hosts.map((from) => ({ from })))(
  "a Domain is refused if and only if the browser does not store the cookie of $from",
  async ({ from }) => {
    const given = domains.map((domain, at) => `c${at}=1; Domain=${domain}`);
    const accepted = given.filter((line) => !codesOf(domainCheck, from, line).includes("security.cookie.domain-refused"));
    expect(await storedNames(from, given)).toEqual(accepted.map(nameOf).sort());
  },
);
