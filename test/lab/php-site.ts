/** PHP applications of Debian behind Apache, each in its packaged configuration. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { siteIdentity } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { isListening, type ServerProcess, startProcess } from "../support/server-process.ts";
import { apacheIn } from "./web-server-configurations.ts";

/** Debian's default pool, in this folder. */
export async function startPhp(folder: string): Promise<ServerProcess> {
  const socket = phpSocket(folder);
  const pool = readFileSync("/etc/php/8.2/fpm/pool.d/www.conf", "utf8").replace(/^listen = .*/m, `listen = ${socket}`);
  const file = join(folder, "php-fpm.conf");
  // Otherwise PHP runs the old text of a changed file for two seconds.
  const fresh = "php_admin_value[opcache.revalidate_freq] = 0";
  writeFileSync(file, `[global]\nerror_log = ${folder}/php.log\n${pool}\n${fresh}\n`);
  return startProcess(["/usr/sbin/php-fpm8.2", "--nodaemonize", "--fpm-config", file], () => isAnswering(socket));
}

function phpSocket(folder: string): string {
  return join(folder, "php.sock");
}

export interface PhpSite extends ServerProcess {
  readonly tlsPort: number;
  readonly plainPort: number;
}

/** Apache on both ports. `site` belongs to both virtual hosts, `directories` to the server. */
export async function startPhpSite(
  folder: string,
  { host, site, directories }: { readonly host: string; readonly site: string; readonly directories: string },
): Promise<PhpSite> {
  const [tlsPort, plainPort] = [portWithoutListener(), portWithoutListener()];
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  writeFileSync(join(folder, "chain.pem"), certificateChainPem);
  writeFileSync(join(folder, "key.pem"), privateKeyPem, { mode: 0o600 });
  const php = readFileSync("/etc/apache2/conf-available/php8.2-fpm.conf", "utf8").replaceAll("/run/php/php8.2-fpm.sock", phpSocket(folder));
  const command = apacheIn(folder, {
    ports: [plainPort, tlsPort],
    modules: ["ssl", "socache_shmcb", "proxy", "proxy_fcgi", "setenvif", "rewrite"],
    sites: `${php}
ServerName ${host}
<VirtualHost 127.0.0.1:${plainPort}>
  ServerName ${host}
  ${site}
</VirtualHost>
<VirtualHost 127.0.0.1:${tlsPort}>
  ServerName ${host}
  ${site}
  SSLEngine on
  SSLCertificateFile ${folder}/chain.pem
  SSLCertificateKeyFile ${folder}/key.pem
</VirtualHost>
${directories}
`,
  });
  const running = await startProcess(command, async () => (await isListening(tlsPort)) && isListening(plainPort));
  return { tlsPort, plainPort, stop: running.stop };
}

/** Apache's lines for a folder that everybody may read. */
export function readableFolder(path: string): string {
  return `<Directory ${path}>\n  Options FollowSymLinks\n  Require all granted\n</Directory>`;
}

/** @throws Error with the program's output if it fails. */
export function runProgram(...command: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdout: "pipe", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stdout}${stderr}`);
}

/** Whether the Unix socket accepts connections. */
export async function isAnswering(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
