/** Rate limiter for notes of workers: a token bucket for each. */

export interface MessageRate {
  /** False if the worker sends more than its rate: the note is to be dropped. */
  allows(worker: string, nowMs: number): boolean;
}

/** Buckets kept. More workers than that exist only if many identities are made up. */
const bucketsMax = 10_000;

export function createMessageRate({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }): MessageRate {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return {
    allows: (worker, nowMs) => {
      let bucket = buckets.get(worker);
      if (bucket === undefined) {
        if (buckets.size >= bucketsMax) buckets.clear();
        bucket = { tokens: burst, atMs: nowMs };
        buckets.set(worker, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perSecond);
      bucket.atMs = nowMs;
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
}
