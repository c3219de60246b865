/** Laboratory cases for directory listings as Debian's nginx, Apache and Caddy write them. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { portWithoutListener } from "../support/ports.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { egressTo } from "../support/servers.ts";
import type { FinishedScan, LabCase, LabSite } from "./laboratory.ts";
import { violated } from "./states.ts";

interface Place {
  readonly folder: string;
  readonly root: string;
  readonly port: number;
}

/** Writes the configuration and returns the command. */
type Listing = (place: Place) => readonly string[];

const host = "listing.test";
const apacheModules = "/usr/lib/apache2/modules";

const nginx: Listing = ({ folder, root, port }) => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    `pid ${folder}/nginx.pid; error_log ${folder}/error.log; daemon off; events {}
http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; root ${root}; autoindex on; } }
`,
  );
  return ["nginx", "-c", join(folder, "nginx.conf")];
};

const apache =
  (options: string): Listing =>
  ({ folder, root, port }) => {
    const modules = ["mpm_event", "authz_core", "autoindex", "dir", "mime"];
    writeFileSync(
      join(folder, "apache.conf"),
      `ServerRoot ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
ServerName ${host}
User nobody
Group nogroup
${modules.map((name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`).join("\n")}
TypesConfig /etc/mime.types
DocumentRoot ${root}
<Directory ${root}>
  Require all granted
  Options +Indexes
  ${options}
</Directory>
`,
    );
    return ["apache2", "-f", join(folder, "apache.conf"), "-D", "FOREGROUND"];
  };

const caddy: Listing = ({ folder, root, port }) => {
  writeFileSync(
    join(folder, "Caddyfile"),
    `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  root * ${root}
  file_server browse
}
`,
  );
  return ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
};

const listings: readonly (readonly [words: string, server: string, listing: Listing])[] = [
  ["nginx", "nginx", nginx],
  ["Apache as a table", "Apache", apache("IndexOptions FancyIndexing HTMLTable")],
  ["Apache as preformatted text", "Apache", apache("IndexOptions FancyIndexing")],
  ["Apache as a list", "Apache", apache("")],
  ["Caddy", "Caddy", caddy],
];

export const listingCases: readonly LabCase[] = listings.map(([words, server, listing]) => ({
  name: `a directory listing of ${words}`,
  expected: violated("information-disclosure"),
  codes: ["security.disclosure.directory-listing"],
  serve: () => serve(listing),
  verify: ({ result }: FinishedScan) => {
    const finding = result.findings.find(({ code }) => code === "security.disclosure.directory-listing");
    expect(finding?.values).toMatchObject({ server });
  },
}));

async function serve(listing: Listing): Promise<LabSite> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-listing-"));
  const place: Place = { folder, root: join(folder, "www"), port: portWithoutListener() };
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  try {
    // Servers that start as root run as another user that needs access.
    chmodSync(folder, 0o755);
    mkdirSync(join(place.root, "files/older"), { recursive: true, mode: 0o755 });
    for (const name of ["a b.txt", "backup.sql"]) writeFileSync(join(place.root, "files", name), name);
    const running = await startProcess(listing(place), () => isListening(place.port));
    return {
      url: `http://${host}/files/`,
      egress: egressTo({ [`${host}:80`]: place }),
      caPems: [],
      stop: async () => {
        await running.stop();
        cleanUp();
      },
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}
