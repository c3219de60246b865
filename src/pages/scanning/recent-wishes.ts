/** Who lately wished for which scan, so that a second click leads to the scan of the first. Kept in memory, and not for long. */
import { createHash } from "node:crypto";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";

/** Wishes remembered at once. Beyond it the oldest is forgotten: what that costs is a scan too many. */
const wishesMax = 10_000;

export type QueuedScan = Promise<ScanRecord | "full">;

export interface RecentWishes {
  /**
   * The scan that the same wish led to, if it still waits or runs, or began less than the cooldown ago; undefined at once where there was
   * none. One that failed is no answer: whoever asks again wants it tried again.
   */
  earlier(visitor: string, url: string): Promise<ScanRecord | undefined> | undefined;
  /** To be called before anything is waited for: a double click is two requests at the same time. */
  remember(visitor: string, url: string, queued: QueuedScan): void;
}

export interface RecentWishesOptions {
  readonly store: Pick<Store, "scanByToken">;
  readonly cooldownSeconds: number;
  readonly now: () => Date;
}

export function createRecentWishes({ store, cooldownSeconds, now }: RecentWishesOptions): RecentWishes {
  /** Tokens by wish; null once it is known that nothing was queued. */
  const wishes = new Map<string, Promise<string | null>>();

  async function standing(queued: Promise<string | null>): Promise<ScanRecord | undefined> {
    const scan = store.scanByToken((await queued) ?? "");
    if (scan === undefined || scan.status === "failed") return undefined;
    if (scan.status !== "finished") return scan;
    const ageMs = now().getTime() - Date.parse(scan.createdAt);
    return ageMs < cooldownSeconds * 1_000 ? scan : undefined;
  }

  return {
    earlier: (visitor, url) => {
      const queued = wishes.get(keyOf(visitor, url));
      return queued === undefined ? undefined : standing(queued);
    },
    remember: (visitor, url, queued) => {
      const key = keyOf(visitor, url);
      // Deleted first, so that it goes to the young end.
      wishes.delete(key);
      const oldest = wishes.size >= wishesMax ? wishes.keys().next().value : undefined;
      if (oldest !== undefined) wishes.delete(oldest);
      wishes.set(key, tokenOf(queued));
    },
  };
}

/** Whoever queued it is told why that did not work; for a second wish it is as if nobody had tried. */
async function tokenOf(queued: QueuedScan): Promise<string | null> {
  try {
    const scan = await queued;
    return scan === "full" ? null : scan.token;
  } catch {
    return null;
  }
}

/** Addresses are long, and there is room for many. */
function keyOf(visitor: string, url: string): string {
  return createHash("sha256").update(`${visitor}\n${url}`).digest("base64");
}
