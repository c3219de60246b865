/** A working day in a network without the internet: every socket of the compiled binary and of its browsers is watched. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportFormats } from "../../../src/export/formats.ts";
import { mouseOn } from "../../browser/web/input.ts";
import { openVisitors, type Visitors } from "../../browser/web/visitors.ts";
import { type ApiClient, apiClient } from "../../support/api-client.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { run, type ServerUnderTest, serve } from "../../support/program.ts";
import { startHttp, startHttps, type TestServer } from "../../support/servers.ts";
import { readSocketTrace, type SocketTrace, straceIsMissing, traced } from "../../support/socket-trace.ts";
import { routeQuestions, strangersIn } from "./destinations.ts";
import { type Installation, installed } from "./operated.ts";

const dayMsMax = 300_000;
const scanMsMax = 60_000;
const pollMs = 50;
/** Addresses of the targets. Nothing else has these, so that every port of them is a target. */
const [shopAddress, otherAddress] = ["127.0.0.2", "127.0.0.3"];
/** Never a target: a page names it, and the SSRF guard refuses it. */
const strangerAddress = "127.0.0.77";
const [firstPassword, secondPassword] = ["six blue elephants on a wire", "seven green bicycles in a lake"];
/** Names of the targets, and those above them that checks ask for; `home.arpa` tests the resolver. */
const ownQuestion = /^\S+ (?:(?:.+\.)?example\.(?:com|net|org)|(?:_dmarc\.)?(?:com|net|org)|\.|home\.arpa)$/;

const mtaStsPolicy = "version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmax_age: 604800\r\n";
const zones = {
  ".": { SOA: { authentic: [{ mname: "a.root", rname: "root", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }] } },
  "shop.example.com": { A: [shopAddress] },
  "example.com": {
    A: [shopAddress],
    MX: { authentic: [{ preference: 10, exchange: "mail.example.com" }] },
    TXT: ["v=spf1 mx include:gone.example.net -all"],
    NS: ["ns.example.com"],
    SOA: { authentic: [{ mname: "ns.example.com", rname: "root", serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }] },
  },
  "mail.example.com": { A: { authentic: [shopAddress] } },
  "ns.example.com": { A: [shopAddress] },
  "_25._tcp.mail.example.com": { TLSA: { authentic: [{ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 7) }] } },
  "_mta-sts.example.com": { TXT: ["v=STSv1; id=1"] },
  "mta-sts.example.com": { A: [shopAddress] },
  "_smtp._tls.example.com": { TXT: ["v=TLSRPTv1; rua=mailto:tls@example.com"] },
  "_dmarc.example.com": { TXT: ["v=DMARC1; p=none; rua=mailto:d@example.net"] },
  "www.example.org": { A: [otherAddress] },
  "cdn.example.net": { A: [otherAddress] },
};

/** A page that uses what has services of its own in a desktop browser: passwords, languages, prefetching, WebRTC, push, downloads. */
const shopPage = (cdnPort: number) => `<!doctype html><html lang=fi><title>Kauppa</title>
<link rel=dns-prefetch href=https://prefetch.example.net><link rel=preconnect href=https://cdn.example.net:${cdnPort}>
<link rel=stylesheet href=/shop.css><script src=/shop.js></script><img src=https://cdn.example.net:${cdnPort}/a.png alt=a>
<img src=https://gone.example.net/b.png alt=b><form><input name=user autocomplete=username><input type=password></form>
<script>
const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:${strangerAddress}:3478" }] });
peer.createDataChannel("a");
peer.createOffer().then((offer) => peer.setLocalDescription(offer));
navigator.serviceWorker?.register("/worker.js");
navigator.sendBeacon("https://cdn.example.net:${cdnPort}/beacon", "x");
fetch("http://${strangerAddress}/secret").catch(() => {});
new WebSocket("wss://gone.example.net/");
</script>`;

describe.skipIf(compiledBinary === null || straceIsMissing())(`without the internet${skippedNote}`, () => {
  let day: Installation;
  let dns: DnsServerHandle;
  let shop: TestServer;
  let other: TestServer;
  let visitors: Visitors;
  let server: ServerUnderTest;
  let settings: readonly string[];
  const traces: string[] = [];

  beforeAll(async () => {
    day = installed();
    const names = ["shop.example.com", "mta-sts.example.com", "cdn.example.net"];
    const routes = {
      "/.well-known/mta-sts.txt": { body: mtaStsPolicy, headers: { "content-type": "text/plain" } },
      "/shop.js": { body: "1" },
    };
    const cdn = await startHttps(siteIdentity("cdn.example.net", { names }), { "*": { body: "" } }, { address: otherAddress });
    other = await startHttp({ "/": { body: "<!doctype html><title>Other</title><img src=/a.png>" } }, otherAddress);
    shop = await startHttps(
      siteIdentity("shop.example.com", { names }),
      { ...routes, "/": { body: shopPage(cdn.port) } },
      { address: shopAddress },
    );
    dns = await startDnsServer(zones);
    const caFile = join(day.folder, "root.pem");
    writeFileSync(caFile, testAuthority().root.pem);
    settings = [
      ...["--data", join(day.folder, "data"), "--ca-file", caFile, "--dns", dns.address, "--allow-port", "any"],
      ...["--allow-cidr", `${shopAddress}/32`, "--allow-cidr", `${otherAddress}/32`],
      ...["--connect-to", `mta-sts.example.com:443=${shopAddress}:${shop.port}`],
    ];
    visitors = await openVisitors();
    stopSites = () => Promise.all([shop.stop(), other.stop(), cdn.stop()]);
  }, dayMsMax);
  let stopSites: () => Promise<unknown> = async () => {};

  afterAll(async () => {
    await visitors?.close();
    await server?.end("SIGKILL");
    await stopSites();
    dns?.stop();
    day?.remove();
  });

  /** The binary under strace, with a file of its own. */
  function watched(name: string): readonly string[] {
    const file = join(day.folder, `${name}.trace`);
    traces.push(file);
    return traced(day.command, file);
  }

  async function administratorsDay(): Promise<ApiClient> {
    const visitor = await visitors.visitor({ origin: server.url });
    const { page } = visitor;
    const { type, leave } = mouseOn(page);
    await visitor.open(/\/setup\?t=[\w-]+/.exec(server.stderr())?.[0] ?? "/");
    await type("[name=email]", "operator@example.com");
    await type("[name=password]", firstPassword);
    await leave("main form button[type=submit]");
    // The check for leaked passwords needs no service.
    for (const [password, done] of [
      ["passwort1234", false],
      [secondPassword, true],
    ] as const) {
      await type("#current-password", firstPassword);
      await type("[name=new-password]", password);
      await leave("form:has([value=password]) button[type=submit]");
      expect(new URL(page.url()).search !== "").toBe(done);
    }
    await visitor.open("/sign-out");
    await leave("main form button[type=submit]");
    await visitor.open("/sign-in");
    await type("[name=email]", "operator@example.com");
    await type("[name=password]", secondPassword);
    await leave("main form button[type=submit]");
    await visitor.open("/");
    await type("#url", `https://shop.example.com:${shop.port}/`);
    await leave("main form[action='/scans'] button[type=submit]");
    await page.waitForSelector(".verdict");
    await visitor.open("/account/tokens");
    await type("[name=name]", "day");
    await leave("form:has([value=create]) button[type=submit]");
    const token = await page.$eval("#token", (input) => (input as HTMLInputElement).value);
    for (const path of ["/admin", "/admin/checks", "/admin/settings", "/checks", "/sample", "/scans"]) await visitor.open(path);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
    return apiClient(server.url, token);
  }

  async function scanned(client: ApiClient, url: string): Promise<{ readonly token: string; readonly status: string }> {
    const token = (await client.start(url)) ?? "";
    return { token, status: (await client.ended(token, scanMsMax)).status };
  }

  async function reloadChecks(): Promise<void> {
    mkdirSync(join(day.folder, "data", "checks"));
    writeFileSync(join(day.folder, "data", "checks", "own-check.ts"), pluginSource("own-check"), { mode: 0o644 });
    process.kill(server.pid, "SIGHUP");
    while (!server.stderr().includes("checks reloaded")) await Bun.sleep(pollMs);
  }

  test(
    "nothing leaves but scans, questions to the resolver, and what stays on this machine",
    async () => {
      server = await serve(settings, { command: watched("serve"), cwd: day.folder, env: { ASSAY_LOG_LEVEL: "info" } });
      while ((await fetch(`${server.url}/readyz`)).status !== 200) await Bun.sleep(pollMs);
      const client = await administratorsDay();
      expect((await scanned(client, `http://www.example.org:${other.port}/`)).status).toBe("finished");
      expect((await scanned(client, "https://gone.example.net/")).status).toBe("failed");
      await reloadChecks();
      const again = await scanned(client, `https://shop.example.com:${shop.port}/?again`);
      expect(again.status).toBe("finished");
      for (const path of ["", "/image.png", "/screenshot", ...Object.values(exportFormats).map(({ extension }) => `.${extension}`)])
        expect([path, (await fetch(`${server.url}/scans/${again.token}${path}`)).status]).toEqual([path, 200]);
      const place = ["--data", join(day.folder, "data"), "--dns", dns.address, "--listen", new URL(server.url).host];
      const doctor = await run(["doctor", ...place], { command: watched("doctor") });
      expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining("scanned a page of its own")]);
      const once = await run(["scan", `https://shop.example.com:${shop.port}/`, ...settings], { command: watched("scan") });
      expect([once.code, once.stdout]).toEqual([0, expect.stringContaining("shop.example.com")]);
      expect(await server.end("SIGTERM")).toBe(0);

      const trace = readSocketTrace(traces);
      print(trace);
      expect(strangers(trace)).toEqual([]);
      assertWatched(trace);
    },
    dayMsMax,
  );

  test("the inventory of an installation contacts nothing", async () => {
    const file = join(day.folder, "offline.trace");
    const { code, stdout } = await run(["doctor", "--offline", ...settings.slice(0, 2), "--dns", dns.address], {
      command: traced(day.command, file),
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining(dns.address)]);
    const { destinations, sends, families } = readSocketTrace([file]);
    expect([...destinations.keys(), ...sends.keys()].filter((place) => !/^(NETLINK|UNIX)/.test(place))).toEqual([]);
    expect([...families].filter((family) => !/^AF_(UNIX|NETLINK)$/.test(family))).toEqual([]);
  });

  /** Destinations that an installation without the internet must not have. */
  function strangers(trace: SocketTrace): readonly string[] {
    return strangersIn(trace, (destination) => {
      const [protocol = "", place = ""] = destination.split(" ");
      const isTarget = [shopAddress, otherAddress].includes(place.split(":")[0] ?? "");
      return place === dns.address || (protocol === "TCP" && isTarget);
    });
  }

  /** What the list would miss, and that it is no empty list. */
  function assertWatched({ destinations, sendsTo, bound, families, ioUrings, threads }: SocketTrace): void {
    expect([...families].filter((family) => !/^AF_(INET6?|UNIX|NETLINK)$/.test(family))).toEqual([]);
    // The doctor tries the port of the server.
    expect([[...bound].filter((place) => place !== `TCP ${new URL(server.url).host}`), ioUrings]).toEqual([[], 0]);
    expect(routeQuestions.map((question) => sendsTo.get(question) ?? 0)).toEqual([0, 0, 0]);
    expect(sendsTo.get(`UDP ${dns.address}`)).toBeGreaterThan(50);
    const count = (destination: string) => destinations.get(destination) ?? 0;
    expect(count(`TCP ${shopAddress}:${shop.port}`)).toBeGreaterThan(10);
    expect(count(`TCP ${otherAddress}:${other.port}`)).toBeGreaterThan(1);
    expect(count(`UDP ${dns.address}`)).toBeGreaterThan(50);
    expect(threads).toBeGreaterThan(50);
    const asked = new Set(dns.queries.map(({ question }) => question));
    for (const question of ["TXT _mta-sts.example.com", "TLSA _25._tcp.mail.example.com", "A gone.example.net"].map((each) =>
      each.toLowerCase(),
    ))
      expect([...asked].map((each) => each.toLowerCase())).toContain(question);
    expect(shop.requests.map(({ path }) => path)).toContain("/.well-known/mta-sts.txt");
    const foreign = dns.queries.filter(({ question }) => !ownQuestion.test(question));
    expect(foreign).toEqual([]);
  }

  function print({ destinations, sends }: SocketTrace): void {
    const places: Readonly<Record<string, string>> = { [shopAddress]: "target", [otherAddress]: "target" };
    const purpose = (destination: string) => {
      const [, place = ""] = destination.split(" ");
      if (routeQuestions.includes(destination)) return "route asked of the kernel, nothing sent";
      return place === dns.address ? "resolver" : (places[place.split(":")[0] ?? ""] ?? "this machine");
    };
    const rows = [...destinations].map(([destination, calls]) => `${String(calls).padStart(6)}  ${destination}  (${purpose(destination)})`);
    const sent = [...sends].map(([protocol, calls]) => `${protocol} ${calls}`).join(", ");
    process.stderr.write(`destinations of the whole day:\n${rows.sort().join("\n")}\nsends: ${sent}\n`);
  }
});
