/** The compiled program as an ordinary user inside a memory limit, with an ordinary site and the hostile sites. */
import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "../../bench/child.ts";
import { policyHost, type SiteReady, siteHost } from "../../bench/site.ts";
import { type ApiClient, apiClient } from "../../support/api-client.ts";
import { compiledBinary, install } from "../../support/binary.ts";
import { type MemoryGroup, openMemoryGroup } from "../../support/memory-group.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { run, type ServerUnderTest, serve } from "../../support/program.ts";
import type { HostileServerReady } from "./hostile-server.ts";
import { hostileHost, otherHosts } from "./page.ts";

const memoryLimitBytes = 2 * 1024 ** 3;
/** User id of `nobody` on Debian. */
export const serverUid = 65_534;
/** Time for the processes of an ended server to disappear. */
const endMsMax = 10_000;

export interface LimitedAppliance {
  readonly server: ServerUnderTest;
  readonly client: ApiClient;
  readonly group: MemoryGroup;
  readonly dataDir: string;
  /** Whether a scan has a picture, which is a JPEG. */
  hasPicture(token: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Whether these tests cannot run here, with the reason for the suite's name. Also printed, because a runner may hide names. */
export function skipping(suite: string): { readonly skipped: boolean; readonly note: string } {
  const because = skippedBecause();
  if (because === null) return { skipped: false, note: "" };
  process.stderr.write(`skipped: ${suite}: ${because}\n`);
  return { skipped: true, note: ` (skipped: ${because})` };
}

function skippedBecause(): string | null {
  if (compiledBinary === null) return "TEST_BINARY names no compiled program";
  if (rootIsMissing()) return "only root can run a program as another user inside a memory limit";
  const group = openMemoryGroup(`assay-probe-${process.pid}`, memoryLimitBytes);
  if (typeof group === "string") return group;
  group.remove();
  return null;
}

/** Command that runs another one as the user, without any other right. */
export function asUser(uid: number): readonly string[] {
  return ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
}

export async function startLimitedAppliance(): Promise<LimitedAppliance> {
  const { folder, binary, remove } = install();
  const [site, hostile] = await Promise.all([
    startChild<SiteReady>("site.ts"),
    startChild<HostileServerReady>("../browser/hostile/hostile-server.ts"),
  ]);
  const dataDir = join(folder, "data");
  writeFileSync(join(folder, "roots.pem"), `${site.ready.rootPem}\n${hostile.ready.rootPem}`);
  for (const path of [folder, binary]) chownSync(path, serverUid, serverUid);
  const options = { command: [...asUser(serverUid), binary], cwd: folder, env: { HOME: folder } };

  const group = openMemoryGroup(`assay-hostile-${process.pid}`, memoryLimitBytes);
  if (typeof group === "string") throw new Error(group);
  const inGroup = ["sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', group.dir, ...options.command];
  const server = await serve(["--data", dataDir, ...siteOptions(site.ready, hostile.ready), "--ca-file", join(folder, "roots.pem")], {
    ...options,
    command: inGroup,
    env: { ...options.env, ASSAY_API_RATE_PER_MINUTE: "100000" },
  }).catch((error) => {
    group.remove();
    throw error;
  });
  await run(["user", "create", "first@assay.test", "--data", dataDir], options);
  const created = await run(["token", "create", "--user", "first@assay.test", "--name", "hostile", "--data", dataDir], options);
  return {
    server,
    client: apiClient(server.url, created.stdout.trim()),
    group,
    dataDir,
    hasPicture: async (token) => {
      const response = await fetch(`${server.url}/scans/${token}/screenshot`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return response.status === 200 && bytes[0] === 0xff && bytes[1] === 0xd8;
    },
    stop: async () => {
      await server.end("SIGTERM");
      await endSites(site, hostile);
      await emptied(group);
      remove();
    },
  };
}

function siteOptions(site: SiteReady, hostile: HostileServerReady): readonly string[] {
  const names = [
    ...[siteHost, policyHost].map((host) => `${host}:443=127.0.0.1:${site.httpsPort}`),
    `${siteHost}:80=127.0.0.1:${site.httpPort}`,
    ...[hostileHost, ...otherHosts].map((host) => `${host}:443=127.0.0.1:${hostile.port}`),
  ];
  return ["--allow-cidr", "127.0.0.0/8", "--dns", site.dns, ...names.flatMap((name) => ["--connect-to", name])];
}

async function endSites(...sites: readonly Child<unknown>[]): Promise<void> {
  for (const site of sites) await site.stop();
}

/** Waits until the group has no process, and removes it. @throws Error with the processes that are left. */
async function emptied(group: MemoryGroup): Promise<void> {
  const untilMs = performance.now() + endMsMax;
  while (group.pids().length > 0 && performance.now() < untilMs) await Bun.sleep(50);
  const left = group.pids();
  for (const pid of left) process.kill(pid, "SIGKILL");
  while (group.pids().length > 0) await Bun.sleep(50);
  group.remove();
  if (left.length > 0) throw new Error(`processes that outlive the server: ${left.join(", ")}`);
}

/** Processes of the group whose command line has the text. */
export function groupProcesses(group: MemoryGroup, text: string): readonly number[] {
  return group.pids().filter((pid) => readOf(pid, "cmdline").includes(text));
}

/** Content of a file of /proc; empty for a process that has ended. */
export function readOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
