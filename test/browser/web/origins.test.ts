/** Signing in works wherever the appliance is reached: by plain http under a name of the LAN, and behind a proxy that ends TLS. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity } from "../../support/certificates.ts";
import type { TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { submit } from "./forms.ts";
import { startTlsFront } from "./tls-front.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 40_000;
const email = "owner@assay.test";
const password = "six blue elephants on a wire";

let appliance: Appliance;
let front: TestServer;
let visitors: Visitors;
/** One appliance, as two visitors call it. */
let origins: { readonly lan: string; readonly proxied: string };

beforeAll(async () => {
  front = await startTlsFront(siteIdentity("front.assay.test"), () => appliance.origin);
  visitors = await openVisitors();
  appliance = await startAppliance({
    // The proxy and the LAN come from the same address here; what tells them apart is what the proxy says.
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

/** A path that is ours and leads to no page is answered with 404, which the browser tells of. */
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
])("signing in leads nowhere but to a page of ours: next=%j", async (next) => {
  const visitor = await visitors.visitor({ origin: origins.lan });
  await visitor.open(`/sign-in?next=${encodeURIComponent(next)}`);
  await submit(visitor.page, { email, password });
  expect(new URL(visitor.page.url()).origin).toBe(origins.lan);
  expect(ofPages(visitor)).toEqual([]);
  await visitor.close();
});

describe("plain http under a name of the LAN", () => {
  test("keeps its visitors signed in, with cookies that browsers take there, and says that anybody could read along", async () => {
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

  test("refuses a form that another site sent", async () => {
    const visitor = await signedIn(origins.lan);
    const { form, sid } = Object.fromEntries((await visitor.page.browserContext().cookies()).map(({ name, value }) => [name, value]));
    const word = await visitor.page.$eval("[name=form]", (input) => (input as HTMLInputElement).value);
    const send = (origin: string) =>
      fetch(`${appliance.origin}/account/tokens`, {
        method: "POST",
        redirect: "manual",
        headers: { host: new URL(origins.lan).host, origin, cookie: `form=${form}; sid=${sid}` },
        body: new URLSearchParams({ form: word, do: "create", name: "stolen", expires: "90d" }),
      });
    expect((await send("https://evil.invalid")).status).toBe(403);
    expect((await send("null")).status).toBe(403);
    expect((await send(origins.lan)).status).toBe(200);
    await visitor.close();
  });
});

describe("behind a proxy that ends TLS", () => {
  test("cookies belong to this host alone, and links lead where the visitor is", async () => {
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

  test("events of a scan come through as they happen", async () => {
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
