/** Median and percentiles of a series. */

export interface Spread {
  readonly median: number;
  /** Tenth and ninetieth percentile, which ignore outliers of a busy machine. */
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

/** @throws Error for an empty series. */
export function spreadOf(series: readonly number[]): Spread {
  const sorted = [...series].sort((a, b) => a - b);
  return { median: percentile(sorted, 0.5), low: percentile(sorted, 0.1), high: percentile(sorted, 0.9), runs: sorted.length };
}

/** Linear interpolation between two neighbours. */
function percentile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error("nothing was measured");
  return below + (above - below) * (at - Math.floor(at));
}
