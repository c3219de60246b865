/** Puts Debian's nginx and Caddy before the appliance, by the very lines of docs/operate.md, and looks through them as a visitor: sign-in, progress, limits. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { type ServerUnderTest, serve } from "../support/program.ts";
import { isListening, type ServerProcess, startProcess } from "../support/server-process.ts";
import { closedPort, startHttp, type TestServer } from "../support/servers.ts";
import { browserDir } from "../support/visits.ts";

const host = "assay.example.org";
const testMsMax = 60_000;
/** What the site takes to answer, so that there is progress to watch. */
const siteMs = 1_500;
/** As src/api/app.ts has it. */
const failedAuthenticationsMax = 60;

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/operate.md"), "utf8");

/** The block of the guide that holds those words. */
function blockWith(words: string): string {
  const block = [...guide.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text = ""]) => text).find((text) => text.includes(words));
  if (block === undefined) throw new Error(`docs/operate.md has no block with ${words}`);
  return block;
}

interface Layout {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  readonly appliancePort: number;
}

/** Only ports, paths and what belongs to the machine are changed. */
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

interface Asked {
  readonly code: number;
  readonly text: string;
}

/** A visitor who keeps cookies and comes from an address of its own. */
function visitorOf(folder: string, port: number, address: string) {
  const origin = `https://${host}:${port}`;
  const jar = join(folder, `jar-${address}`);
  const base = [
    ...["--silent", "--include", "--cacert", join(folder, "root.pem"), "--resolve", `${host}:${port}:127.0.0.1`],
    ...["--interface", address, "--cookie", jar, "--cookie-jar", jar],
  ];
  const command = (args: readonly string[]) => ["curl", ...base, ...args];
  async function ask(path: string, ...args: string[]): Promise<Asked> {
    const text = await new Response(Bun.spawn(command([...args, `${origin}${path}`]), { stderr: "inherit" }).stdout).text();
    return { code: Number(/^HTTP\/\S+ (\d+)/.exec(text)?.[1]), text };
  }
  return {
    origin,
    ask,
    /** The form of the page at `path`, sent to where it goes, from a page of `from`. */
    send: async (path: string, fields: Readonly<Record<string, string>>, from = origin): Promise<Asked> => {
      const form = /<form method="post".*?<\/form>/s.exec((await ask(path)).text)?.[0] ?? "";
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]);
      const all = Object.entries({ ...Object.fromEntries(hidden), ...fields });
      const sent = all.flatMap(([name, value]) => ["--data-urlencode", `${name}=${value}`]);
      return ask(/action="([^"]+)"/.exec(form)?.[1] ?? "/", "--header", `Origin: ${from}`, ...sent);
    },
    /** What comes of an event stream, with when it came, until it says that all is done. */
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

/** One group of tests for each proxy. */
export function proxyTests(): void {
  describe.each(Object.keys(proxies))("laboratory: behind %s", (name) => {
    const folder = mkdtempSync(join(tmpdir(), `assay-lab-proxy-${name}-`));
    let site: TestServer | undefined;
    let appliance: ServerUnderTest | undefined;
    let proxy: ServerProcess | undefined;
    let port = 0;
    const visitor = (address = "127.0.0.2") => visitorOf(folder, port, address);

    beforeAll(async () => {
      port = await closedPort();
      const { certificateChainPem, privateKeyPem } = siteIdentity(host);
      writeFileSync(join(folder, "fullchain.pem"), certificateChainPem);
      writeFileSync(join(folder, "privkey.pem"), privateKeyPem, { mode: 0o600 });
      writeFileSync(join(folder, "root.pem"), testAuthority().root.pem);
      const configuration = blockWith("trusted_proxies = ").replace(`https://${host}`, `https://${host}:${port}`);
      writeFileSync(join(folder, "assay.toml"), configuration);
      site = await startHttp({ "/": (_request, response) => setTimeout(() => response.end("<!doctype html><title>slow</title>"), siteMs) });
      appliance = await serve(["--data", folder, "--profile", "internal"], { env: { ASSAY_BROWSER_DIR: browserDir } });
      const layout = { folder, port, plainPort: await closedPort(), appliancePort: Number(new URL(appliance.url).port) };
      proxy = await startProcess(proxies[name]?.(layout) ?? [], () => isListening(port));
    }, testMsMax);
    afterAll(async () => {
      await proxy?.stop();
      await appliance?.end("SIGTERM");
      await site?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("the printed link leads to the first account, for forms of this origin alone", async () => {
      const { origin, ask, send } = visitor();
      const link = new RegExp(`${origin}(/setup\\?t=\\w+)`).exec(appliance?.stderr() ?? "")?.[1] ?? "";
      const fields = { email: "first@assay.test", password: "a long enough password" };
      expect((await send(link, fields, "https://elsewhere.test")).code).toBe(403);
      const made = await send(link, fields);
      expect(made.code).toBe(303);
      expect(made.text).toMatch(/^set-cookie: __Host-sid=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure/im);
      expect(made.text).toMatch(/^strict-transport-security: max-age=63072000; includeSubDomains/im);
      const admin = await ask("/admin");
      expect(admin.code).toBe(200);
      expect(admin.text).not.toMatch(/X-Forwarded|public_url/);
    });

    test("says nothing of its own software", async () => {
      expect((await visitor().ask("/")).text).not.toMatch(/^server: .*\d|^server: caddy|^via:/im);
    });

    test(
      "progress arrives as it happens",
      async () => {
        const { send, watch } = visitor();
        const begun = await send("/", { url: `http://127.0.0.1:${site?.port}/` });
        expect(begun.code).toBe(303);
        const lines = await watch(`${/^location: (\S+)/im.exec(begun.text)?.[1]}/events`);
        const atMs = (words: string) => lines.find(({ line }) => line.startsWith(words))?.atMs ?? Number.NaN;
        expect(atMs("event: done") - atMs("event: stage")).toBeGreaterThan(siteMs / 2);
      },
      testMsMax,
    );

    test(
      "visitors are counted one by one, whatever they put into X-Forwarded-For",
      async () => {
        const addresses = Array.from({ length: failedAuthenticationsMax + 1 }, (_, at) => `198.51.100.${at}`);
        const codes: number[] = [];
        for (const address of addresses) codes.push((await visitor().ask("/api/v1/scans", "--header", `X-Forwarded-For: ${address}`)).code);
        expect([codes.filter((code) => code === 401).length, codes.at(-1)]).toEqual([failedAuthenticationsMax, 429]);
        expect((await visitor("127.0.0.3").ask("/api/v1/scans")).code).toBe(401);
      },
      testMsMax,
    );

    test("a form that is too long is refused, and the visitor is told", async () => {
      const file = join(folder, "long");
      writeFileSync(file, `form=${"a".repeat(1_000_000)}`);
      expect((await visitor().ask("/scans", "--data-binary", `@${file}`)).code).toBe(413);
    });
  });
}
