/** A minimal Debian with systemd as its first process, in namespaces of its own except for the network. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootIsMissing } from "../../support/missing.ts";

/** Made by test/lab/install.sh. */
export const debianRoot = "/var/cache/assay-laboratory/bookworm.tar";
const bootMsMax = 30_000;
const pollMs = 100;
/** Login prompts would only fill the log. */
const maskedUnits = ["getty.target", "console-getty.service"];

export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DebianMachine {
  /** Runs a command as root inside, with a small environment. */
  run(...command: readonly string[]): Promise<CommandEnd>;
  /** Standard output. @throws Error with the messages of a command that fails */
  ok(...command: readonly string[]): Promise<string>;
  /** Path of a file of the machine, as seen from outside. */
  path(inside: string): string;
  copy(file: string, inside: string): void;
  stop(): Promise<void>;
}

/** Why no machine can be started here; null if one can. */
export function machineIsMissing(): string | null {
  if (rootIsMissing()) return "not root";
  if (Bun.which("systemd-nspawn") === null) return "systemd-nspawn is not installed";
  return existsSync(debianRoot) ? null : `${debianRoot} is missing`;
}

/** Boots a fresh copy. @throws Error with the log of a machine that does not start */
export async function bootDebian(): Promise<DebianMachine> {
  const folder = mkdtempSync(join(tmpdir(), "assay-machine-"));
  const root = join(folder, "root");
  const log = join(folder, "log");
  await finished(["mkdir", root]);
  await finished(["tar", "--extract", "--file", debianRoot, "--directory", root]);
  for (const unit of maskedUnits) await finished(["ln", "-sf", "/dev/null", join(root, "etc/systemd/system", unit)]);
  // Under another systemd, the machine gets a scope there; without one, nothing may be asked for it.
  const withoutHost = existsSync("/run/systemd/system") ? [] : ["--keep-unit"];
  const guest = Bun.spawn(["systemd-nspawn", "--register=no", ...withoutHost, "--quiet", "--console=pipe", "--boot", "--directory", root], {
    stdin: "ignore",
    stdout: Bun.file(log),
    stderr: Bun.file(log),
  });
  const inside = (command: readonly string[]) => {
    const leader = readFileSync(`/proc/${guest.pid}/task/${guest.pid}/children`, "utf8").trim().split(" ")[0] ?? "";
    return spawned(["nsenter", "--target", leader, "--all", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", ...command]);
  };
  const stop = async () => {
    guest.kill("SIGTERM");
    await guest.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + bootMsMax; ; await Bun.sleep(pollMs)) {
    if (guest.exitCode !== null || Date.now() > until) {
      const messages = readFileSync(log, "utf8");
      await stop();
      throw new Error(`the machine does not start: ${messages}`);
    }
    const { stdout } = await inside(["systemctl", "is-system-running"]);
    if (/^(running|degraded)/.test(stdout)) break;
  }
  const run = (...command: readonly string[]) => inside(command);
  return {
    run,
    ok: async (...command) => {
      const { code, stdout, stderr } = await run(...command);
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stdout}${stderr}`);
      return stdout.trim();
    },
    path: (path) => join(root, path),
    copy: (file, path) => copyFileSync(file, join(root, path)),
    stop,
  };
}

/** Runs a program to its end. */
export async function spawned(command: readonly string[], cwd?: string): Promise<CommandEnd> {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", ...(cwd === undefined ? {} : { cwd }) });
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, stdout, stderr };
}

/** Standard output of a program. @throws Error with the messages of a program that fails */
export async function finished(command: readonly string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await spawned(command, cwd);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
