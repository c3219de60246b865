/** SSRF attempts of a hostile page to reach a secret listener, in the real browser behind the real forward proxy. */
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Egress, openEgress } from "../../../src/egress/dial.ts";
import { type EgressProxy, startProxy, startRefusingProxy } from "../../../src/egress/proxy.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { egressSettings } from "../../support/egress-settings.ts";
import { launchPlainBrowser } from "../../support/test-browser.ts";
import { relay, script, secretAddress, tricks } from "./tricks.ts";

const siteAddress = "127.0.0.1";
const secretWord = "the-secret-of-the-listener";
const waitMs = 60_000;
/** Limit of a navigation that may never end. */
const refusedMs = 5_000;

const portAttemptsMax = 10;

/** Endpoints by the proxy's names, for attempts that spell the address differently. */
const spellings = [secretAddress, "secret.test"];

describe("a hostile page", () => {
  let browser: Browser;
  let stopBrowser: () => Promise<void>;
  let dns: DnsServerHandle;
  let site: { server: ReturnType<typeof Bun.serve>; port: number };
  let secret: { server: Server; port: number; reached: number };
  let html = "";

  beforeAll(async () => {
    browser = await launchPlainBrowser();
    stopBrowser = () => browser.close();
    const servers = await startServers();
    secret = servers.secret;
    site = { server: servers.site, port: secret.port };
    dns = await startDnsServer({
      "secret.test": { A: [secretAddress] },
      "rebinding.test": { A: { inTurn: [[siteAddress], [secretAddress]] } },
    });
  });

  afterAll(async () => {
    await stopBrowser?.();
    site?.server.stop(true);
    secret?.server.close();
    dns?.stop();
  });

  /** Both servers have the same port: with DNS rebinding the origin stays the same. Another program may use the port at one address. */
  async function startServers() {
    for (let attempt = 1; ; attempt++) {
      const secret = await startSecret();
      try {
        return { secret, site: startSite(secret.port) };
      } catch (error) {
        secret.server.close();
        if (attempt === portAttemptsMax) throw error;
      }
    }
  }

  function startSite(port: number) {
    return Bun.serve({
      hostname: siteAddress,
      port,
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (pathname === "/redirect") return new Response(null, { status: 302, headers: { location: search.slice(1) } });
        if (pathname === "/sw.js")
          return new Response(`fetch("http://${secretAddress}:${port}/", { mode: "no-cors" })`, {
            headers: { "content-type": "text/javascript" },
          });
        if (pathname === "/empty") return new Response("public word");
        return new Response(`<!doctype html><title>site</title>${html}`, { headers: { "content-type": "text/html" } });
      },
    });
  }

  async function startSecret() {
    const state = { server: null as unknown as Server, port: 0, reached: 0 };
    state.server = createServer((socket) => {
      state.reached++;
      socket.on("error", () => {});
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n${secretWord}`);
    });
    await new Promise<void>((resolve) => state.server.listen(0, secretAddress, resolve));
    state.port = (state.server.address() as AddressInfo).port;
    return state;
  }

  /** Browser context of a scan whose policy allows or blocks the secret. */
  async function inContext(
    { open }: { readonly open: boolean },
    act: (page: Page, scan: { readonly egress: Egress; readonly proxy: EgressProxy; readonly context: BrowserContext }) => Promise<void>,
  ): Promise<void> {
    const egress = openEgress(
      egressSettings({
        allowCidrs: open ? [siteAddress, secretAddress] : [siteAddress],
        allowPorts: [site.port],
        dnsServers: [dns.address],
        connectTo: [{ host: "site.test", port: 80, address: siteAddress, addressPort: site.port }],
      }),
    );
    const proxy = await startProxy(egress);
    const context = await browser.createBrowserContext({ proxyServer: proxy.url, proxyBypassList: ["<-loopback>"] });
    try {
      await act(await context.newPage(), { egress, proxy, context });
    } finally {
      await context.close();
      await proxy.stop();
      egress.close();
    }
  }

  async function until(condition: () => boolean): Promise<boolean> {
    const endsAtMs = performance.now() + waitMs;
    while (!condition() && performance.now() < endsAtMs) await Bun.sleep(20);
    return condition();
  }

  for (const [words, htmlOf] of tricks) {
    test(`${words}: refused, unless the operator allows the secret's address`, async () => {
      html = htmlOf(`${secretAddress}:${secret.port}`);
      const reachedBefore = secret.reached;
      await inContext({ open: false }, async (page, { proxy }) => {
        await page.goto("http://site.test/", { waitUntil: "domcontentloaded" }).catch(() => {});
        // Proof of the attempt: the proxy received the request and refused it.
        expect(await until(() => spellings.some((host) => proxy.failureOf(host, secret.port) === "blocked"))).toBe(true);
      });
      expect(secret.reached).toBe(reachedBefore);
      await inContext({ open: true }, async (page) => {
        await page.goto("http://site.test/", { waitUntil: "domcontentloaded" }).catch(() => {});
        expect(await until(() => secret.reached > reachedBefore)).toBe(true);
      });
    });
  }

  const metadataUrls = [
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/",
    "http://[fd00:ec2::254]/",
    "http://2852039166/",
  ];
  for (const url of metadataUrls) {
    test(`${url} is reached neither directly nor by a redirect, and no page has its origin`, async () => {
      const { hostname, protocol } = new URL(url);
      for (const asked of [url, `http://site.test/redirect?${url}`]) {
        await inContext({ open: true }, async (page, { proxy, egress }) => {
          const outcome = await page.goto(asked).then(
            (response) => response?.status() ?? null,
            () => "no page",
          );
          expect(outcome).toBe("no page");
          expect(proxy.failureOf(hostname, protocol === "https:" ? 443 : 80)).toBe("blocked");
          expect(egress.refusals.join()).toContain("cloud metadata address");
        });
      }
    });
  }

  test("requests of a service worker are refused like those of a page", async () => {
    html = script('navigator.serviceWorker.register("/sw.js")');
    for (const open of [false, true]) {
      const reachedBefore = secret.reached;
      await inContext({ open }, async (page, { proxy }) => {
        // Service workers need a secure origin; loopback is one.
        await page.goto(`http://${siteAddress}:${site.port}/`);
        const tried = () => secret.reached > reachedBefore || proxy.failureOf(secretAddress, secret.port) === "blocked";
        expect(await until(tried)).toBe(true);
      });
      expect(secret.reached > reachedBefore).toBe(open);
    }
  });

  test("WebRTC sends no UDP packet past the proxy", async () => {
    const datagrams: Buffer[] = [];
    const socket = createSocket("udp4");
    socket.on("message", (message) => datagrams.push(message));
    await new Promise<void>((resolve) => socket.bind(0, secretAddress, () => resolve()));
    html = relay(`stun:${secretAddress}:${socket.address().port}`);
    await inContext({ open: true }, async (page) => {
      await page.goto("http://site.test/");
      await page.waitForFunction('document.title === "gathered"', { timeout: waitMs });
    });
    expect(datagrams).toHaveLength(0);
    const control = createSocket("udp4");
    control.send("control", socket.address().port, secretAddress);
    expect(await until(() => datagrams.length === 1)).toBe(true);
    control.close();
    socket.close();
  });

  test("DNS rebinding: a name that later resolves to the secret keeps its pinned address", async () => {
    html = script(`
      (async () => {
        for (let turn = 0; turn < 5; turn++) document.body.append(await (await fetch("/empty?" + turn, { cache: "no-store" })).text());
        document.title = "fetched";
      })()`).replace("<script>", "<body><script>");
    const reachedBefore = secret.reached;
    await inContext({ open: true }, async (page) => {
      await page.goto(`http://rebinding.test:${site.port}/`);
      await page.waitForFunction('document.title === "fetched"', { timeout: waitMs });
      expect(await page.content()).toContain("public word");
      expect(await page.content()).not.toContain(secretWord);
    });
    expect(secret.reached).toBe(reachedBefore);
    // Proof of the attack: a new resolution leads to the secret.
    const later = openEgress(egressSettings({ allowCidrs: [secretAddress], dnsServers: [dns.address] }));
    expect(await later.resolve("rebinding.test")).toEqual([secretAddress]);
  });

  test("a page reaches no file, view-source or internal page of the browser", async () => {
    const dir = mkdtempSync(join(tmpdir(), "assay-egress-"));
    const file = join(dir, "secret.html");
    writeFileSync(file, secretWord);
    const goals = [
      `file://${file}`,
      "chrome://version/",
      `view-source:http://${secretAddress}:${secret.port}/`,
      "devtools://devtools/bundled/inspector.html",
    ];
    const reachedBefore = secret.reached;
    try {
      for (const goal of goals) {
        for (const attempt of [
          script(`location.href = "${goal}"`),
          script(`window.open("${goal}")`),
          script(`fetch("${goal}").then((answer) => answer.text()).then((text) => document.body.append(text))`),
          `<iframe src="${goal}"></iframe>`,
          `<meta http-equiv="refresh" content="0;url=${goal}">`,
          `<iframe src="/redirect?${goal}"></iframe>`,
        ]) {
          html = attempt;
          await inContext({ open: true }, async (page, { context }) => {
            await page.goto("http://site.test/", { waitUntil: "load" }).catch(() => {});
            await Bun.sleep(50);
            for (const opened of await context.pages()) {
              const places = opened.frames().map((frame) => frame.url());
              expect(
                places.filter((place) => /^(file|view-source|chrome|devtools):/.test(place) && !place.startsWith("chrome-error:")),
              ).toEqual([]);
            }
            expect(await page.content()).not.toContain(secretWord);
          });
        }
      }
      await inContext({ open: true }, async (page) => {
        await page.goto(`file://${file}`);
        // The browser itself can read the file, so scans accept only http and https URLs.
        expect(await page.content()).toContain(secretWord);
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
    expect(secret.reached).toBe(reachedBefore);
  });

  for (const goal of ["view-source:http://PLACE/", "data:text/html,<img src='http://PLACE/'>"]) {
    test(`${goal} as the scanned URL goes through the proxy as well`, async () => {
      const reachedBefore = secret.reached;
      await inContext({ open: false }, async (page, { proxy }) => {
        await page.goto(goal.replace("PLACE", `${secretAddress}:${secret.port}`), { timeout: refusedMs }).catch(() => {});
        expect(await until(() => proxy.failureOf(secretAddress, secret.port) === "blocked")).toBe(true);
      });
      expect(secret.reached).toBe(reachedBefore);
    });
  }

  test("the browser itself resolves no names", async () => {
    const context = await browser.createBrowserContext({ proxyServer: "direct://" });
    try {
      const page = await context.newPage();
      await expect(page.goto(`http://localhost:${site.port}/`)).rejects.toThrow("ERR_NAME_NOT_RESOLVED");
    } finally {
      await context.close();
    }
  });

  test("the refusing proxy records the scheme that the browser chose", async () => {
    const proxy = await startRefusingProxy();
    const context = await browser.createBrowserContext({ proxyServer: proxy.url, proxyBypassList: ["<-loopback>"] });
    try {
      const page = await context.newPage();
      for (const scheme of ["http", "https"]) await page.goto(`${scheme}://${scheme}.test/`).catch(() => {});
      expect(proxy.requested).toContainEqual({ scheme: "http", host: "http.test", port: 80 });
      expect(proxy.requested).toContainEqual({ scheme: "https", host: "https.test", port: 443 });
      expect(proxy.requested.filter(({ scheme, host }) => !host.startsWith(`${scheme}.`))).toEqual([]);
    } finally {
      await context.close();
      await proxy.stop();
    }
  });
});
