/** Sign-in works over plain http under a LAN name, and behind a TLS proxy. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import type { TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { submit } from "./forms.ts";
import { startTlsFront } from "./tls-front.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
const email = "owner@assay.test";
const password = "six blue elephants on a wire";

let appliance: Appliance;
let front: TestServer;
let visitors: Visitors;
/** One server under two origins. */
let origins: { readonly lan: string; readonly proxied: string };

beforeAll(async () => {
  front = await startTlsFront(siteIdentity("front.assay.test"), () => appliance.origin);
  visitors = await openVisitors();
  appliance = await startAppliance({
    // Proxy and LAN clients share one IP address here; the forwarding headers distinguish them.
    args: ["--trusted-proxy", "127.0.0.1"],
    env: { ASSAY_ACCOUNTS_SIGNUP: "open", ASSAY_SECURITY_HSTS: "max-age=600" },
  });
  origins = { lan: `http://nas.lan:${new URL(appliance.origin).port}`, proxied: `https://front.assay.test:${front.port}` };
  const visitor = await visitors.visitor({ origin: origins.lan });
  await visitor.open(/\/setup\?t=[\w-]+/.exec(appliance.stderr())?.[0] ?? "/");
  await submit(visitor.page, { email, password });
  await visitor.close();
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await appliance.stop();
  await front.stop();
});

async function signedIn(origin: string): Promise<Visitor> {
  const visitor = await visitors.visitor({ origin });
  await visitor.open("/sign-in?next=/account/tokens");
  expect((await submit(visitor.page, { email, password })).status).toBe(200);
  expect(visitor.page.url()).toBe(`${origin}/account/tokens`);
  return visitor;
}

/** An own path without a page gives 404, which the browser logs. */
const ofPages = ({ complaints }: Visitor) => complaints.filter((complaint) => !/404 \(Not Found\)/.test(complaint));

const cookiesOf = async ({ page }: Visitor) =>
  (await page.browserContext().cookies()).map(({ name, secure, httpOnly, sameSite, path, domain }) => ({
    name,
    secure,
    httpOnly,
    sameSite,
    path,
    domain,
  }));

test.each([
  "https://evil.invalid/",
  "//evil.invalid/",
  "/\\evil.invalid/",
  "\t//evil.invalid",
  "javascript:sentinel()",
  "/%2f%2fevil.invalid/..//evil.invalid",
])("sign-in redirects only to own pages: next=%j", async (next) => {
  const visitor = await visitors.visitor({ origin: origins.lan });
  await visitor.open(`/sign-in?next=${encodeURIComponent(next)}`);
  await submit(visitor.page, { email, password });
  expect(new URL(visitor.page.url()).origin).toBe(origins.lan);
  expect(ofPages(visitor)).toEqual([]);
  await visitor.close();
});

describe("plain http under a LAN host name", () => {
  test("keeps visitors signed in with cookies that browsers accept there, and warns about plain http", async () => {
    const visitor = await signedIn(origins.lan);
    const given = { secure: false, httpOnly: true, sameSite: "Lax", path: "/", domain: "nas.lan" };
    expect(await cookiesOf(visitor)).toContainEqual({ name: "sid", ...given });
    const { headers } = await visitor.open("/account");
    expect(headers["strict-transport-security"]).toBeUndefined();
    await submit(visitor.page, {}, { form: "form[action='/sign-out']" });
    expect(await visitor.page.$$eval(".notice.warn", (notices) => notices.length)).toBe(1);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("refuses a cross-site form", async () => {
    const visitor = await signedIn(origins.lan);
    const { sid } = Object.fromEntries((await visitor.page.browserContext().cookies()).map(({ name, value }) => [name, value]));
    const send = (origin: string) =>
      fetch(`${appliance.origin}/account/tokens`, {
        method: "POST",
        redirect: "manual",
        headers: { host: new URL(origins.lan).host, origin, cookie: `sid=${sid}` },
        body: new URLSearchParams({ do: "create", name: "stolen", expires: "90d" }),
      });
    expect((await send("https://evil.invalid")).status).toBe(403);
    expect((await send("null")).status).toBe(403);
    expect((await send(origins.lan)).status).toBe(200);
    await visitor.close();
  });
});

describe("behind a TLS proxy", () => {
  test("cookies have the `__Host-` prefix and links use the visitor's origin", async () => {
    const visitor = await signedIn(origins.proxied);
    const given = { secure: true, httpOnly: true, sameSite: "Lax", path: "/", domain: "front.assay.test" };
    expect(await cookiesOf(visitor)).toContainEqual({ name: "__Host-sid", ...given });
    expect((await cookiesOf(visitor)).map(({ name }) => name).filter((name) => !name.startsWith("__Host-"))).toEqual([]);
    const { headers, html } = await visitor.open("/account");
    expect(headers["strict-transport-security"]).toBe("max-age=600");
    expect(html).not.toContain(appliance.origin);
    expect(await visitor.page.$$eval(".notice.warn", (notices) => notices.length)).toBe(0);
    await visitor.open("/account/tokens");
    await submit(visitor.page, { name: "first" }, { form: "form:has([value=create])" });
    expect(await visitor.page.$eval("main", (main) => main.textContent)).toContain(`'${origins.proxied}/api/v1/scans'`);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("scan events arrive without buffering", async () => {
    const visitor = await visitors.visitor({ origin: origins.proxied });
    await visitor.open("/");
    const told: string[] = [];
    visitor.page.on(
      "response",
      (response) => void told.push(`${response.status()} ${new URL(response.url()).pathname.replace(/\w{22}/, "token")}`),
    );
    await submit(visitor.page, { url: "https://nowhere.assay.test/" });
    await visitor.page.waitForSelector("[data-follow]", { hidden: true });
    expect(told).toContain("200 /scans/token/events");
    expect(told).not.toContain("200 /scans/token/state");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});
