/** Debian's MediaWiki, phpMyAdmin and DokuWiki on one host, with the files of their packages. The reports go to dist/laboratory. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testAuthority } from "../support/certificates.ts";
import { egressTo } from "../support/servers.ts";
import { type DnsTree, startDnsTree } from "./dns-tree.ts";
import type { LabSite } from "./laboratory.ts";
import { type PhpSite, runProgram, startPhp, startPhpSite } from "./php-site.ts";
import { startGroup } from "./server-group.ts";

const host = "assay-applications-site.org";
const wiki = "/usr/share/mediawiki";

/** The applications of one server; each is opened by its path. */
export interface PhpApplications {
  siteAt(path: string): LabSite;
  stop(): Promise<void>;
}

/** A domain with mail, and without the records that protect it. */
const records = "@ IN A 127.0.0.1\n@ IN MX 10 mail\nmail IN A 127.0.0.1";

/** `further`: prepares other packages in the folder, and gives their lines for Apache. */
export async function startPhpApplications(further: (folder: string) => string = () => ""): Promise<PhpApplications> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-php-"));
  // PHP runs as another user that needs access.
  chmodSync(folder, 0o755);
  const { apache, tree, stop } = await startGroup(async (track): Promise<{ readonly apache: PhpSite; readonly tree: DnsTree }> => {
    track({ stop: () => rmSync(folder, { recursive: true, force: true }) });
    installWiki(folder);
    const lines = further(folder);
    track(await startPhp(folder));
    return {
      apache: track(await startPhpSite(folder, apacheSite(folder, lines))),
      tree: track(await startDnsTree([{ name: host, records }])),
    };
  });
  return {
    siteAt: (path) => ({
      url: `https://${host}${path}`,
      egress: egressTo(
        { [`${host}:443`]: { port: apache.tlsPort }, [`${host}:80`]: { port: apache.plainPort } },
        { dnsServers: [tree.resolver] },
      ),
      caPems: [testAuthority().root.pem],
    }),
    stop,
  };
}

/** MediaWiki with SQLite, by its own installer. */
function installWiki(folder: string): void {
  const data = join(folder, "wiki");
  mkdirSync(data);
  const options = {
    dbtype: "sqlite",
    dbpath: data,
    confpath: data,
    scriptpath: "/mediawiki",
    server: `https://${host}`,
    pass: "correct horse battery",
  };
  runProgram(
    "php",
    `${wiki}/maintenance/install.php`,
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    "Laboratory",
    "owner",
  );
  runProgram("chown", "-R", "www-data:www-data", data);
}

/** The packages' own lines for Apache. */
const packagedLines = ["/etc/apache2/conf-available/mediawiki.conf", "/etc/phpmyadmin/apache.conf", "/etc/dokuwiki/apache.conf"];

function apacheSite(folder: string, lines: string) {
  const settings = `SetEnv MW_CONFIG_FILE ${folder}/wiki/LocalSettings.php`;
  return {
    host,
    site: "DocumentRoot /var/www/html",
    directories: [...packagedLines.map((file) => `Include ${file}`), settings, lines].join("\n"),
  };
}
