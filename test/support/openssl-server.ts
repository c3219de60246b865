/** OpenSSL's test server, for features that the runtime's server lacks: DHE, Camellia, other key shares. Needs `openssl` on the path. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerIdentity } from "./certificates.ts";
import { isMissing } from "./missing.ts";
import { portWithoutListener } from "./ports.ts";
import { isListening, startProcess } from "./server-process.ts";

/** Condition for `describe.skipIf`. */
export function opensslIsMissing(): boolean {
  return isMissing(Bun.which("openssl") !== null, "openssl (Debian: openssl)");
}

/** `args` of `openssl s_server`, for example `["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"]`. */
export async function startOpenssl(identity: ServerIdentity, args: readonly string[]): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "assay-openssl-"));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  const [cert = "", chain = "", key = ""] = ["leaf.pem", "chain.pem", "key.pem"].map((name) => join(folder, name));
  const [leaf = "", ...others] = identity.certificateChainPem.split(/(?=-----BEGIN)/);
  writeFileSync(cert, leaf);
  writeFileSync(chain, others.join(""));
  writeFileSync(key, identity.privateKeyPem, { mode: 0o600 });
  const port = portWithoutListener();
  const files = ["-cert", cert, "-key", key, ...(others.length === 0 ? [] : ["-cert_chain", chain])];
  const command = ["openssl", "s_server", "-accept", `127.0.0.1:${port}`, "-www", "-quiet", ...files, ...args];
  try {
    const running = await startProcess(command, () => isListening(port));
    return {
      port,
      stop: async () => {
        await running.stop();
        clear();
      },
    };
  } catch (error) {
    clear();
    throw error;
  }
}
