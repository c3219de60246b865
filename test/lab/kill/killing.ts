/**
 * What the tests of SIGKILL at random instants share: the number of rounds, the seed, and the line that each kind of round prints.
 * `npm run kill` sets KILL_ROUNDS and KILL_SEED.
 */
import { afterAll, beforeAll, expect } from "vitest";
import type { KillKind } from "../../../build/kill.ts";
import { randomFrom } from "../../integration/store/damaged-store.ts";
import { endServers } from "../../support/program.ts";
import { type Installation, installed } from "../operate/operated.ts";

/** Kills of each kind that come before the end of the work. */
export const rounds = Number(process.env.KILL_ROUNDS ?? 10);
export const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Limit for one kind, far above its time on a slow machine. */
export const testMsMax = 300_000 + rounds * 30_000;
/** Share of the time that is left for the kills after a run that ended by itself. */
const haste = 0.8;
/** Runs for one that is interrupted, at most. Nearly every run is interrupted on an idle machine. */
export const runsPerRoundMax = 6;

export interface Tally {
  add(name: string, by?: number): void;
  count(name: string): number;
  /** Writes the line of the kind to stderr. */
  print(): void;
}

/** Counts of one kind of round, and its seconds. Each named count is in the line, also while it is 0. */
export function tallyOf(kind: KillKind, ...names: readonly string[]): Tally {
  const beganMs = performance.now();
  const counts = new Map(names.map((name) => [name, 0]));
  return {
    add: (name, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
    count: (name) => counts.get(name) ?? 0,
    print: () => {
      const seconds = Math.round((performance.now() - beganMs) / 1_000);
      const words = [...counts].map(([name, count]) => `${count} ${name}`);
      process.stderr.write(`kill ${kind}: ${words.join(", ")}; ${seconds} s, seed ${seed}\n`);
    },
  };
}

interface KillRounds {
  readonly tally: Tally;
  /** Milliseconds of the command when nothing disturbs it. */
  readonly withinMs: number;
  readonly before?: () => Promise<void>;
  /** True once the work has begun that every second kill waits for. */
  readonly begins?: () => boolean;
  /** `interrupted`: the command was killed before it ended. */
  readonly after: (interrupted: boolean) => Promise<void>;
}

export interface Killer {
  /** Only while tests run. */
  installation(): Installation;
  readonly random: () => number;
  /** True if the command was killed before it ended. `begins`: the milliseconds count from the moment at which it is true. */
  killed(args: readonly string[], afterMs: number, env?: Readonly<Record<string, string>>, begins?: () => boolean): Promise<boolean>;
  /** Kills the command at random instants until `rounds` runs were interrupted. `argsOf`: by the number of the run, from 0. */
  killOften(argsOf: (run: number) => readonly string[], options: KillRounds): Promise<void>;
  /** Milliseconds of the command when nothing disturbs it. */
  durationOf(args: readonly string[]): Promise<number>;
  /** `assay doctor --store` finds nothing. */
  expectSound(data: string): Promise<void>;
}

/** Installs the program before the tests of a group, and ends its servers and removes it after them. Each group has random numbers of its own. */
export function openKiller(): Killer {
  let present: Installation | null = null;
  beforeAll(() => {
    present = installed();
  });
  afterAll(async () => {
    await endServers();
    present?.remove();
  });
  const installation = () => {
    if (present === null) throw new Error("the program is not installed");
    return present;
  };
  const random = randomFrom(seed);
  const killer: Killer = {
    installation,
    random,
    killed: async (args, afterMs, env = {}, begins = () => true) => {
      const { command, folder } = installation();
      const child = Bun.spawn([...command, ...args], {
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
        cwd: folder,
        env: { ...process.env, ...env },
      });
      while (!begins() && child.exitCode === null) await Bun.sleep(1);
      await Promise.race([child.exited, Bun.sleep(afterMs)]);
      const hasEnded = child.exitCode !== null;
      child.kill("SIGKILL");
      await child.exited;
      return !hasEnded;
    },
    killOften: async (argsOf, { tally, withinMs, before, begins, after }) => {
      const limitsMs = [withinMs, begins === undefined ? withinMs : withinMs / 2];
      for (let run = 0; tally.count("kills") < rounds; run++) {
        expect(run).toBeLessThan(rounds * runsPerRoundMax);
        await before?.();
        const kind = run % limitsMs.length;
        const ms = limitsMs[kind] ?? withinMs;
        const interrupted = await killer.killed(argsOf(run), random() * ms, {}, kind === 1 ? begins : undefined);
        // A run that ends by itself lowers the time: the first may have been slow because the machine was busy.
        if (!interrupted) limitsMs[kind] = ms * haste;
        tally.add(interrupted ? "kills" : "ended before");
        await after(interrupted);
      }
    },
    durationOf: async (args) => {
      const began = performance.now();
      const { code, stderr } = await installation().assay(args);
      expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
      return performance.now() - began;
    },
    expectSound: async (data) => {
      const { code, stdout, stderr } = await installation().assay(["doctor", "--store", "--data", data]);
      expect([code, code === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
    },
  };
  return killer;
}
