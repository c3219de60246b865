/** Memory that this process may use: all of the machine, or less in a container or service with a limit. */
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { tryOr } from "./try-or.ts";

const cgroupRoot = "/sys/fs/cgroup";

/** Bytes. The smaller of the machine's memory and the limits of the process's control groups (cgroups(7), versions 1 and 2). */
export function machineMemoryBytes(): number {
  return Math.min(totalmem(), ...cgroupFiles(read("/proc/self/cgroup") ?? "").map(limitIn));
}

/** Files with the limits of a group and of the groups above it. In a container, the path may be a path of the host: then only the root exists. */
function cgroupFiles(membership: string): readonly string[] {
  return membership.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    if (controllers === "") return withParents(path).map((group) => join(cgroupRoot, group, "memory.max"));
    if (controllers?.split(",").includes("memory") !== true) return [];
    return withParents(path).map((group) => join(cgroupRoot, "memory", group, "memory.limit_in_bytes"));
  });
}

function withParents(path: string): readonly string[] {
  return path === "/" ? [path] : [path, ...withParents(dirname(path))];
}

/** Infinite without such a file, and for the text "max". */
function limitIn(file: string): number {
  const text = read(file)?.trim() ?? "";
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

function read(file: string): string | null {
  return tryOr(() => readFileSync(file, "utf8"), null);
}
