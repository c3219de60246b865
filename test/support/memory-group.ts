/** A control group with a memory limit, in version 1 or 2 of the kernel's interface. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface MemoryGroup {
  /** Folder of the group; a process that writes 0 to its `cgroup.procs` moves there. */
  readonly dir: string;
  /** Anonymous and shared memory in bytes, without the page cache. */
  usedBytes(): number;
  /** Processes that the kernel ended because the limit was reached. */
  oomKills(): number;
  pids(): readonly number[];
  /** Succeeds only once the group has no process. */
  remove(): void;
}

const root = "/sys/fs/cgroup";

interface Version {
  readonly parent: string;
  readonly limitFile: string;
  /** Fields of `memory.stat` whose sum is the memory in use. */
  readonly usedFields: readonly string[];
  readonly killsFile: string;
}

/** Path of this process's group under one hierarchy; null without it. */
function ownGroup(isHierarchy: (id: string, controllers: string) => boolean): string | null {
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const fields = lines
    .map((line) => /^(\d+):([^:]*):(.*)$/.exec(line))
    .find((found) => found !== null && isHierarchy(found[1] ?? "", found[2] ?? ""));
  return fields?.[3] ?? null;
}

function detectVersion(): Version | null {
  const first = ownGroup((_id, controllers) => controllers.split(",").includes("memory"));
  if (first !== null)
    return {
      parent: join(root, "memory", first),
      limitFile: "memory.limit_in_bytes",
      usedFields: ["total_rss", "total_shmem"],
      killsFile: "memory.oom_control",
    };
  const second = ownGroup((id) => id === "0");
  if (second === null) return null;
  return { parent: join(root, second), limitFile: "memory.max", usedFields: ["anon", "shmem"], killsFile: "memory.events" };
}

/** Creates the group, or returns the reason why this machine does not allow it. */
export function openMemoryGroup(name: string, limitBytes: number): MemoryGroup | string {
  const version = detectVersion();
  if (version === null) return "this system has no memory controller";
  const dir = join(version.parent, name);
  try {
    enableController(version);
    mkdirSync(dir);
    writeFileSync(join(dir, version.limitFile), String(limitBytes));
  } catch (error) {
    if (existsSync(dir)) rmdirSync(dir);
    return `no group with a memory limit can be created below ${version.parent} (${(error as Error).message})`;
  }
  const statValue = (file: string, field: string) =>
    Number(new RegExp(`^${field} (\\d+)$`, "m").exec(readFileSync(join(dir, file), "utf8"))?.[1] ?? 0);
  return {
    dir,
    usedBytes: () => version.usedFields.reduce((sum, field) => sum + statValue("memory.stat", field), 0),
    oomKills: () => statValue(version.killsFile, "oom_kill"),
    pids: () => readFileSync(join(dir, "cgroup.procs"), "utf8").trim().split("\n").filter(Boolean).map(Number),
    remove: () => rmdirSync(dir),
  };
}

/** Version 2 passes a controller to children only on request. It refuses while the parent has processes of its own. */
function enableController({ parent, limitFile }: Version): void {
  const file = join(parent, "cgroup.subtree_control");
  if (limitFile !== "memory.max" || readFileSync(file, "utf8").includes("memory")) return;
  writeFileSync(file, "+memory");
}
