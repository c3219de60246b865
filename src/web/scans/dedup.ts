/** Deduplicates scan requests: a second click leads to the scan of the first. In memory, short-lived. */
import { createHash } from "node:crypto";
import { createLruCache } from "../../base/lru-cache.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";

/** Requests that are remembered. The oldest one is dropped first, which costs one more scan at most. */
const recentScansMax = 10_000;

/** Query parameter of a report that was reused for a new request. */
export const reusedScanParam = "again";

/** Scan, or the reason for refusal. */
export type DedupOutcome<Refused> = { readonly scan: ScanRecord } | { readonly refused: Refused };

/** Two requests are equal if all these values are. */
interface WantedScan extends Pick<ScanRecord, "url"> {
  readonly visitor: string;
  readonly location: string;
}

interface ScanDedupOptions {
  readonly store: Pick<Store, "scans">;
  readonly cooldownSeconds: number;
  readonly now: () => Date;
}

/**
 * The function returns the scan of an equal request if it is unfinished or younger than the cooldown; otherwise it calls `start`.
 * Concurrent equal requests share one `start`: a double click sends two requests at once. A failed scan is not reused, since the visitor
 * wants it tried again.
 */
export function createScanDedup<Refused>({ store, cooldownSeconds, now }: ScanDedupOptions) {
  /** Start in progress or token of the started scan, by request key. */
  const recent = createLruCache<Promise<DedupOutcome<Refused>> | string>(recentScansMax);

  function reusableScan(token: string): ScanRecord | undefined {
    const scan = store.scans.findByToken(token);
    if (scan === undefined || scan.status === "failed") return undefined;
    const ageMs = now().getTime() - Date.parse(scan.createdAt);
    return scan.status !== "finished" || ageMs < cooldownSeconds * 1_000 ? scan : undefined;
  }

  /** Runs synchronously up to the first await of `start`: nothing may interleave between lookup and registration. */
  async function begin(key: string, start: () => Promise<DedupOutcome<Refused>>): Promise<DedupOutcome<Refused>> {
    const starting = start();
    recent.set(key, starting);
    try {
      const outcome = await starting;
      if ("scan" in outcome) recent.set(key, outcome.scan.token);
      else recent.delete(key);
      return outcome;
    } catch (error) {
      recent.delete(key);
      throw error;
    }
  }

  return async (wanted: WantedScan, start: () => Promise<DedupOutcome<Refused>>): Promise<DedupOutcome<Refused>> => {
    const key = keyOf(wanted);
    const known = recent.peek(key);
    if (typeof known === "object") return known;
    const scan = known === undefined ? undefined : reusableScan(known);
    return scan === undefined ? begin(key, start) : { scan };
  };
}

/** Hashed: URLs are long and the map holds many. */
function keyOf({ visitor, url, location }: WantedScan): string {
  return createHash("sha256").update(`${visitor}\n${location}\n${url}`).digest("base64");
}
