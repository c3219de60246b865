/** Debian's WordPress with its database, behind Debian's Apache, set up as its package says and left as it comes. The reports go to dist/laboratory. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { closedPort, egressTo } from "../support/servers.ts";
import { startDnsTree } from "./dns-tree.ts";
import type { LabCase, LabSite, States } from "./laboratory.ts";
import { writeReport } from "./readable-report.ts";
import { startTogether } from "./start-together.ts";
import { notApplicable, passed, violated } from "./states.ts";
import { apacheIn } from "./web-server-configurations.ts";

const host = "assay-wordpress-site.org";

/** The same of every page: what nobody set up. */
const asItComes: States = {
  ...passed("deprecated-headers", "https-available", "mixed-content", "tls-legacy-protocols", "tls-trust-chain", "x-xss-protection"),
  ...violated("dns-caa", "information-disclosure", "mail-dmarc", "security-txt", "strict-transport-security"),
};

export const applicationCases: readonly LabCase[] = [
  {
    name: "WordPress as Debian installs it: its front page",
    expected: {
      ...asItComes,
      ...violated("content-security-policy", "https-redirect", "referrer-policy", "x-content-type-options", "x-frame-options"),
      ...notApplicable("cookie-secure", "cors-configuration", "subresource-integrity"),
      "content-type-charset": "passed",
    },
    serve: () => startWordPress("/"),
    also: (scan) => writeReport("wordpress", scan),
  },
  {
    name: "WordPress as Debian installs it: its sign-in page, which says more for itself",
    expected: {
      ...asItComes,
      ...violated("content-security-policy", "x-content-type-options"),
      // It leads over to https, sends its test cookie securely, and names its policy in a meta element.
      ...passed("cookie-secure", "https-redirect", "redirect-chain-secure", "referrer-policy", "x-frame-options"),
    },
    serve: () => startWordPress("/wp-login.php"),
    also: (scan) => writeReport("wordpress-sign-in", scan),
  },
  {
    name: "WordPress as Debian installs it: its interface for programs, which lets every origin in",
    expected: {
      ...asItComes,
      ...notApplicable("content-security-policy", "permissions-policy", "x-frame-options"),
      "cors-configuration": "violated",
      "x-content-type-options": "passed",
    },
    codes: ["security.cors.reflected-origin-with-credentials"],
    serve: () => startWordPress("/index.php?rest_route=/"),
    also: (scan) => writeReport("wordpress-interface", scan),
  },
];

/** Takes some seconds: a database is made, and WordPress set up by its own form. */
async function startWordPress(path: string): Promise<LabSite> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-wordpress-"));
  // Database, PHP and web server are three other users, who must be able to get here.
  chmodSync(folder, 0o755);
  const { tlsPort, plainPort, resolver, stop } = await startTogether(async (kept) => {
    kept({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const password = randomBytes(16).toString("hex");
    kept(await startDatabase(folder, password));
    writeWordPress(folder, password);
    kept(await startPhp(folder));
    const tree = kept(
      await startDnsTree([{ name: host, delegation: "unsigned", records: "@ IN A 127.0.0.1\n@ IN MX 10 mail\nmail IN A 127.0.0.1" }]),
    );
    const doors = kept(await startApache(folder));
    await setUp(doors.plainPort);
    return { tlsPort: doors.tlsPort, plainPort: doors.plainPort, resolver: tree.resolver };
  });
  return {
    url: `https://${host}${path}`,
    egress: egressTo({ [`${host}:443`]: { port: tlsPort }, [`${host}:80`]: { port: plainPort } }, { dnsServers: [resolver] }),
    caPems: [testAuthority().root.pem],
    stop,
  };
}

/** MariaDB with nothing in it but an empty database and its user, to be reached by a socket only. */
async function startDatabase(folder: string, password: string) {
  const [data, door, init] = ["data", "database", "init.sql"].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(data);
  mkdirSync(door);
  run("chown", "mysql:mysql", data, door);
  run("mariadb-install-db", "--no-defaults", `--datadir=${data}`, "--user=mysql", "--skip-test-db");
  const user = "wordpress@localhost";
  const statements = [
    "CREATE DATABASE wordpress",
    `CREATE USER ${user} IDENTIFIED BY '${password}'`,
    `GRANT ALL ON wordpress.* TO ${user}`,
  ];
  writeFileSync(init, statements.map((statement) => `${statement};\n`).join(""));
  const socket = databaseSocket(folder);
  const places = [`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${door}/mariadbd.pid`, `--init-file=${init}`];
  return startProcess(["/usr/sbin/mariadbd", "--no-defaults", "--user=mysql", "--skip-networking", ...places], () => isAnswering(socket));
}

function databaseSocket(folder: string): string {
  return join(folder, "database/socket");
}

/** The package's files, told to look for their configuration here instead of /etc/wordpress. */
function writeWordPress(folder: string, password: string): void {
  const root = join(folder, "wordpress");
  run("cp", "-a", "/usr/share/wordpress", root);
  run("cp", "-a", "/var/lib/wordpress/wp-content", join(folder, "wp-content"));
  const config = readFileSync("/usr/share/wordpress/wp-config.php", "utf8");
  writeFileSync(join(root, "wp-config.php"), config.replaceAll("/etc/wordpress", folder));
  const settings = {
    DB_NAME: "wordpress",
    DB_USER: "wordpress",
    DB_PASSWORD: password,
    DB_HOST: `localhost:${databaseSocket(folder)}`,
    WP_CONTENT_DIR: join(folder, "wp-content"),
    ABSPATH: `${root}/`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `define('${name}', '${value}');`);
  // It would ask its makers for news, and here nobody is asked.
  writeFileSync(join(folder, `config-${host}.php`), `<?php\n${lines.join("\n")}\ndefine('WP_HTTP_BLOCK_EXTERNAL', true);\n`);
}

/** Debian's own pool, moved here. */
async function startPhp(folder: string) {
  const socket = join(folder, "php.sock");
  const pool = readFileSync("/etc/php/8.2/fpm/pool.d/www.conf", "utf8").replace(/^listen = .*/m, `listen = ${socket}`);
  const file = join(folder, "php-fpm.conf");
  writeFileSync(file, `[global]\nerror_log = ${folder}/php.log\n${pool}`);
  return startProcess(["/usr/sbin/php-fpm8.2", "--nodaemonize", "--fpm-config", file], () => isAnswering(socket));
}

/** The site as the package's example for Apache has it, once for each door. */
async function startApache(folder: string) {
  const [tlsPort, plainPort] = [await closedPort(), await closedPort()];
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  writeFileSync(join(folder, "chain.pem"), certificateChainPem);
  writeFileSync(join(folder, "key.pem"), privateKeyPem, { mode: 0o600 });
  const site = `ServerName ${host}
  DocumentRoot ${folder}/wordpress
  DirectoryIndex index.php index.html
  Alias /wp-content ${folder}/wp-content`;
  const php = readFileSync("/etc/apache2/conf-available/php8.2-fpm.conf", "utf8").replaceAll(
    "/run/php/php8.2-fpm.sock",
    `${folder}/php.sock`,
  );
  const command = apacheIn(folder, {
    ports: [plainPort, tlsPort],
    modules: ["ssl", "socache_shmcb", "proxy", "proxy_fcgi", "setenvif", "rewrite"],
    sites: `${php}
ServerName ${host}
<VirtualHost 127.0.0.1:${plainPort}>
  ${site}
</VirtualHost>
<VirtualHost 127.0.0.1:${tlsPort}>
  ${site}
  SSLEngine on
  SSLCertificateFile ${folder}/chain.pem
  SSLCertificateKeyFile ${folder}/key.pem
</VirtualHost>
<Directory ${folder}/wordpress>
  Options FollowSymLinks
  Require all granted
</Directory>
<Directory ${folder}/wp-content>
  Options FollowSymLinks
  Require all granted
</Directory>
`,
  });
  const running = await startProcess(command, async () => (await isListening(tlsPort)) && isListening(plainPort));
  return { tlsPort, plainPort, stop: running.stop };
}

/** Fills in the form that every owner fills in. @throws Error when WordPress does not take it. */
async function setUp(plainPort: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${plainPort}/wp-admin/install.php?step=2`, {
    method: "POST",
    headers: { host, "x-forwarded-proto": "https" },
    body: new URLSearchParams({
      weblog_title: "Laboratory",
      user_name: "owner",
      admin_password: "correct horse battery staple",
      admin_password2: "correct horse battery staple",
      pw_weak: "1",
      admin_email: `owner@${host}`,
      blog_public: "1",
      Submit: "Install WordPress",
      language: "",
    }),
  });
  const text = await answer.text();
  if (!text.includes("wp-login.php")) throw new Error(`WordPress was not set up: ${answer.status} ${text}`);
}

/** @throws Error with the program's own words when it fails. */
function run(...command: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdout: "pipe", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stdout}${stderr}`);
}

/** Whether something takes connections at that socket. */
async function isAnswering(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
