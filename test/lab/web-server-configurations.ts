/** Default and hardened configurations of Debian's web servers, for one site in a folder and on given ports. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const webServerNames = ["nginx", "apache", "caddy", "lighttpd", "haproxy"] as const;
export type WebServerName = (typeof webServerNames)[number];

/** The site and its paths. */
export interface Layout {
  /** The certificate's host name. */
  readonly host: string;
  readonly hardened: boolean;
  /** Folder for all files that the server writes. */
  readonly folder: string;
  /** Document root. */
  readonly root: string;
  /** PEM files; the chain starts with the leaf, `bothFile` is the chain followed by the key. */
  readonly chainFile: string;
  readonly keyFile: string;
  readonly bothFile: string;
  readonly tlsPort: number;
  readonly plainPort: number;
  /** Port of an application on 127.0.0.1, for servers without a document root. */
  readonly originPort: number;
}

/** Headers of the hardened configurations. */
const hardenedHeaders: Readonly<Record<string, string>> = {
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains; preload",
  "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "Cross-Origin-Opener-Policy": "same-origin",
};

const hardenedSuites = "ECDHE+AESGCM:ECDHE+CHACHA20";

function headerLines(line: (name: string, value: string) => string): string {
  return Object.entries(hardenedHeaders)
    .map(([name, value]) => line(name, value))
    .join("\n  ");
}

/** Writes the configuration and returns the command that runs the server in the foreground. */
export const configurations: Readonly<Record<WebServerName, (layout: Layout) => readonly string[]>> = {
  /** Debian's nginx.conf with paths in the folder and one site. */
  nginx: ({ folder, root, host, hardened, chainFile, keyFile, tlsPort, plainPort }) => {
    const conf = readFileSync("/etc/nginx/nginx.conf", "utf8")
      .replace(/^pid .*/m, `pid ${folder}/nginx.pid;\ndaemon off;`)
      .replaceAll("/var/log/nginx", folder)
      .replace(/include \/etc\/nginx\/conf\.d.*\n/, "")
      .replace(/include \/etc\/nginx\/sites-enabled.*/, `include ${folder}/site.conf;`)
      .replace(/ssl_protocols .*/, (line) => (hardened ? `ssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers ${hardenedSuites};` : line));
    writeFileSync(join(folder, "nginx.conf"), conf);
    const strict = headerLines((name, value) => `add_header ${name} "${value}" always;`);
    writeFileSync(
      join(folder, "site.conf"),
      `server {
  listen 127.0.0.1:${plainPort};
  server_name ${host};
  ${hardened ? `return 301 https://${host}$request_uri;` : `root ${root};`}
}
server {
  listen 127.0.0.1:${tlsPort} ssl;
  server_name ${host};
  ssl_certificate ${chainFile};
  ssl_certificate_key ${keyFile};
  root ${root};
  ${hardened ? `server_tokens off;\n  charset utf-8;\n  ${strict}` : ""}
}
`,
    );
    return ["/usr/sbin/nginx", "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  },

  apache: ({ folder, root, host, hardened, chainFile, keyFile, tlsPort, plainPort }) => {
    const strict = headerLines((name, value) => `Header always set ${name} "${value}"`);
    return apacheIn(folder, {
      ports: [plainPort, tlsPort],
      modules: ["ssl", "headers", "socache_shmcb"],
      sites: `ServerName ${host}
${hardened ? "ServerTokens Prod\nServerSignature Off" : ""}
<VirtualHost 127.0.0.1:${plainPort}>
  ServerName ${host}
  ${hardened ? `Redirect permanent / https://${host}/` : `DocumentRoot ${root}`}
</VirtualHost>
<VirtualHost 127.0.0.1:${tlsPort}>
  ServerName ${host}
  DocumentRoot ${root}
  SSLEngine on
  SSLCertificateFile ${chainFile}
  SSLCertificateKeyFile ${keyFile}
  ${hardened ? `SSLProtocol -all +TLSv1.2 +TLSv1.3\n  SSLCipherSuite ${hardenedSuites}\n  AddDefaultCharset utf-8\n  ${strict}` : ""}
</VirtualHost>
<Directory ${root}>
  Require all granted
</Directory>
`,
    });
  },

  caddy: ({ folder, root, host, hardened, chainFile, keyFile, tlsPort, plainPort }) => {
    const strict = headerLines((name, value) => `header ${name} "${value}"`);
    writeFileSync(
      join(folder, "Caddyfile"),
      `{
  admin off
  auto_https off
}
http://${host}:${plainPort} {
  bind 127.0.0.1
  ${hardened ? `redir https://${host}{uri} permanent` : `root * ${root}\n  file_server`}
}
https://${host}:${tlsPort} {
  bind 127.0.0.1
  tls ${chainFile} ${keyFile}
  root * ${root}
  file_server
  ${hardened ? `header -Server\n  ${strict}` : ""}
}
`,
    );
    const environment = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
    return [...inEnvironment(environment), "/usr/bin/caddy", "run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
  },

  /** Debian's lighttpd.conf with paths in the folder and the lines of `lighty-enable-mod ssl`. */
  lighttpd: ({ folder, root, host, hardened, bothFile, tlsPort, plainPort }) => {
    const conf = readFileSync("/etc/lighttpd/lighttpd.conf", "utf8")
      .replace('"/var/www/html"', `"${root}"`)
      .replace(/^server\.(errorlog|upload-dirs) .*\n/gm, "")
      .replace("/run/lighttpd.pid", join(folder, "lighttpd.pid"))
      .replace(/^server\.port .*/m, `server.port = ${plainPort}\nserver.bind = "127.0.0.1"`)
      .replace(/^include_shell .*use-ipv6.*\n/m, "");
    const strict = `server.tag = "lighttpd"
server.modules += ( "mod_setenv" )
$HTTP["scheme"] == "http" { url.redirect = ( "" => "https://${host}\${url.path}\${qsa}" ) }
$HTTP["scheme"] == "https" {
  ${headerLines((name, value) => `setenv.set-response-header += ( "${name}" => "${value}" )`)}
}`;
    writeFileSync(
      join(folder, "lighttpd.conf"),
      `${conf}
server.modules += ( "mod_openssl" )
ssl.pemfile = "${bothFile}"
$SERVER["socket"] == "127.0.0.1:${tlsPort}" { ssl.engine = "enable" }
${hardened ? strict : ""}
`,
    );
    return ["/usr/sbin/lighttpd", "-D", "-f", join(folder, "lighttpd.conf")];
  },

  /** Debian's haproxy.cfg without paths of its service, with one site before an application. */
  haproxy: ({ folder, host, hardened, bothFile, tlsPort, plainPort, originPort }) => {
    const conf = readFileSync("/etc/haproxy/haproxy.cfg", "utf8")
      .split("\n")
      .filter((line) => !/^\s*(log|chroot|stats|daemon)\b/.test(line))
      .join("\n");
    const strict = headerLines((name, value) => `http-response set-header ${name} "${value}"`);
    writeFileSync(
      join(folder, "haproxy.cfg"),
      `${conf}
frontend plain
  bind 127.0.0.1:${plainPort}
  ${hardened ? `http-request redirect prefix https://${host} code 301` : ""}
  default_backend application
frontend secure
  bind 127.0.0.1:${tlsPort} ssl crt ${bothFile}
  ${hardened ? strict : ""}
  default_backend application
backend application
  server origin 127.0.0.1:${originPort}
`,
    );
    return ["/usr/sbin/haproxy", "-db", "-f", join(folder, "haproxy.cfg")];
  },
};

/** Commands that print the version. */
export const versionCommands: Readonly<Record<WebServerName, readonly string[]>> = {
  nginx: ["/usr/sbin/nginx", "-v"],
  apache: ["/usr/sbin/apache2", "-v"],
  caddy: ["/usr/bin/caddy", "version"],
  lighttpd: ["/usr/sbin/lighttpd", "-v"],
  haproxy: ["/usr/sbin/haproxy", "-v"],
};

/** Copies Debian's /etc/apache2 with these modules enabled and these sites instead of the default one. */
export function apacheIn(
  folder: string,
  options: { readonly ports: readonly number[]; readonly modules: readonly string[]; readonly sites: string },
): readonly string[] {
  const etc = join(folder, "etc");
  cpSync("/etc/apache2", etc, { recursive: true, verbatimSymlinks: true });
  for (const module of options.modules) {
    for (const ending of ["load", "conf"]) {
      const source = join(etc, "mods-available", `${module}.${ending}`);
      if (existsSync(source)) cpSync(source, join(etc, "mods-enabled", `${module}.${ending}`));
    }
  }
  rmSync(join(etc, "sites-enabled/000-default.conf"), { force: true });
  writeFileSync(join(etc, "ports.conf"), options.ports.map((port) => `Listen 127.0.0.1:${port}\n`).join(""));
  writeFileSync(join(etc, "sites-enabled/site.conf"), options.sites);
  const environment = {
    APACHE_RUN_USER: "www-data",
    APACHE_RUN_GROUP: "www-data",
    APACHE_PID_FILE: join(folder, "apache.pid"),
    APACHE_RUN_DIR: folder,
    APACHE_LOCK_DIR: folder,
    APACHE_LOG_DIR: folder,
  };
  return [...inEnvironment(environment), "/usr/sbin/apache2", "-d", etc, "-f", join(etc, "apache2.conf"), "-DFOREGROUND"];
}

function inEnvironment(values: Readonly<Record<string, string>>): readonly string[] {
  return ["/usr/bin/env", ...Object.entries(values).map(([name, value]) => `${name}=${value}`)];
}
