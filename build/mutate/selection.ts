/** Random choice of faults, repeatable by its seed, with equal shares of all kinds as far as there are enough. */
import { changesProgram, type Fault } from "./faults.ts";

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** At most `count` faults, of different lines. Kinds take turns: some are rare, and would hardly be chosen by chance. */
export function chooseFaults(
  faults: readonly Fault[],
  texts: ReadonlyMap<string, string>,
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly Fault[] {
  const random = randomNumbers(seed);
  const kinds = [...Map.groupBy(faults, ({ kind }) => kind).values()].map((ofKind) => shuffled(ofKind, random));
  const chosen: Fault[] = [];
  const lines = new Set<string>();
  while (chosen.length < count && kinds.some((ofKind) => ofKind.length > 0))
    for (const ofKind of shuffled(kinds, random)) {
      const fault = nextUsable(ofKind, lines, texts);
      if (fault === null || chosen.length >= count) continue;
      lines.add(`${fault.path}:${fault.line}`);
      chosen.push(fault);
    }
  return chosen;
}

function nextUsable(faults: Fault[], lines: ReadonlySet<string>, texts: ReadonlyMap<string, string>): Fault | null {
  for (let fault = faults.pop(); fault !== undefined; fault = faults.pop())
    if (!lines.has(`${fault.path}:${fault.line}`) && changesProgram(texts.get(fault.path) ?? "", fault)) return fault;
  return null;
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ value }) => value);
}
