/** A law, and what the laws share. */
import type { Life } from "./life.ts";
import type { World } from "./world.ts";

/** A process that is up, with its store. */
export type UpLife = Life & { readonly parts: NonNullable<Life["parts"]> };

/** Returns what is wrong, or null. `isEnd`: all faults have ended long ago. */
export type Check = (world: World, life: UpLife, isEnd: boolean) => string | null;

export interface Law {
  readonly name: string;
  /** `changes`: only after something has changed. `time`: also while nothing does. */
  readonly after: "changes" | "time";
  readonly check: Check;
}

export function law(check: Check, after: Law["after"] = "changes"): Law {
  return { name: check.name, after, check };
}

/** First of the texts that is not null. */
export function firstOf<T>(values: Iterable<T>, check: (value: T) => string | null): string | null {
  for (const value of values) {
    const what = check(value);
    if (what !== null) return what;
  }
  return null;
}

/** Says what is wrong once something holds for longer than `msMax` in one process with a good disk. */
export function lastsTooLong(world: World, what: string, holds: boolean, msMax: number): string | null {
  const { waiting } = world.seen;
  if (!holds || world.isDiskFull) {
    waiting.delete(what);
    return null;
  }
  const since = waiting.get(what) ?? world.nowMs;
  waiting.set(what, since);
  return world.nowMs - since > msMax ? `${what} for ${(world.nowMs - since) / 1_000} s` : null;
}
