/** Numbers from a seed. Each key has a row of its own, so that what a shorter plan leaves out changes no other draw. */

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export interface Draws {
  /** A number of at least 0 and below 1. */
  readonly next: () => number;
  /** A whole number from `min` to `max`, both included. */
  readonly whole: (min: number, max: number) => number;
  /** True with this probability, 0 to 1. */
  readonly chance: (probability: number) => boolean;
  /** One of the values. @throws RangeError without any */
  readonly of: <T>(values: readonly T[]) => T;
}

/** Equal keys give equal numbers (mulberry32). */
export function drawsOf(...key: readonly (string | number)[]): Draws {
  let state = hashOf(key.join(" "));
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    ...{ next, whole },
    chance: (probability) => next() < probability,
    of: (values) => {
      if (values.length === 0) throw new RangeError("there is nothing to draw from");
      return values[whole(0, values.length - 1)] as (typeof values)[number];
    },
  };
}
