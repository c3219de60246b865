/** Compares the verdict on name prefixes with the browser, which stores a cookie or refuses it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import check from "../../checks/cookie-prefix.ts";
import type { AnyCheck } from "../../src/check/registry.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import { siteIdentity } from "../support/certificates.ts";
import { cookieLines } from "../support/cookies.ts";
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

let server: TestServer;
let tab: Tab;
let sent = "";
beforeAll(async () => {
  server = await startHttps(siteIdentity(host), {
    "/": (_request, response) =>
      void response.writeHead(200, { "content-type": "text/html", "set-cookie": sent }).end("<title>cookies</title>"),
  });
  tab = await openTab({ [`${host}:443`]: server });
});
afterAll(async () => {
  await tab.close();
  await server.stop();
});

test("a cookie meets its prefix if and only if the browser stores it", async () => {
  const stored: string[] = [];
  for (const line of lines) {
    sent = line;
    await tab.session.send("Network.clearBrowserCookies");
    await tab.load(`https://${host}/`);
    const { cookies } = await tab.session.send("Network.getCookies", { urls: [`https://${host}/`] });
    if (cookies.length > 0) stored.push(line);
  }
  const passing = lines.filter((line) => {
    const given = evidence({ url: `https://${host}/`, ...cookieLines(line) });
    return judgeEvidence(given, { checks: [check as unknown as AnyCheck], version: "test" }, () => {}).ledger[0]?.state === "passed";
  });
  expect(stored).toEqual(passing);
  expect(stored.length).toBeGreaterThan(0);
});
