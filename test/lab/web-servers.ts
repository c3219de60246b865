/** Starts Debian's nginx, Apache and Caddy on loopback, as they come and hardened, each over TLS with a plain-http door beside it. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How long a server may take until it answers on its port. */
const startMs = 10_000;
/** How long it may take to end after SIGTERM before it is ended for good. */
const stopMs = 5_000;

export const serverNames = ["nginx", "apache", "caddy"] as const;
export type ServerName = (typeof serverNames)[number];

export interface LabSite {
  /** Name that the site's certificate is for. */
  readonly host: string;
  readonly hardened: boolean;
  /** PEM texts; the chain goes from leaf to the last intermediate. */
  readonly certificateChainPem: string;
  readonly privateKeyPem: string;
}

export interface LabServer {
  readonly tlsPort: number;
  readonly plainPort: number;
  /** What the server calls itself, for the report. */
  readonly version: string;
  stop(): Promise<void>;
}

interface Layout extends LabSite {
  readonly folder: string;
  readonly root: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly tlsPort: number;
  readonly plainPort: number;
}

interface Launch {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a careful operator sends; the same for every server, in each server's own words. */
const hardenedHeaders: Readonly<Record<string, string>> = {
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains; preload",
  "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** Starts one server and waits until it answers. @throws Error with the server's own words when it does not. */
export async function startServer(name: ServerName, site: LabSite): Promise<LabServer> {
  const folder = mkdtempSync(join(tmpdir(), `assay-lab-${name}-`));
  const [tlsPort, plainPort] = await freePorts();
  const layout: Layout = {
    ...site,
    folder,
    root: join(folder, "www"),
    certificateFile: join(folder, "chain.pem"),
    keyFile: join(folder, "key.pem"),
    tlsPort,
    plainPort,
  };
  mkdirSync(layout.root, { mode: 0o755 });
  // Servers that start as root serve as another user, who must be able to get here.
  Bun.spawnSync(["chmod", "755", folder]);
  writeFileSync(layout.certificateFile, site.certificateChainPem);
  writeFileSync(layout.keyFile, site.privateKeyPem, { mode: 0o600 });
  writeFileSync(
    join(layout.root, "index.html"),
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laboratory</title></head><body><h1>It works</h1></body></html>\n',
  );
  const { command, environment } = prepare[name](layout);
  const child = spawn(command[0] as string, command.slice(1), {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => words.push(chunk.toString()));
  try {
    await untilListening(tlsPort, child, words);
  } catch (error) {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    tlsPort,
    plainPort,
    version: versionOf(name),
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const prepare: Readonly<Record<ServerName, (layout: Layout) => Launch>> = {
  nginx: prepareNginx,
  apache: prepareApache,
  caddy: prepareCaddy,
};

/** Debian's own nginx.conf, its paths moved into the folder, with one site. */
function prepareNginx(layout: Layout): Launch {
  const { folder, hardened } = layout;
  const conf = readFileSync("/etc/nginx/nginx.conf", "utf8")
    .replace(/^pid .*/m, `pid ${folder}/nginx.pid;\ndaemon off;`)
    .replaceAll("/var/log/nginx", folder)
    .replace(/include \/etc\/nginx\/conf\.d.*\n/, "")
    .replace(/include \/etc\/nginx\/sites-enabled.*/, `include ${folder}/site.conf;`)
    .replace(/ssl_protocols .*/, (line) => (hardened ? "ssl_protocols TLSv1.2 TLSv1.3;" : line));
  writeFileSync(join(folder, "nginx.conf"), conf);
  const headers = Object.entries(hardenedHeaders).map(([name, value]) => `add_header ${name} "${value}" always;`);
  const plain = hardened ? `return 301 https://${layout.host}$request_uri;` : `root ${layout.root};`;
  writeFileSync(
    join(folder, "site.conf"),
    `server { listen 127.0.0.1:${layout.plainPort}; server_name ${layout.host}; ${plain} }
server {
  listen 127.0.0.1:${layout.tlsPort} ssl;
  server_name ${layout.host};
  ssl_certificate ${layout.certificateFile};
  ssl_certificate_key ${layout.keyFile};
  root ${layout.root};
  ${hardened ? `server_tokens off; charset utf-8; ${headers.join("\n  ")}` : ""}
}
`,
  );
  return { command: ["/usr/sbin/nginx", "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")] };
}

/** A copy of Debian's /etc/apache2 with mod_ssl, mod_headers and mod_socache_shmcb switched on as a2enmod does. */
function prepareApache(layout: Layout): Launch {
  const { folder, hardened } = layout;
  const etc = join(folder, "etc");
  cpSync("/etc/apache2", etc, { recursive: true, verbatimSymlinks: true });
  for (const module of ["ssl", "headers", "socache_shmcb"]) {
    for (const ending of ["load", "conf"]) {
      const source = join(etc, "mods-available", `${module}.${ending}`);
      if (existsSync(source)) cpSync(source, join(etc, "mods-enabled", `${module}.${ending}`));
    }
  }
  // Debian enables by symbolic link; the copies must not lead back to the original folder.
  for (const enabled of ["sites-enabled/000-default.conf"]) rmSync(join(etc, enabled), { force: true });
  writeFileSync(join(etc, "ports.conf"), `Listen 127.0.0.1:${layout.plainPort}\nListen 127.0.0.1:${layout.tlsPort}\n`);
  const headers = Object.entries(hardenedHeaders).map(([name, value]) => `Header always set ${name} "${value}"`);
  const plain = hardened ? `Redirect permanent / https://${layout.host}/` : `DocumentRoot ${layout.root}`;
  const strict = [...headers, "SSLProtocol -all +TLSv1.2 +TLSv1.3", "AddDefaultCharset utf-8"].join("\n  ");
  writeFileSync(
    join(etc, "sites-enabled/site.conf"),
    `ServerName ${layout.host}
${hardened ? "ServerTokens Prod\nServerSignature Off" : ""}
<VirtualHost 127.0.0.1:${layout.plainPort}>
  ServerName ${layout.host}
  ${plain}
</VirtualHost>
<VirtualHost 127.0.0.1:${layout.tlsPort}>
  ServerName ${layout.host}
  DocumentRoot ${layout.root}
  SSLEngine on
  SSLCertificateFile ${layout.certificateFile}
  SSLCertificateKeyFile ${layout.keyFile}
  ${hardened ? strict : ""}
</VirtualHost>
<Directory ${layout.root}>
  Require all granted
</Directory>
`,
  );
  return {
    command: ["/usr/sbin/apache2", "-d", etc, "-f", join(etc, "apache2.conf"), "-DFOREGROUND"],
    environment: {
      APACHE_RUN_USER: "www-data",
      APACHE_RUN_GROUP: "www-data",
      APACHE_PID_FILE: join(folder, "apache.pid"),
      APACHE_RUN_DIR: folder,
      APACHE_LOCK_DIR: folder,
      APACHE_LOG_DIR: folder,
    },
  };
}

function prepareCaddy(layout: Layout): Launch {
  const { folder, hardened } = layout;
  const headers = Object.entries(hardenedHeaders).map(([name, value]) => `${name} "${value}"`);
  writeFileSync(
    join(folder, "Caddyfile"),
    `{
  admin off
  auto_https off
}
http://${layout.host}:${layout.plainPort} {
  bind 127.0.0.1
  ${hardened ? `redir https://${layout.host}{uri} permanent` : `root * ${layout.root}\n  file_server`}
}
https://${layout.host}:${layout.tlsPort} {
  bind 127.0.0.1
  tls ${layout.certificateFile} ${layout.keyFile}
  root * ${layout.root}
  file_server
  ${hardened ? `header {\n    ${[...headers, "-Server"].join("\n    ")}\n  }` : ""}
}
`,
  );
  return {
    command: ["/usr/bin/caddy", "run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"],
    environment: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
  };
}

function versionOf(name: ServerName): string {
  const command = { nginx: ["/usr/sbin/nginx", "-v"], apache: ["/usr/sbin/apache2", "-v"], caddy: ["/usr/bin/caddy", "version"] }[name];
  const { stdout, stderr } = Bun.spawnSync(command, { stdout: "pipe", stderr: "pipe" });
  return `${name} ${/\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? "of unknown version"}`;
}

/** Two ports that are free now; held together, so that they differ. */
async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            resolve(typeof address === "object" && address !== null ? address.port : 0);
          }),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [ports[0] ?? 0, ports[1] ?? 0];
}

async function untilListening(port: number, child: ChildProcess, words: readonly string[]): Promise<void> {
  const until = Date.now() + startMs;
  while (Date.now() < until) {
    if (child.exitCode !== null) break;
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
    if (open) return;
    await Bun.sleep(50);
  }
  throw new Error(`the server did not answer within ${startMs} ms: ${words.join("")}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await ended;
  clearTimeout(forced);
}
