/** Scans Debian's WordPress with database and Apache, in its default configuration. The reports go to dist/laboratory. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { testAuthority } from "../support/certificates.ts";
import { startProcess } from "../support/server-process.ts";
import { egressTo } from "../support/servers.ts";
import { startDnsTree } from "./dns-tree.ts";
import type { LabCase, LabSite, States } from "./laboratory.ts";
import { isAnswering, readableFolder, runProgram, startPhp, startPhpSite } from "./php-site.ts";
import { writeReport } from "./readable-report.ts";
import { startGroup } from "./server-group.ts";
import { notApplicable, passed, violated } from "./states.ts";

const host = "assay-wordpress-site.org";

/** States of every page in the default configuration. */
const defaultStates: States = {
  ...passed("deprecated-headers", "https-available", "mixed-content", "tls-legacy-protocols", "tls-trust-chain", "x-xss-protection"),
  ...violated("dns-caa", "information-disclosure", "mail-dmarc", "security-txt", "strict-transport-security"),
};

export const applicationCases: readonly LabCase[] = [
  {
    name: "WordPress by default: front page",
    expected: {
      ...defaultStates,
      ...violated("content-security-policy", "https-redirect", "referrer-policy", "x-content-type-options", "x-frame-options"),
      ...notApplicable("cookie-secure", "cors-configuration", "subresource-integrity"),
      "content-type-charset": "passed",
    },
    serve: () => wordPressAt("/"),
    verify: (scan) => writeReport("wordpress", scan),
  },
  {
    name: "WordPress by default: sign-in page, with some protections",
    expected: {
      ...defaultStates,
      ...violated("content-security-policy", "x-content-type-options"),
      // It redirects to https, sets a secure test cookie, and has its referrer policy in a meta element.
      ...passed("cookie-secure", "https-redirect", "redirect-chain-secure", "referrer-policy", "x-frame-options"),
    },
    serve: () => wordPressAt("/wp-login.php"),
    verify: (scan) => writeReport("wordpress-sign-in", scan),
  },
  {
    name: "WordPress by default: REST API, which allows every origin",
    expected: {
      ...defaultStates,
      ...notApplicable("content-security-policy", "permissions-policy", "x-frame-options"),
      "cors-configuration": "violated",
      "x-content-type-options": "passed",
    },
    codes: ["security.cors.reflected-origin-with-credentials"],
    serve: () => wordPressAt("/index.php?rest_route=/"),
    verify: (scan) => writeReport("wordpress-interface", scan),
  },
];

/** The front page with that code of ours in `wp-content/mu-plugins`, or without any. */
export async function wordPressWith(code: string): Promise<LabSite> {
  const site = await wordPressAt("/");
  const plugins = join((await opened)?.content ?? "", "mu-plugins");
  mkdirSync(plugins, { recursive: true });
  writeFileSync(join(plugins, "security-headers.php"), code);
  return site;
}

interface WordPress {
  /** Path of `wp-content`. */
  readonly content: string;
  readonly tlsPort: number;
  readonly plainPort: number;
  readonly resolver: string;
  stop(): Promise<void>;
}

/** One installation serves all cases. */
let opened: Promise<WordPress> | undefined;
afterAll(async () => (await opened)?.stop());

async function wordPressAt(path: string): Promise<LabSite> {
  opened ??= startWordPress();
  const { tlsPort, plainPort, resolver } = await opened;
  return {
    url: `https://${host}${path}`,
    egress: egressTo({ [`${host}:443`]: { port: tlsPort }, [`${host}:80`]: { port: plainPort } }, { dnsServers: [resolver] }),
    caPems: [testAuthority().root.pem],
  };
}

/** Creates a database and completes WordPress's installation form, which takes some seconds. */
function startWordPress(): Promise<WordPress> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-wordpress-"));
  // Database, PHP and web server run as three other users that need access.
  chmodSync(folder, 0o755);
  return startGroup(async (track) => {
    track({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    const password = randomBytes(16).toString("hex");
    track(await startDatabase(folder, password));
    writeWordPress(folder, password);
    track(await startPhp(folder));
    const tree = track(
      await startDnsTree([{ name: host, delegation: "unsigned", records: "@ IN A 127.0.0.1\n@ IN MX 10 mail\nmail IN A 127.0.0.1" }]),
    );
    const { tlsPort, plainPort } = track(await startPhpSite(folder, apacheSite(folder)));
    await installWordPress(plainPort);
    return { content: join(folder, "wp-content"), tlsPort, plainPort, resolver: tree.resolver };
  });
}

/** MariaDB with one empty database and its user, on a Unix socket only. */
async function startDatabase(folder: string, password: string) {
  const [data, runDir, init] = ["data", "database", "init.sql"].map((name) => join(folder, name)) as [string, string, string];
  mkdirSync(data);
  mkdirSync(runDir);
  runProgram("chown", "mysql:mysql", data, runDir);
  runProgram("mariadb-install-db", "--no-defaults", `--datadir=${data}`, "--user=mysql", "--skip-test-db");
  const user = "wordpress@localhost";
  const statements = [
    "CREATE DATABASE wordpress",
    `CREATE USER ${user} IDENTIFIED BY '${password}'`,
    `GRANT ALL ON wordpress.* TO ${user}`,
  ];
  writeFileSync(init, statements.map((statement) => `${statement};\n`).join(""));
  const socket = databaseSocket(folder);
  const options = [`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${runDir}/mariadbd.pid`, `--init-file=${init}`];
  return startProcess(["/usr/sbin/mariadbd", "--no-defaults", "--user=mysql", "--skip-networking", ...options], () => isAnswering(socket));
}

function databaseSocket(folder: string): string {
  return join(folder, "database/socket");
}

/** Copies the package's files and configures them in this folder instead of /etc/wordpress. */
function writeWordPress(folder: string, password: string): void {
  const root = join(folder, "wordpress");
  runProgram("cp", "-a", "/usr/share/wordpress", root);
  runProgram("cp", "-a", "/var/lib/wordpress/wp-content", join(folder, "wp-content"));
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
  // Prevents WordPress from contacting its update servers.
  writeFileSync(join(folder, `config-${host}.php`), `<?php\n${lines.join("\n")}\ndefine('WP_HTTP_BLOCK_EXTERNAL', true);\n`);
}

/** The package's example site for Apache. */
function apacheSite(folder: string) {
  const site = `DocumentRoot ${folder}/wordpress\n  DirectoryIndex index.php index.html\n  Alias /wp-content ${folder}/wp-content`;
  const directories = [`${folder}/wordpress`, `${folder}/wp-content`].map(readableFolder).join("\n");
  return { host, site, directories };
}

/** Submits the installation form. @throws Error if WordPress rejects it. */
async function installWordPress(plainPort: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${plainPort}/wp-admin/install.php?step=2`, {
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
  const text = await response.text();
  if (!text.includes("wp-login.php")) throw new Error(`WordPress was not installed: ${response.status} ${text}`);
}
