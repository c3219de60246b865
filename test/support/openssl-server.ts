/** OpenSSL's own test server, for what the runtime's server cannot do: DHE, Camellia, another key share. Needs `openssl` on the path. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerIdentity } from "./certificates.ts";
import { closedPort } from "./servers.ts";

export const hasOpenssl = Bun.which("openssl") !== null;

const startMs = 5_000;

/** Arguments as `openssl s_server` takes them, for example `["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"]`. */
export async function startOpenssl(identity: ServerIdentity, args: readonly string[]): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "assay-openssl-"));
  const [cert = "", chain = "", key = ""] = ["leaf.pem", "chain.pem", "key.pem"].map((name) => join(folder, name));
  const [leaf = "", ...others] = identity.certificateChainPem.split(/(?=-----BEGIN)/);
  writeFileSync(cert, leaf);
  writeFileSync(chain, others.join(""));
  writeFileSync(key, identity.privateKeyPem, { mode: 0o600 });
  const port = await closedPort();
  const files = ["-cert", cert, "-cert_chain", chain, "-key", key];
  const child = spawn("openssl", ["s_server", "-accept", `127.0.0.1:${port}`, "-www", "-quiet", ...files, ...args], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const until = Date.now() + startMs;
  while (!(await listens(port))) {
    if (child.exitCode === null && Date.now() < until) await Bun.sleep(10);
    else {
      await stop();
      throw new Error(`openssl s_server ${args.join(" ")} does not start`);
    }
  }
  return { port, stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
