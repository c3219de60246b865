/** Starts Debian's nginx for a landmark, with one port for https and one for http. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerIdentity } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { isListening, startProcess } from "../support/server-process.ts";

interface LandmarkNginx {
  readonly tls: { readonly port: number };
  readonly plain: { readonly port: number };
  stop(): Promise<void>;
}

interface LandmarkServers {
  readonly identity: ServerIdentity;
  /** Lines of each server block, without `listen` and certificates. */
  readonly secure: readonly string[];
  readonly plain: readonly string[];
  /** Lines for all servers, such as TLS settings. */
  readonly general: string;
}

export async function startLandmarkNginx({ identity, secure, plain, general }: LandmarkServers): Promise<LandmarkNginx> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-landmark-"));
  // The workers run as another user that needs access.
  chmodSync(folder, 0o755);
  const [tlsPort, plainPort] = [portWithoutListener(), portWithoutListener()];
  writeFileSync(join(folder, "chain.pem"), identity.certificateChainPem);
  writeFileSync(join(folder, "key.pem"), identity.privateKeyPem, { mode: 0o600 });
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `pid ${folder}/nginx.pid;
daemon off;
error_log ${folder}/error.log;
events {}
http {
access_log off;
${general}
ssl_certificate ${folder}/chain.pem;
ssl_certificate_key ${folder}/key.pem;
${plain.map((lines) => `server {\nlisten 127.0.0.1:${plainPort};\n${lines}\n}`).join("\n")}
${secure.map((lines) => `server {\nlisten 127.0.0.1:${tlsPort} ssl;\n${lines}\n}`).join("\n")}
}
`,
  );
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const command = ["/usr/sbin/nginx", "-c", file, "-e", join(folder, "error.log")];
    const running = await startProcess(command, async () => (await isListening(tlsPort)) && isListening(plainPort));
    return {
      tls: { port: tlsPort },
      plain: { port: plainPort },
      stop: async () => {
        await running.stop();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
