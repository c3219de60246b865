/** Tests the appliance behind Debian's nginx and Caddy, configured with the lines of docs/operate.md. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { type ServerUnderTest, serve } from "../support/program.ts";
import { isListening, type ServerProcess, startProcess } from "../support/server-process.ts";
import { startHttp, type TestServer } from "../support/servers.ts";

const host = "assay.example.org";
const testMsMax = 60_000;
/** Response time of the site, which leaves time to watch the progress. */
const siteMs = 1_500;
/** The limit of src/api/app.ts. */
const failedAuthenticationsMax = 60;

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/operate.md"), "utf8");

/** The code block of the guide that contains the text. */
function blockWith(excerpt: string): string {
  const block = [...guide.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text = ""]) => text).find((text) => text.includes(excerpt));
  if (block === undefined) throw new Error(`docs/operate.md has no block with ${excerpt}`);
  return block;
}

interface Layout {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  readonly appliancePort: number;
}

/** Changes only ports and paths of the documented lines. */
const proxies: Readonly<Record<string, (layout: Layout) => readonly string[]>> = {
  nginx: ({ folder, port, plainPort, appliancePort }) => {
    const lines = blockWith("proxy_pass")
      .replaceAll(/^\s*listen \[::\].*\n/gm, "")
      .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
      .replace("listen 443", `listen 127.0.0.1:${port}`)
      .replaceAll("/etc/ssl/assay.example.org", folder)
      .replace("127.0.0.1:8787", `127.0.0.1:${appliancePort}`);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`);
    const file = join(folder, "nginx.conf");
    writeFileSync(file, `daemon off; pid ${folder}/nginx.pid; events {} http { access_log off; ${temporary.join(" ")}\n${lines}\n}\n`);
    return ["/usr/sbin/nginx", "-e", join(folder, "error.log"), "-c", file];
  },
  Caddy: ({ folder, port, plainPort, appliancePort }) => {
    const lines = blockWith("reverse_proxy")
      .replace(`${host} {`, `${host}:${port} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`)
      .replace("127.0.0.1:8787", `127.0.0.1:${appliancePort}`);
    const file = join(folder, "Caddyfile");
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n\thttp_port ${plainPort}\n\tstorage file_system ${folder}\n}\n\n${lines}`);
    return ["env", `XDG_CONFIG_HOME=${folder}`, "/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", file];
  },
};

interface CurlResponse {
  readonly code: number;
  readonly text: string;
}

/** A client with its own cookie jar and source address. */
function clientFrom(folder: string, port: number, address: string) {
  const origin = `https://${host}:${port}`;
  const jar = join(folder, `jar-${address}`);
  const base = [
    ...["--silent", "--include", "--cacert", join(folder, "root.pem"), "--resolve", `${host}:${port}:127.0.0.1`],
    ...["--interface", address, "--cookie", jar, "--cookie-jar", jar],
  ];
  const command = (args: readonly string[]) => ["curl", ...base, ...args];
  async function request(path: string, ...args: string[]): Promise<CurlResponse> {
    const text = await new Response(Bun.spawn(command([...args, `${origin}${path}`]), { stderr: "inherit" }).stdout).text();
    return { code: Number(/^HTTP\/\S+ (\d+)/.exec(text)?.[1]), text };
  }
  return {
    origin,
    request,
    /** Submits the form of the page at `path`, with `from` as the Origin. */
    send: async (path: string, fields: Readonly<Record<string, string>>, from = origin): Promise<CurlResponse> => {
      const form = /<form method="post".*?<\/form>/s.exec((await request(path)).text)?.[0] ?? "";
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]);
      const all = Object.entries({ ...Object.fromEntries(hidden), ...fields });
      const sent = all.flatMap(([name, value]) => ["--data-urlencode", `${name}=${value}`]);
      return request(/action="([^"]+)"/.exec(form)?.[1] ?? "/", "--header", `Origin: ${from}`, ...sent);
    },
    /** The lines of an event stream with their arrival times, until the event `done`. */
    watch: async (path: string): Promise<readonly { readonly line: string; readonly atMs: number }[]> => {
      const child = Bun.spawn(command(["--no-buffer", `${origin}${path}`]), { stderr: "inherit" });
      const lines: { line: string; atMs: number }[] = [];
      for await (const chunk of child.stdout) {
        const atMs = performance.now();
        lines.push(
          ...Buffer.from(chunk)
            .toString()
            .split("\n")
            .map((line) => ({ line, atMs })),
        );
        if (lines.some(({ line }) => line.startsWith("event: done"))) break;
      }
      child.kill();
      return lines;
    },
  };
}

/** Registers tests for each proxy. */
export function proxyTests(): void {
  describe.each(Object.keys(proxies))("laboratory: behind %s", (name) => {
    const folder = mkdtempSync(join(tmpdir(), `assay-lab-proxy-${name}-`));
    let site: TestServer | undefined;
    let appliance: ServerUnderTest | undefined;
    let proxy: ServerProcess | undefined;
    let port = 0;
    const client = (address = "127.0.0.2") => clientFrom(folder, port, address);

    beforeAll(async () => {
      port = portWithoutListener();
      const { certificateChainPem, privateKeyPem } = siteIdentity(host);
      writeFileSync(join(folder, "fullchain.pem"), certificateChainPem);
      writeFileSync(join(folder, "privkey.pem"), privateKeyPem, { mode: 0o600 });
      writeFileSync(join(folder, "root.pem"), testAuthority().root.pem);
      const configuration = blockWith("trusted_proxies = ").replace(`https://${host}`, `https://${host}:${port}`);
      writeFileSync(join(folder, "assay.toml"), configuration);
      site = await startHttp({ "/": (_request, response) => setTimeout(() => response.end("<!doctype html><title>slow</title>"), siteMs) });
      appliance = await serve(["--data", folder, "--profile", "internal"]);
      const layout = { folder, port, plainPort: portWithoutListener(), appliancePort: Number(new URL(appliance.url).port) };
      proxy = await startProcess(proxies[name]?.(layout) ?? [], () => isListening(port));
    }, testMsMax);
    afterAll(async () => {
      await proxy?.stop();
      await appliance?.end("SIGTERM");
      await site?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("the printed link creates the first account, and only forms of this origin are accepted", async () => {
      const { origin, request, send } = client();
      const link = new RegExp(`${origin}(/setup\\?t=\\w+)`).exec(appliance?.stderr() ?? "")?.[1] ?? "";
      const fields = { email: "first@assay.test", password: "a long enough password" };
      expect((await send(link, fields, "https://elsewhere.test")).code).toBe(403);
      const created = await send(link, fields);
      expect(created.code).toBe(303);
      expect(created.text).toMatch(/^set-cookie: __Host-sid=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure/im);
      expect(created.text).toMatch(/^strict-transport-security: max-age=63072000; includeSubDomains/im);
      const admin = await request("/admin");
      expect(admin.code).toBe(200);
      expect(admin.text).not.toMatch(/X-Forwarded|public_url/);
    });

    test("hides its server software", async () => {
      expect((await client().request("/")).text).not.toMatch(/^server: .*\d|^server: caddy|^via:/im);
    });

    test(
      "progress events arrive without buffering",
      async () => {
        const { send, watch } = client();
        const started = await send("/", { url: `http://127.0.0.1:${site?.port}/` });
        expect(started.code).toBe(303);
        const lines = await watch(`${/^location: (\S+)/im.exec(started.text)?.[1]}/events`);
        const atMs = (event: string) => lines.find(({ line }) => line.startsWith(event))?.atMs ?? Number.NaN;
        expect(atMs("event: done") - atMs("event: stage")).toBeGreaterThan(siteMs / 2);
      },
      testMsMax,
    );

    test(
      "clients are limited by address, even with a forged X-Forwarded-For",
      async () => {
        const addresses = Array.from({ length: failedAuthenticationsMax + 1 }, (_, at) => `198.51.100.${at}`);
        const codes: number[] = [];
        for (const address of addresses)
          codes.push((await client().request("/api/v1/scans", "--header", `X-Forwarded-For: ${address}`)).code);
        expect([codes.filter((code) => code === 401).length, codes.at(-1)]).toEqual([failedAuthenticationsMax, 429]);
        expect((await client("127.0.0.3").request("/api/v1/scans")).code).toBe(401);
      },
      testMsMax,
    );

    test("a form that is too long gets status 413", async () => {
      const file = join(folder, "long");
      writeFileSync(file, `url=${"a".repeat(1_000_000)}`);
      const { origin, request } = client();
      expect((await request("/scans", "--header", `Origin: ${origin}`, "--data-binary", `@${file}`)).code).toBe(413);
    });
  });
}
