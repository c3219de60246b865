/** Lanes of the queue, and the weighted round robin that serves them. */

interface LaneTerms {
  /** Turns of the lane in each round: a whole number. A lane of weight 0 is a background lane: it is served when no other lane has scans. */
  readonly weight: number;
  /** Part of the queue, 0 to 1, that may be taken before the lane's scans are refused. Background lanes count apart from the others. */
  readonly queueShare: number;
}

/** A new lane needs one line here and its case in `laneOf`. */
export const lanes = {
  agency: { weight: 4, queueShare: 1 },
  /** Guests and the free plan: the rest of the queue is reserved for paying accounts. */
  free: { weight: 1, queueShare: 0.5 },
  /** Runs of watched sites: a person never waits behind them. */
  scheduled: { weight: 0, queueShare: 1 },
} as const satisfies Record<string, LaneTerms>;

export type Lane = keyof typeof lanes;

export const laneNames = Object.keys(lanes) as readonly Lane[];
export const laneSchedule = createLaneSchedule(mapLanes((lane) => lanes[lane].weight));

export function isBackgroundLane(lane: Lane): boolean {
  return lanes[lane].weight === 0;
}

export function mapLanes<T>(toValue: (lane: Lane) => T): Readonly<Record<Lane, T>> {
  return Object.fromEntries(laneNames.map((lane) => [lane, toValue(lane)])) as Record<Lane, T>;
}

/** Place of a scan in the queue. */
interface Waiting<Name extends string> {
  readonly lane: Name;
  /** From 1, within the lane. */
  readonly rank: number;
  /** Scans that wait, by lane. */
  readonly lengths: Readonly<Record<Name, number>>;
}

/**
 * Weighted round robin over a fixed cycle of turns. A lane without scans loses its turn, so no turn is wasted and no lane starves.
 * `turn` is the whole state: an index of the cycle. An index outside of it, as after a change of weights, counts as 0.
 */
export function createLaneSchedule<Name extends string>(weights: Readonly<Record<Name, number>>) {
  const names = Object.keys(weights) as Name[];
  const cycle = cycleOf(names, weights);
  const from = (turn: number): readonly Name[] => (cycle[turn] === undefined ? cycle : [...cycle.slice(turn), ...cycle.slice(0, turn)]);

  return {
    /** Lane of the next claim and the turn after it; undefined if no lane has scans. */
    next: (turn: number, isWaiting: (lane: Name) => boolean): { readonly lane: Name; readonly turn: number } | undefined => {
      const start = cycle[turn] === undefined ? 0 : turn;
      const skipped = from(turn).findIndex(isWaiting);
      const lane = from(turn)[skipped];
      const background = lane === undefined ? names.find((name) => weights[name] === 0 && isWaiting(name)) : undefined;
      if (background !== undefined) return { lane: background, turn: start };
      return lane === undefined ? undefined : { lane, turn: (start + skipped + 1) % cycle.length };
    },

    /** Number of claims until this scan's, its own included, if no other scan arrives. Costs one walk over the cycle. */
    position: (turn: number, { lane, rank, lengths }: Waiting<Name>): number => {
      if (weights[lane] === 0) return names.reduce((claims, name) => claims + (weights[name] === 0 ? 0 : lengths[name]), rank);
      const fullRounds = Math.floor((rank - 1) / weights[lane]);
      const turnsInLastRound = rank - fullRounds * weights[lane];
      const turns = from(turn);
      const own = turns.flatMap((name, index) => (name === lane ? [index] : []));
      const lastRound = turns.slice(0, own[turnsInLastRound - 1]);
      const turnsBefore = (name: Name) => fullRounds * weights[name] + lastRound.filter((each) => each === name).length;
      const others = names.filter((name) => name !== lane);
      return others.reduce((claims, name) => claims + Math.min(lengths[name], turnsBefore(name)), rank);
    },
  };
}

/** Smooth weighted round robin: spreads the turns of each lane over the cycle. */
function cycleOf<Name extends string>(names: readonly Name[], weights: Readonly<Record<Name, number>>): readonly Name[] {
  const total = names.reduce((sum, name) => sum + weights[name], 0);
  const credits = new Map(names.map((name) => [name, 0]));
  return Array.from({ length: total }, () => {
    for (const name of names) credits.set(name, (credits.get(name) ?? 0) + weights[name]);
    const served = names.reduce((best, name) => ((credits.get(name) ?? 0) > (credits.get(best) ?? 0) ? name : best));
    credits.set(served, (credits.get(served) ?? 0) - total);
    return served;
  });
}
