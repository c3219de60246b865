/** Scans faulty applications behind nginx, Apache and Caddy before and after pasting the lines of our remediations. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import type { CheckTexts } from "../../src/check/check.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { remediationOf } from "../support/remediations.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { egressTo, startHttp } from "../support/servers.ts";
import { applications, type FaultyApplication, applicationHost as host, applicationHtml as html } from "./faulty-applications.ts";
import type { LabCase, LabSite } from "./laboratory.ts";
import { isGlobalInApache, labelledLines, type ServerName, serverNames } from "./remediation.ts";
import { passed, violated } from "./states.ts";

const checks: Readonly<Record<string, CheckTexts>> = enGb.checks;

/** Cases of each application: with its findings behind nginx, and without them behind each server with the pasted lines. */
export const pastedCases: readonly LabCase[] = applications.flatMap((application) => [
  {
    name: `${application.name}, behind nginx`,
    expected: violated(...keysOf(application)),
    codes: application.codes,
    serve: () => serve("nginx", application, []),
  },
  ...serversFor(application).map((server) => ({
    name: `${application.name}, behind ${server} with the pasted lines`,
    expected: passed(...keysOf(application)),
    serve: () => serve(server, application, application.codes),
  })),
]);

function serversFor({ outdated }: FaultyApplication): readonly ServerName[] {
  return serverNames.filter((server) => outdated === undefined || outdated[server] !== undefined);
}

function keysOf({ codes }: FaultyApplication): readonly string[] {
  return Object.keys(checks).filter((key) => codes.some((code) => Object.hasOwn(checks[key]?.findings ?? {}, code)));
}

/** Distinct lines of all these findings for a server. Lines for Caddy form blocks. */
function pastedLines(server: ServerName, codes: readonly string[]): readonly string[] {
  const blocks = codes.map((code): readonly string[] => {
    return labelledLines(server, remediationOf(code, { host, names: "sid" }));
  });
  return [...new Set(server === "Caddy" ? blocks.map((lines) => lines.join("\n")) : blocks.flat())];
}

async function serve(server: ServerName, application: FaultyApplication, codes: readonly string[]): Promise<LabSite> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-pasted-"));
  const backend = await startHttp({ "*": { headers: application.headers, body: html } });
  const { certificateChainPem, privateKeyPem } = siteIdentity(host, { key: "rsa-2048" });
  const [tlsPort, plainPort] = [portWithoutListener(), portWithoutListener()];
  const site: Site = {
    folder,
    tlsPort,
    plainPort,
    applicationPort: backend.port,
    general: application.outdated?.[server] ?? [],
    ...linesByPort(server, codes),
  };
  writeFileSync(join(folder, "chain.pem"), certificateChainPem);
  writeFileSync(join(folder, "key.pem"), privateKeyPem, { mode: 0o600 });
  const { text, command } = configurations[server](site);
  const file = join(folder, "server.conf");
  writeFileSync(file, text);
  const running = await startProcess(command(file), async () => (await isListening(tlsPort)) && isListening(plainPort));
  return {
    url: `https://${host}/`,
    egress: egressTo({ [`${host}:443`]: { port: tlsPort }, [`${host}:80`]: { port: plainPort } }),
    caPems: [testAuthority().root.pem],
    stop: async () => {
      await running.stop();
      await backend.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Site {
  readonly folder: string;
  readonly tlsPort: number;
  readonly plainPort: number;
  readonly applicationPort: number;
  /** Lines for all sites of the server. */
  readonly general: readonly string[];
  /** Lines for the https site and for the http site. */
  readonly secure: readonly string[];
  readonly plain: readonly string[];
}

const redirectCode = "security.transport.no-https-redirect";

/** Redirects belong to port 80 and all other lines to port 443, as the texts state. */
function linesByPort(server: ServerName, codes: readonly string[]): Pick<Site, "secure" | "plain"> {
  return {
    secure: pastedLines(
      server,
      codes.filter((code) => code !== redirectCode),
    ),
    plain: pastedLines(
      server,
      codes.filter((code) => code === redirectCode),
    ),
  };
}

interface Configuration {
  readonly text: string;
  command(file: string): readonly string[];
}

const configurations: Readonly<Record<ServerName, (site: Site) => Configuration>> = {
  nginx: ({ folder, tlsPort, plainPort, applicationPort, general, secure, plain }) => {
    const proxied = `location / { proxy_pass http://127.0.0.1:${applicationPort}; }`;
    return {
      text: `pid ${folder}/nginx.pid;
daemon off;
error_log stderr;
events {}
http {
  access_log off;
  ${general.join("\n")}
  server {
    listen 127.0.0.1:${plainPort};
    ${plain.join("\n")}
    ${proxied}
  }
  server {
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${folder}/chain.pem;
    ssl_certificate_key ${folder}/key.pem;
    ${secure.join("\n")}
    ${proxied}
  }
}
`,
      command: (file) => ["/usr/sbin/nginx", "-c", file, "-e", "stderr"],
    };
  },
  Apache: ({ folder, tlsPort, plainPort, applicationPort, general, secure, plain }) => {
    const modules = ["mpm_event", "authz_core", "alias", "headers", "ssl", "proxy", "proxy_http"];
    // ProxyPass takes precedence over Redirect, so only one of them is configured.
    const proxied = `ProxyPass / http://127.0.0.1:${applicationPort}/`;
    return {
      text: `ServerRoot ${folder}
ServerName ${host}
User www-data
Group www-data
PidFile ${folder}/apache.pid
ErrorLog ${folder}/apache.log
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${[...general, ...secure.filter(isGlobalInApache)].join("\n")}
Listen 127.0.0.1:${plainPort}
Listen 127.0.0.1:${tlsPort}
<VirtualHost 127.0.0.1:${plainPort}>
  ${plain.length > 0 ? plain.join("\n") : proxied}
</VirtualHost>
<VirtualHost 127.0.0.1:${tlsPort}>
  SSLEngine on
  SSLCertificateFile ${folder}/chain.pem
  SSLCertificateKeyFile ${folder}/key.pem
  ${secure.filter((line) => !isGlobalInApache(line)).join("\n")}
  ${proxied}
</VirtualHost>
`,
      command: (file) => ["/usr/sbin/apache2", "-f", file, "-DFOREGROUND"],
    };
  },
  Caddy: ({ folder, tlsPort, plainPort, applicationPort, secure, plain }) => {
    const proxied = `reverse_proxy 127.0.0.1:${applicationPort}`;
    return {
      text: `{
  admin off
  auto_https off
}
http://${host}:${plainPort} {
  bind 127.0.0.1
  ${plain.join("\n")}
  ${proxied}
}
https://${host}:${tlsPort} {
  bind 127.0.0.1
  tls ${folder}/chain.pem ${folder}/key.pem
  ${secure.join("\n")}
  ${proxied}
}
`,
      command: (file) => [
        "/usr/bin/env",
        `XDG_DATA_HOME=${folder}`,
        `XDG_CONFIG_HOME=${folder}`,
        `HOME=${folder}`,
        "/usr/bin/caddy",
        "run",
        "--config",
        file,
        "--adapter",
        "caddyfile",
      ],
    };
  },
};
