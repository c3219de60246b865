/** The scans of one call on a server: which are started, which are open, and what the list of the account says about them. */
import type { ListedScans } from "../app/server-client.ts";
import type { ProgressStage } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import type { ScannedUrl } from "./scan-outcome.ts";

/** Of one look. The next one goes on where it ended. */
const pagesMax = 100;

export interface OpenScan {
  readonly url: string;
  readonly token: string;
  readonly id: number;
}

interface MovedScan extends OpenScan {
  /** Null before the first. */
  readonly stage: ProgressStage | null;
}

/** What one look at the list found. */
interface Seen {
  readonly ended: readonly OpenScan[];
  /** Running, with another stage than at the last look. */
  readonly moved: readonly MovedScan[];
  /** Location of each scan that is in the list. */
  readonly locations: ReadonlySet<string>;
  /** No longer in the list: somebody cancelled them. */
  readonly gone: readonly OpenScan[];
}

export interface FollowedScans {
  unstarted(): readonly string[];
  open(): readonly OpenScan[];
  /** False if it was known. */
  begin(url: string, scan: { readonly token: string; readonly id: number }): boolean;
  /** Looks at the pages of the list that have open scans. `page`: null is the newest. */
  look(page: (cursor: string | null) => Promise<ListedScans>): Promise<Seen>;
  end(url: string, scanned: ScannedUrl): void;
  statusOf(url: string): string;
  isDone(): boolean;
  /** In the order of the URLs. */
  over(): readonly ScannedUrl[];
}

type ListedScan = ListedScans["items"][number];

export function followedScans(urls: readonly string[]): FollowedScans {
  const open = new Map<string, OpenScan>();
  const stages = new Map<string, string>();
  const over = new Map<string, ScannedUrl>();
  /** Scans on earlier pages are newer than this call. */
  let firstCursor: string | null = null;

  /** Items by token, down to the oldest open scan, and whether all of them were read. */
  async function listed(page: (cursor: string | null) => Promise<ListedScans>) {
    const ids = [...open.values()].map(({ id }) => id);
    const [oldest, newest] = [Math.min(...ids), Math.max(...ids)];
    const found = new Map<string, ListedScan>();
    let cursor = firstCursor;
    for (let pages = 1; ; pages++) {
      const { items, nextCursor } = await page(cursor);
      for (const item of items) found.set(item.token, item);
      const lowest = items.at(-1)?.id ?? 0;
      if (lowest > newest) firstCursor = nextCursor;
      if (lowest <= oldest || nextCursor === null) return { found, complete: true };
      if (pages === pagesMax) return { found, complete: false };
      cursor = nextCursor;
    }
  }

  return {
    unstarted: () => urls.filter((url) => !open.has(url) && !over.has(url)),
    open: () => [...open.values()],
    begin: (url, { token, id }) => {
      if (open.has(url) || over.has(url)) return false;
      open.set(url, { url, token, id });
      return true;
    },
    look: async (page) => {
      const { found, complete } = await listed(page);
      const scans = [...open.values()].map((scan) => ({ scan, item: found.get(scan.token) }));
      const moved = scans.flatMap(({ scan, item }) => {
        if (item?.status !== "running") return [];
        const state = `running ${item.progressStage}`;
        if (stages.get(scan.url) === state) return [];
        stages.set(scan.url, state);
        return [{ ...scan, stage: item.progressStage as ProgressStage | null }];
      });
      return {
        ended: scans.flatMap(({ scan, item }) => (item?.status === "finished" || item?.status === "failed" ? [scan] : [])),
        moved,
        locations: new Set(scans.flatMap(({ item }) => (item === undefined ? [] : [item.location ?? localLocation]))),
        gone: scans.flatMap(({ scan, item }) => (item === undefined && complete ? [scan] : [])),
      };
    },
    end: (url, scanned) => {
      open.delete(url);
      over.set(url, scanned);
    },
    statusOf: (url) => over.get(url)?.outcome.status ?? "",
    isDone: () => over.size === urls.length,
    over: () => urls.flatMap((url) => over.get(url) ?? []),
  };
}
