/** CPU time of each thread of a process, from /proc (proc(5)). */
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of Linux, as `getconf CLK_TCK` prints them. */
const ticksPerSecond = 100;

export interface ThreadCpu {
  readonly id: number;
  /** User and system time since its start. */
  readonly ms: number;
}

export function cpuByThread(pid: number): readonly ThreadCpu[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    // Fields 14 and 15, counted behind the name, which may contain spaces.
    const fields = readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return { id: Number(id), ms: ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond };
  });
}

export function totalMs(threads: readonly ThreadCpu[]): number {
  return threads.reduce((sum, { ms }) => sum + ms, 0);
}
