/** Applications whose policies are proven: packages of Debian, and single-page applications that are built with npm. */
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rung } from "../../../src/evidence/proof.ts";
import type { ProofVerdict } from "../../../src/prove/compare.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { isListening, startProcess } from "../../support/server-process.ts";
import { startHttp } from "../../support/servers.ts";
import { wordPressWith } from "../application.ts";
import { faultyShop } from "../faulty-applications.ts";
import type { LabSite } from "../laboratory.ts";
import { type PhpApplications, startPhpApplications } from "../php-applications.ts";
import { readableFolder, runProgram } from "../php-site.ts";
import { startGroup } from "../server-group.ts";
import { type Fronted, filesIn, passedTo } from "./front.ts";

export interface RunningApplication extends Fronted {
  /** Page that only the running application knows; the one of the list by default. */
  readonly path?: string;
  stop(): Promise<void>;
}

export interface ProvedApplication {
  readonly name: string;
  readonly package: string;
  /** A file of the Debian package; null for packages of npm and what needs none. */
  readonly file: string | null;
  readonly path: string;
  /** Strictest rung that works, or the last one that was tried. */
  readonly rung: Rung;
  /** `works` by default. */
  readonly verdict?: ProofVerdict;
  start(): Promise<RunningApplication>;
}

/** A public-looking name, so that all checks apply. No query leaves the machine. */
export const applicationHost = "assay-proved-site.org";

/** Debian's PHP applications share one server, which runs until all are proven. */
let php: Promise<PhpApplications> | undefined;

export async function stopApplications(): Promise<void> {
  await (await php)?.stop();
}

async function phpServer(): Promise<RunningApplication> {
  php ??= startPhpApplications(furtherPackages);
  return atServer((await php).siteAt("/"));
}

/** Behind the TLS port of its own server, so that the application knows that it is asked over https. */
function atServer({ url, egress }: LabSite): RunningApplication {
  const port = egress.connectTo.find((target) => target.port === 443)?.addressPort;
  return { host: new URL(url).hostname, location: passedTo(`https://127.0.0.1:${port}`), stop: async () => {} };
}

/** Prepares further packages, where they are installed. The lines that their packages have for Apache. */
function furtherPackages(folder: string): string {
  const files = ["adminer", "phpldapadmin"].map((name) => `/etc/apache2/conf-available/${name}.conf`);
  files.push("/etc/phpsysinfo/apache.conf");
  const included = files.filter((file) => existsSync(file)).map((file) => `Include ${file}`);
  return [...included, ...roundcubeLines(folder), ...bridgeLines()].join("\n");
}

/** Roundcube with SQLite, which makes its tables by itself. */
function roundcubeLines(folder: string): readonly string[] {
  const root = "/var/lib/roundcube/public_html";
  if (!existsSync(root)) return [];
  const data = join(folder, "roundcube");
  for (const path of [data, join(data, "config")]) mkdirSync(path);
  for (const file of ["defaults.inc.php", "mimetypes.php"]) cpSync(`/etc/roundcube/${file}`, join(data, "config", file));
  const settings = {
    db_dsnw: `sqlite:///${data}/mail.db?mode=0600`,
    imap_host: "localhost:143",
    log_dir: data,
    temp_dir: data,
    des_key: "twenty-four characters!!",
    skin: "elastic",
  };
  const lines = Object.entries(settings).map(([name, value]) => `$config['${name}'] = '${value}';`);
  writeFileSync(join(data, "config/config.inc.php"), `<?php\n$config = [];\n${lines.join("\n")}\n`);
  runProgram("chown", "-R", "www-data:www-data", data);
  return [
    `Alias /roundcube ${root}`,
    readableFolder(root),
    `<Directory ${root}>\n  DirectoryIndex index.php\n  SetEnv ROUNDCUBE_CONFIG_DIR ${data}/config\n</Directory>`,
  ];
}

/** RSS-Bridge with a cache of its own. */
function bridgeLines(): readonly string[] {
  const root = "/usr/share/rss-bridge";
  return existsSync(root) ? [`Alias /rss-bridge ${root}`, readableFolder(root)] : [];
}

/** The shop of the laboratory: no real one of Debian or npm has pages of its own and needs no database server. */
async function shop(): Promise<RunningApplication> {
  const { port, stop } = await startHttp({
    "/": (_request, response) => {
      const { headers, html } = faultyShop;
      response.writeHead(200, { ...headers, "set-cookie": [...headers["set-cookie"]] }).end(html);
    },
    "*": { status: 404, headers: { "content-type": "text/plain" }, body: "" },
  });
  return { host: applicationHost, location: passedTo(`http://127.0.0.1:${port}`), stop };
}

async function prometheus(): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    const port = portWithoutListener();
    writeFileSync(join(folder, "prometheus.yml"), "global: {}\n");
    const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    return { port, command: ["/usr/bin/prometheus", ...options, `--web.listen-address=127.0.0.1:${port}`] };
  });
}

/** Perl and C programs of one repository, by lighttpd's CGI. */
async function gitPages(root: string, index: string): Promise<RunningApplication> {
  return startedIn(async (folder) => {
    const port = portWithoutListener();
    const projects = join(folder, "projects");
    const repository = join(projects, "laboratory.git");
    const identity = ["-c", "user.name=owner", "-c", `user.email=owner@${applicationHost}`];
    runProgram("git", "init", "-q", repository);
    runProgram("git", ...identity, "-C", repository, "commit", "-q", "--allow-empty", "-m", "Begin");
    writeFileSync(join(folder, "gitweb.conf"), `$projectroot = "${projects}";\n`);
    writeFileSync(join(folder, "cgitrc"), `css=/cgit.css\nlogo=/cgit.png\nvirtual-root=/\nscan-path=${projects}\n`);
    const environment = { GITWEB_CONFIG: "gitweb.conf", CGIT_CONFIG: "cgitrc" };
    const variables = Object.entries(environment).map(([name, file]) => `"${name}" => "${folder}/${file}"`);
    const file = join(folder, "lighttpd.conf");
    writeFileSync(
      file,
      `server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${root}"
server.modules = ( "mod_cgi", "mod_alias", "mod_setenv", "mod_rewrite" )
mimetype.assign = ( ".css" => "text/css", ".js" => "text/javascript", ".png" => "image/png", ".ico" => "image/x-icon" )
index-file.names = ( "${index}" )
cgi.assign = ( ".cgi" => "" )
setenv.add-environment = ( ${variables.join(", ")} )
alias.url = ( "/cgit.css" => "/usr/share/cgit/cgit.css", "/cgit.png" => "/usr/share/cgit/cgit.png" )
`,
    );
    return { port, command: ["/usr/sbin/lighttpd", "-D", "-f", file] };
  });
}

/** A new repository with wiki, forum and tickets. */
async function fossil(): Promise<RunningApplication> {
  return startedIn(async (folder) => fossilServer(folder, newRepository(folder), [`--baseurl=https://${applicationHost}`]));
}

/** A thread of the forum, which everybody may read. */
async function fossilForum(): Promise<RunningApplication> {
  let path = "";
  const running = await startedIn(async (folder) => {
    const repository = newRepository(folder);
    // Read what is public, the forum included.
    runProgram("/usr/bin/env", `HOME=${folder}`, "fossil", "user", "capabilities", "nobody", "gjorz2", "-R", repository);
    path = await postedIn(folder, repository);
    return fossilServer(folder, repository, [`--baseurl=https://${applicationHost}`]);
  });
  return { ...running, path };
}

function newRepository(folder: string): string {
  const repository = join(folder, "project.fossil");
  runProgram("/usr/bin/env", `HOME=${folder}`, "fossil", "init", "--admin-user", "owner", repository);
  return repository;
}

function fossilServer(folder: string, repository: string, options: readonly string[]) {
  const port = portWithoutListener();
  const all = ["--localhost", "--nojail", `--port=${port}`, ...options];
  return { port, command: ["/usr/bin/env", `HOME=${folder}`, "/usr/bin/fossil", "server", ...all, repository] };
}

/** Begins a thread as the owner, whom a server for requests of this machine knows without a password. Returns the path of its page. */
async function postedIn(folder: string, repository: string): Promise<string> {
  const { port, command } = fossilServer(folder, repository, ["--localauth"]);
  const server = await startProcess(command, () => isListening(port));
  try {
    const url = `http://127.0.0.1:${port}/forume1`;
    const body = new URLSearchParams({
      title: "A question",
      content: "How does this **work**?",
      mimetype: "text/x-markdown",
      submit: "Submit",
    });
    // Fossil takes no form without the address of its own page.
    const answer = await fetch(url, { method: "POST", body, headers: { referer: url }, redirect: "manual" });
    const { pathname } = new URL(answer.headers.get("location") ?? url, url);
    if (!pathname.startsWith("/forumpost/")) throw new Error(`the forum did not take the post: ${answer.status}`);
    return pathname;
  } finally {
    await server.stop();
  }
}

/** A server of this machine, or the folder of a single-page application. */
type Prepared = { readonly port: number; readonly command: readonly string[] } | { readonly files: string };

/** Runs what is prepared in a temporary folder of its own. */
export function startedIn(prepare: (folder: string) => Promise<Prepared>): Promise<RunningApplication> {
  return startGroup(async (track) => {
    const folder = mkdtempSync(join(tmpdir(), "assay-lab-application-"));
    track({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    chmodSync(folder, 0o755);
    const prepared = await prepare(folder);
    if ("files" in prepared) return { host: applicationHost, location: filesIn(prepared.files) };
    const { port, command } = prepared;
    track(await startProcess(command, () => isListening(port)));
    return { host: applicationHost, location: passedTo(`http://127.0.0.1:${port}`) };
  });
}

/** Run in `.ci/full`. */
export const eightApplications: readonly ProvedApplication[] = [
  {
    name: "MediaWiki",
    package: "mediawiki",
    file: "/usr/share/mediawiki/index.php",
    path: "/mediawiki/index.php/Main_Page",
    rung: "strict-nonce",
    start: phpServer,
  },
  {
    name: "DokuWiki",
    package: "dokuwiki",
    file: "/usr/share/dokuwiki/doku.php",
    path: "/dokuwiki/doku.php",
    rung: "strict-nonce",
    start: phpServer,
  },
  {
    name: "phpMyAdmin",
    package: "phpmyadmin",
    file: "/usr/share/phpmyadmin/index.php",
    path: "/phpmyadmin/",
    rung: "strict-nonce",
    start: phpServer,
  },
  {
    name: "WordPress",
    package: "wordpress",
    file: "/usr/share/wordpress/wp-login.php",
    path: "/",
    rung: "strict-nonce",
    start: async () => atServer(await wordPressWith("<?php\n")),
  },
  {
    name: "Prometheus",
    package: "prometheus",
    file: "/usr/bin/prometheus",
    path: "/graph",
    rung: "strict-nonce",
    start: prometheus,
  },
  {
    name: "Fossil",
    package: "fossil",
    file: "/usr/bin/fossil",
    path: "/home",
    rung: "strict-hash",
    start: fossil,
  },
  {
    name: "Roundcube",
    package: "roundcube-core",
    file: "/var/lib/roundcube/public_html",
    path: "/roundcube/",
    rung: "strict-nonce",
    start: phpServer,
  },
  {
    name: "Adminer",
    package: "adminer",
    file: "/etc/adminer/conf.php",
    path: "/adminer/",
    rung: "strict-nonce",
    start: phpServer,
  },
];

/** Run only where they are asked for. `test/lab/install.sh` installs few of them. */
export const furtherApplications: readonly ProvedApplication[] = [
  {
    name: "Fossil forum",
    package: "fossil",
    file: "/usr/bin/fossil",
    path: "/forum",
    rung: "strict-hash",
    start: fossilForum,
  },
  {
    name: "Shop of the laboratory",
    package: "none",
    file: null,
    path: "/",
    rung: "strict-nonce",
    start: shop,
  },
  {
    name: "phpSysInfo",
    package: "phpsysinfo",
    file: "/usr/share/phpsysinfo/index.php",
    path: "/phpsysinfo/index.php?disp=static",
    rung: "strict-hash",
    start: phpServer,
  },
  {
    name: "gitweb",
    package: "gitweb",
    file: "/usr/share/gitweb/gitweb.cgi",
    path: "/",
    rung: "strict-nonce",
    start: () => gitPages("/usr/share/gitweb", "gitweb.cgi"),
  },
  {
    name: "cgit",
    package: "cgit",
    file: "/usr/lib/cgit/cgit.cgi",
    path: "/",
    rung: "strict-hash",
    start: () => gitPages("/usr/lib/cgit", "cgit.cgi"),
  },
  {
    name: "phpLDAPadmin",
    package: "phpldapadmin",
    file: "/usr/share/phpldapadmin/htdocs/index.php",
    path: "/phpldapadmin/",
    rung: "strict-nonce",
    start: phpServer,
  },
  {
    name: "RSS-Bridge",
    package: "rss-bridge",
    file: "/usr/share/rss-bridge/index.php",
    path: "/rss-bridge/index.php",
    rung: "strict-nonce",
    start: phpServer,
  },
];
