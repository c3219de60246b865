/** Bare sites for one configuration pasted whole: each with an application that sends the given headers. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerName } from "../../src/text/servers/server-lines.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { egressTo, startHttp } from "../support/servers.ts";
import { applicationHost as host } from "./faulty-applications.ts";
import type { LabSite } from "./laboratory.ts";
import { runProgram } from "./php-site.ts";
import { apacheIn } from "./web-server-configurations.ts";

/** What the application answers. It names every `Origin` as allowed, with credentials, if `reflectsOrigin`. */
export interface AnsweredPage {
  readonly headers: readonly (readonly [string, string])[];
  readonly html: string;
  readonly reflectsOrigin: boolean;
}

interface SitePaths {
  readonly folder: string;
  readonly tlsPort: number;
  readonly plainPort: number;
  /** One configuration, or an empty text for the site before. */
  readonly pasted: string;
}

interface BareSite extends SitePaths {
  readonly applicationPort: number;
}

/** Servers that the laboratory can run; the others' lines are checked by form. */
export type RunServer = Exclude<ServerName, "iis" | "cloudflare" | "traefik">;

/** Serves the page behind the server, with the configuration at its documented place. */
export async function serveWhole(server: RunServer, page: AnsweredPage, pasted: string): Promise<LabSite> {
  // Modules of Node.js are found from within the repository only.
  const parent = server === "express" ? join(import.meta.dirname, "../../dist") : tmpdir();
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "assay-lab-whole-"));
  const { certificateChainPem, privateKeyPem } = siteIdentity(host, { key: "rsa-2048" });
  writeFileSync(join(folder, "chain.pem"), certificateChainPem);
  writeFileSync(join(folder, "key.pem"), privateKeyPem);
  chmodSync(folder, 0o755);
  const paths: SitePaths = { folder, pasted, tlsPort: portWithoutListener(), plainPort: portWithoutListener() };
  const application = await startApplication(server, page, paths);
  const site: BareSite = { ...paths, applicationPort: application.port };
  const isReady = async () => (await isListening(site.tlsPort)) && isListening(site.plainPort);
  const running = await startProcess(commands[server](site, page), isReady);
  return {
    url: `https://${host}/`,
    egress: egressTo({ [`${host}:443`]: { port: site.tlsPort }, [`${host}:80`]: { port: site.plainPort } }),
    caPems: [testAuthority().root.pem],
    stop: async () => {
      await running.stop();
      await application.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Application behind the server, in this process or as PHP. */
async function startApplication(server: RunServer, page: AnsweredPage, { folder, pasted }: SitePaths) {
  if (server !== "wordpress")
    return startHttp({
      "*": (request, response) => {
        const { origin } = request.headers;
        const cors: [string, string][] =
          page.reflectsOrigin && origin !== undefined
            ? [
                ["access-control-allow-origin", origin],
                ["access-control-allow-credentials", "true"],
              ]
            : [];
        response.writeHead(200, [...page.headers, ...cors].flat()).end(page.html);
      },
    });
  const port = portWithoutListener();
  const plugin = join(folder, "plugin.php");
  writeFileSync(plugin, pasted === "" ? "<?php\n" : pasted);
  writeFileSync(join(folder, "index.html"), page.html);
  const origin = `if (isset($_SERVER['HTTP_ORIGIN'])) { header('Access-Control-Allow-Origin: ' . $_SERVER['HTTP_ORIGIN']); header('Access-Control-Allow-Credentials: true'); }`;
  const sent = page.headers.map(([name, value]) => `header(base64_decode('${btoa(`${name}: ${value}`)}'), false);`);
  // WordPress loads its plugins before it makes the page.
  const router = join(folder, "router.php");
  writeFileSync(
    router,
    `<?php\nrequire '${plugin}';\n${sent.join("\n")}\n${page.reflectsOrigin ? origin : ""}\nreadfile(__DIR__ . '/index.html');\n`,
  );
  const command = ["/usr/bin/php", "-d", "display_errors=0", "-S", `127.0.0.1:${port}`, router];
  const running = await startProcess(command, () => isListening(port));
  return { port, stop: running.stop };
}

const commands: Readonly<Record<RunServer, (site: BareSite, page: AnsweredPage) => readonly string[]>> = {
  nginx: nginxCommand,
  // The code is part of the application; nginx adds nothing but https.
  wordpress: (site) => nginxCommand({ ...site, pasted: "" }),
  apache: (site) => apacheCommand(site, `ProxyPass / http://127.0.0.1:${site.applicationPort}/`, ["proxy", "proxy_http"]),
  caddy: caddyCommand,
  htaccess: htaccessCommand,
  express: expressCommand,
};

/** One server block for both ports, as the comments of the configuration advise. */
function nginxCommand({ folder, tlsPort, plainPort, applicationPort, pasted }: BareSite): readonly string[] {
  const file = join(folder, "nginx.conf");
  const text = `pid ${folder}/nginx.pid;
daemon off;
error_log stderr;
events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:${plainPort};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${folder}/chain.pem;
    ssl_certificate_key ${folder}/key.pem;
    ${pasted}
    location / { proxy_pass http://127.0.0.1:${applicationPort}; }
  }
}
`;
  writeFileSync(file, text);
  return ["/usr/sbin/nginx", "-c", file, "-e", "stderr"];
}

/** The configuration is a file that all virtual hosts read. */
function apacheCommand({ folder, tlsPort, plainPort, pasted }: BareSite, content: string, modules: readonly string[]): readonly string[] {
  return apacheIn(folder, {
    ports: [plainPort, tlsPort],
    modules: ["ssl", "socache_shmcb", "headers", "rewrite", ...modules],
    sites: `${pasted}
ServerName ${host}
<VirtualHost 127.0.0.1:${plainPort}>
  ServerName ${host}
  ${content}
</VirtualHost>
<VirtualHost 127.0.0.1:${tlsPort}>
  ServerName ${host}
  ${content}
  SSLEngine on
  SSLCertificateFile ${folder}/chain.pem
  SSLCertificateKeyFile ${folder}/key.pem
</VirtualHost>
`,
  });
}

/** A CGI program in a folder with a `.htaccess` file, as on shared hosting. */
function htaccessCommand(site: BareSite, page: AnsweredPage): readonly string[] {
  const root = join(site.folder, "root");
  mkdirSync(root);
  const fields = page.headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  const cors = `[ -z "$HTTP_ORIGIN" ] || printf 'Access-Control-Allow-Origin: %s\\nAccess-Control-Allow-Credentials: true\\n' "$HTTP_ORIGIN"`;
  const program = `#!/bin/sh\ncat <<'END'\n${fields}\nEND\n${page.reflectsOrigin ? cors : ""}\ncat <<'END'\n\n${page.html}\nEND\n`;
  writeFileSync(join(root, "index.cgi"), program, { mode: 0o755 });
  writeFileSync(join(root, ".htaccess"), site.pasted);
  runProgram("chmod", "-R", "a+rX", site.folder);
  const folder = `<Directory ${root}>\n  AllowOverride All\n  Options +ExecCGI\n  Require all granted\n</Directory>`;
  const content = `DocumentRoot ${root}\nDirectoryIndex index.cgi\nAddHandler cgi-script .cgi\n${folder}`;
  return apacheCommand({ ...site, pasted: `ScriptSock ${site.folder}/cgid.sock` }, content, ["cgid", "dir", "mime", "alias"]);
}

/** The block of port 80 takes the lines for it; the other block takes all. */
function caddyCommand({ folder, tlsPort, plainPort, applicationPort, pasted }: BareSite): readonly string[] {
  const file = join(folder, "Caddyfile");
  const plain = /^# For port 80:\n([\s\S]*?)^#/m.exec(`${pasted}\n#`)?.[1] ?? "";
  const text = `{
  admin off
  auto_https off
}
http://${host}:${plainPort} {
  bind 127.0.0.1
  ${plain}
  reverse_proxy 127.0.0.1:${applicationPort}
}
https://${host}:${tlsPort} {
  bind 127.0.0.1
  tls ${folder}/chain.pem ${folder}/key.pem
  ${pasted}
  reverse_proxy 127.0.0.1:${applicationPort}
}
`;
  writeFileSync(file, text);
  const homes = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"].map((name) => `${name}=${folder}`);
  return ["/usr/bin/env", ...homes, "/usr/bin/caddy", "run", "--config", file, "--adapter", "caddyfile"];
}

/** The real Express with helmet, in Node.js. */
function expressCommand({ folder, tlsPort, plainPort, pasted }: BareSite, page: AnsweredPage): readonly string[] {
  const file = join(folder, "app.mjs");
  const text = `import express from "express";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

// reads: dist/
const app = express();
${pasted}
app.get("/", (request, response) => {
  for (const [name, value] of ${JSON.stringify(page.headers)}) response.appendHeader(name, value);
  if (${page.reflectsOrigin} && request.headers.origin !== undefined) {
    response.setHeader("Access-Control-Allow-Origin", request.headers.origin);
    response.setHeader("Access-Control-Allow-Credentials", "true");
  }
  response.end(${JSON.stringify(page.html)});
});
const identity = { cert: readFileSync(${JSON.stringify(join(folder, "chain.pem"))}), key: readFileSync(${JSON.stringify(join(folder, "key.pem"))}) };
http.createServer(app).listen(${plainPort}, "127.0.0.1");
https.createServer(identity, app).listen(${tlsPort}, "127.0.0.1");
`;
  writeFileSync(file, text);
  return ["node", file];
}
