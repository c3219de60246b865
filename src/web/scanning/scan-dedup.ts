/** Who lately wished for which scan, so that a second click leads to the scan of the first. Kept in memory, and not for long. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";

/** Beyond this the oldest is dropped, which costs one more scan at most. */
const recentScansMax = 10_000;

/** Parameter of a report's address: who reads it has just asked for a new scan, and was led to this one. */
export const askedAgain = "again";

/** A scan, or why there is none. */
export type Led<Refused> = { readonly scan: ScanRecord } | { readonly refused: Refused };

export interface ScanDedup<Refused> {
  /**
   * The scan that the same wish led to before, if it still waits or runs, or was asked for less than the cooldown ago; otherwise what
   * `start` comes to. A wish that comes while another is being started shares what becomes of that: a double click is two requests at
   * the same time. A scan that failed is no answer, for whoever asks again wants it tried again.
   */
  lead(visitor: string, url: string, start: () => Promise<Led<Refused>>): Promise<Led<Refused>>;
}

export interface ScanDedupOptions {
  readonly store: Pick<Store, "scans">;
  readonly cooldownSeconds: number;
  readonly now: () => Date;
}

export function createScanDedup<Refused>({ store, cooldownSeconds, now }: ScanDedupOptions): ScanDedup<Refused> {
  /** By wish: what is being started, or the token of what was. */
  const wishes = new LRUCache<string, Promise<Led<Refused>> | string>({ max: recentScansMax });

  function standing(token: string): ScanRecord | undefined {
    const scan = store.scans.findByToken(token);
    if (scan === undefined || scan.status === "failed") return undefined;
    const ageMs = now().getTime() - Date.parse(scan.createdAt);
    return scan.status !== "finished" || ageMs < cooldownSeconds * 1_000 ? scan : undefined;
  }

  /** Runs up to the first wait of `start` at once: between the look at the wishes and this, nothing else may happen. */
  async function begin(key: string, start: () => Promise<Led<Refused>>): Promise<Led<Refused>> {
    const starting = start();
    wishes.set(key, starting);
    try {
      const led = await starting;
      if ("scan" in led) wishes.set(key, led.scan.token);
      else wishes.delete(key);
      return led;
    } catch (error) {
      wishes.delete(key);
      throw error;
    }
  }

  return {
    lead: async (visitor, url, start) => {
      const key = keyOf(visitor, url);
      const wish = wishes.peek(key);
      if (typeof wish === "object") return wish;
      const scan = wish === undefined ? undefined : standing(wish);
      return scan === undefined ? begin(key, start) : { scan };
    },
  };
}

/** Addresses are long, and there is room for many. */
function keyOf(visitor: string, url: string): string {
  return createHash("sha256").update(`${visitor}\n${url}`).digest("base64");
}
