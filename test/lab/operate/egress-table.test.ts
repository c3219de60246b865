/**
 * Table of what each feature may connect to. Every socket of the program and its browsers is watched while the feature works. What the feature
 * reads names an address that no feature may reach.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, apiClient } from "../../support/api-client.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { startTestProvider, type TestProvider, testClientId, testClientSecret } from "../../support/identity-provider.ts";
import { pngImage } from "../../support/images.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { endServers, run, type ServerUnderTest, serve } from "../../support/program.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { readSocketTrace, type SocketTrace, straceIsMissing, traced } from "../../support/socket-trace.ts";
import { strangersIn } from "./destinations.ts";
import { type Installation, installed } from "./operated.ts";

const testMsMax = 300_000;
const endMsMax = 120_000;
const pollMs = 100;
const [siteAddress, hookAddress, movedAddress, strangerAddress] = ["127.0.0.2", "127.0.0.4", "127.0.0.5", "127.0.0.77"];
const email = "first@assay.test";

describe.skipIf(compiledBinary === null || straceIsMissing())(`destinations${skippedNote}`, () => {
  let installation: Installation;
  let data: string;
  let dns: DnsServerHandle;
  let provider: TestProvider;
  let site: TestServer;
  let hooks: TestServer;
  let moved: TestServer;
  /** Takes every request, and must get none. */
  let stranger: TestServer;
  let token: string;
  let scanned: string;
  let settings: readonly string[];
  let webhooks: Readonly<Record<string, string>>;
  let singleSignOn: Readonly<Record<string, string>>;
  let traces = 0;

  beforeAll(async () => {
    installation = installed();
    data = join(installation.folder, "data");
    stranger = await startHttp({ "*": { body: "stranger" } }, strangerAddress);
    const strange = `http://${strangerAddress}:${stranger.port}`;
    const page = `<!doctype html><title>${strange}/title</title><link rel=icon href="${strange}/icon"><img src="${strange}/a.png" alt="${strange}">
      <script src="${strange}/a.js"></script><form action="${strange}/form"><input type=password></form>`;
    const headers = {
      "content-type": "text/html",
      link: `<${strange}/>; rel=preload`,
      "content-security-policy": `report-uri ${strange}/csp`,
    };
    const sitemap = () => `<urlset><url><loc>http://site.test:${site.port}/</loc></url><url><loc>${strange}/</loc></url></urlset>`;
    site = await startHttp(
      {
        "/": { body: page, headers },
        "/sitemap.xml": (_request, response) => void response.setHeader("content-type", "application/xml").end(sitemap()),
      },
      siteAddress,
    );
    hooks = await startHttp({ "*": { status: 200, body: "ok" } }, hookAddress);
    moved = await startHttp({ "*": { status: 302, headers: { location: `${strange}/moved` } } }, movedAddress);
    provider = await startTestProvider();
    dns = await startDnsServer({
      "site.test": { A: [siteAddress] },
      "hooks.test": { A: [hookAddress] },
      "moved.test": { A: [movedAddress] },
    });
    const secretFile = join(installation.folder, "oidc-secret");
    writeFileSync(secretFile, testClientSecret, { mode: 0o600 });
    settings = ["--data", data, "--dns", dns.address, "--allow-port", "any", "--allow-cidr", `${siteAddress}/32`];
    webhooks = { ASSAY_WEBHOOKS_ALLOW_CIDRS: `${hookAddress}/32,${movedAddress}/32`, ASSAY_WEBHOOKS_ALLOW_HTTP: "true" };
    singleSignOn = {
      ASSAY_OIDC_ISSUER: provider.issuer,
      ASSAY_OIDC_CLIENT_ID: testClientId,
      ASSAY_OIDC_CLIENT_SECRET_FILE: secretFile,
    };
    await installation.assay(["user", "create", email, "--data", data]);
    token = (await installation.assay(["token", "create", "--user", email, "--name", "table", "--data", data])).stdout.trim();
  }, testMsMax);
  afterAll(async () => {
    await endServers();
    await Promise.all([site, hooks, moved, stranger, provider].map((each) => each?.stop()));
    dns?.stop();
    installation?.remove();
  });

  const traceFile = () => join(installation.folder, `${traces++}.trace`);

  /** Runs the feature on a server of its own, under strace. */
  async function served(use: (client: ApiClient, server: ServerUnderTest) => Promise<void>, given = {}): Promise<SocketTrace> {
    const file = traceFile();
    const options = { command: traced(installation.command, file), cwd: installation.folder };
    // The address of the server is its public one, so that people may sign in.
    const listen = `127.0.0.1:${portWithoutListener()}`;
    const env = { ...given, ASSAY_PUBLIC_URL: `http://${listen}`, ASSAY_API_RATE_PER_MINUTE: "100000" };
    const server = await serve([...settings, "--listen", listen], { ...options, env });
    while ((await fetch(`${server.url}/readyz`)).status !== 200) await Bun.sleep(pollMs);
    await use(apiClient(server.url, token), server);
    expect(await server.end("SIGTERM")).toBe(0);
    return readSocketTrace([file]);
  }

  async function command(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<SocketTrace> {
    const file = traceFile();
    const { code, stderr } = await run(args, { command: traced(installation.command, file), cwd: installation.folder, env: variables });
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    return readSocketTrace([file]);
  }

  const asked = ({ url }: ServerUnderTest, method: string, path: string, body?: Uint8Array<ArrayBuffer>, type = "") =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body }),
    });

  const resolver = () => `UDP ${dns.address}`;
  const siteUrl = () => `http://site.test:${site.port}/`;
  const siteItself = () => `TCP ${siteAddress}:${site.port}`;

  interface Row {
    readonly feature: string;
    readonly use: () => Promise<SocketTrace>;
    /** Destinations that the feature needs; it may have no other. */
    readonly to: () => readonly string[];
  }

  const rows: readonly Row[] = [
    {
      feature: "a scan",
      use: () =>
        served(async (client) => {
          scanned = (await client.start(siteUrl())) ?? "";
          expect((await client.ended(scanned, endMsMax)).status).toBe("finished");
        }),
      to: () => [siteItself(), resolver()],
    },
    {
      feature: "a report as PDF, with a logo of the account",
      use: () =>
        served(async (_client, server) => {
          const logo = new Uint8Array(pngImage(30, 20, [20, 80, 30, 255]));
          const brand = new TextEncoder().encode(JSON.stringify({ name: `http://${strangerAddress}/` }));
          expect((await asked(server, "PUT", "/brand", brand, "application/json")).status).toBe(200);
          expect((await asked(server, "PUT", "/brand/logo", logo, "image/png")).status).toBeLessThan(300);
          const report = await asked(server, "GET", `/scans/${scanned}/report.pdf?brand=own`);
          expect([report.status, report.headers.get("content-type")]).toEqual([200, "application/pdf"]);
        }),
      to: () => [],
    },
    {
      feature: "a proof",
      use: () =>
        served(async (client) => {
          const { body } = await client.post<{ token: string }>("/api/v1/proofs", { url: siteUrl() });
          const deadline = performance.now() + endMsMax;
          for (let status = "queued"; status !== "finished"; ) {
            expect(["queued", "running", "finished"]).toContain(status);
            expect(performance.now()).toBeLessThan(deadline);
            await Bun.sleep(pollMs);
            status = (await client.get<{ status: string }>(`/api/v1/proofs/${body.token}`)).body.status;
          }
        }),
      to: () => [siteItself(), resolver()],
    },
    {
      feature: "channels",
      use: () =>
        served(async (client) => {
          for (const [kind, target, result] of [
            ["webhook", `http://hooks.test:${hooks.port}/`, "delivered"],
            ["mattermost", `http://hooks.test:${hooks.port}/hooks/abc123`, "delivered"],
            ["ntfy", `http://hooks.test:${hooks.port}/topic`, "delivered"],
            // The program does not follow the redirect.
            ["webhook", `http://moved.test:${moved.port}/`, "failed"],
          ]) {
            const { status, body } = await client.post<{ id: number }>("/api/v1/channels", { kind, target, name: `${kind} ${result}` });
            expect([kind, status, status === 201 ? "" : body]).toEqual([kind, 201, ""]);
            const tried = await client.post<{ result: string }>(`/api/v1/channels/${body.id}/test`, {});
            expect([kind, tried.body.result]).toEqual([kind, result as string]);
          }
        }, webhooks),
      to: () => [`TCP ${hookAddress}:${hooks.port}`, `TCP ${movedAddress}:${moved.port}`, resolver()],
    },
    {
      feature: "the sign-in by an identity provider",
      use: () =>
        served(async (_client, { url }) => {
          const began = await fetch(`${url}/sign-in/oidc?next=%2F`, { redirect: "manual" });
          expect([began.status, began.headers.get("location")]).toEqual([303, expect.stringContaining(provider.issuer)]);
        }, singleSignOn),
      to: () => [`TCP ${new URL(provider.issuer).host}`],
    },
    {
      feature: "assay scan --from-sitemap",
      use: () => command(["scan", "--from-sitemap", `${siteUrl()}sitemap.xml`, ...settings.slice(2)]),
      to: () => [siteItself(), resolver()],
    },
  ];

  test.each(rows)(
    "of $feature are those that it needs",
    async ({ use, to }) => {
      const trace = await use();
      const needed = to();
      expect(strangersIn(trace, (destination) => needed.includes(destination))).toEqual([]);
      expect(needed.filter((destination) => !trace.destinations.has(destination))).toEqual([]);
      expect(trace.threads).toBeGreaterThan(5);
      expect(stranger.requests).toEqual([]);
    },
    testMsMax,
  );

  test(
    "of assay scan --server are the server alone",
    async () => {
      let trace: SocketTrace | null = null;
      let host = "";
      await served(async (_client, { url }) => {
        host = new URL(url).host;
        trace = await command(["scan", siteUrl(), "--server", url], { ASSAY_TOKEN: token });
      });
      const seen = trace as SocketTrace | null;
      expect(seen?.destinations.has(`TCP ${host}`)).toBe(true);
      expect(seen === null ? null : strangersIn(seen, (destination) => destination === `TCP ${host}`)).toEqual([]);
    },
    testMsMax,
  );
});
