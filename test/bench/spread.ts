/** Numbers about numbers: the middle of a series, and how far it strays. */

export interface Spread {
  readonly median: number;
  /** Tenth and ninetieth percentile: an outlier of a busy machine says little. */
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

/** @throws Error for an empty series. */
export function spreadOf(series: readonly number[]): Spread {
  const sorted = [...series].sort((a, b) => a - b);
  return { median: percentile(sorted, 0.5), low: percentile(sorted, 0.1), high: percentile(sorted, 0.9), runs: sorted.length };
}

/** Between two neighbours, in proportion. */
function percentile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error("nothing was measured");
  return below + (above - below) * (at - Math.floor(at));
}
