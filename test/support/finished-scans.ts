/** Stores finished scans: the six sites of test/support/landmarks, or any other. */

import type { Evidence } from "../../src/evidence/evidence.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import { localLocation } from "../../src/parse/location.ts";
import type { ScanRecord } from "../../src/store/scans.ts";
import type { Store } from "../../src/store/store.ts";
import bareSite from "./landmarks/bare-site.json" with { type: "json" };
import oldSite from "./landmarks/old-site.json" with { type: "json" };
import plainSite from "./landmarks/plain-site.json" with { type: "json" };
import shopSite from "./landmarks/shop-site.json" with { type: "json" };
import silentSite from "./landmarks/silent-site.json" with { type: "json" };
import soundSite from "./landmarks/sound-site.json" with { type: "json" };

export interface KnownScan {
  readonly evidence: Evidence;
  readonly result: StoredResult;
}

/** `bare`: nearly every check violated; `sound`: 100; `silent`: sends nothing; `plain`: no https; `old`: the page could not be read;
 * `shop`: a typical old site with 38 findings of every severity. */
export const knownScans = {
  bare: bareSite,
  sound: soundSite,
  silent: silentSite,
  plain: plainSite,
  old: oldSite,
  shop: shopSite,
} as unknown as Readonly<Record<"bare" | "sound" | "silent" | "plain" | "old" | "shop", KnownScan>>;

/** Checks that the landmarks have a row for. A newer check joins them when `npm run capture-evidence` runs again. */
export const landmarkKeys: readonly string[] = knownScans.sound.result.ledger.map(({ key }) => key);

export type SiteName = keyof typeof knownScans;

/** Milliseconds. */
const timings = { page: 1_612, tls: 240, plainHttp: 44, dnsCaa: 95, mailSpf: 180, judge: 12, total: 2_340 };
const scanMs = 2_340;

/** How the page of the shop looks with a style sheet, 1280 by 800 pixels. */
export const shopPicture = new URL("landmarks/shop-site.jpg", import.meta.url);

/** Smallest JPEG that browsers accept: one grey pixel. */
export const pixelJpeg = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
  "base64",
);

interface FinishedScan extends KnownScan {
  /** End of the scan; not in the future of the server's clock. */
  readonly at: Date;
  /** Default: the URL of the evidence. */
  readonly url?: string;
  readonly accountId?: number | null;
  readonly screenshot?: Uint8Array | null;
  readonly location?: string;
}

/** Stores one finished scan. The queue of its location must be empty, or another scan would be claimed. */
export async function storeFinished(
  store: Store,
  { evidence, result, at, url = evidence.subject.url, accountId = null, screenshot = null, location = localLocation }: FinishedScan,
): Promise<ScanRecord> {
  const began = new Date(at.getTime() - scanMs);
  const queued = await store.scans.queue({ accountId, url, location, now: began });
  if (queued === "full") throw new Error("the queue is full");
  const claimed = await store.scans.claimNext(location, began);
  if (claimed?.token !== queued.token) throw new Error("the queue was not empty");
  const subject = { ...evidence.subject, scannedAt: began.toISOString() };
  return store.scans.finish(queued.token, { result, evidence: { ...evidence, subject }, timings, screenshot, now: at });
}

/** Stores a scan of one of the five sites with overrides for evidence and result. */
export function storeSite(
  store: Store,
  name: SiteName,
  {
    evidence,
    result,
    ...given
  }: { readonly at: Date } & Partial<Omit<FinishedScan, "evidence" | "result">> & {
      readonly evidence?: Partial<Evidence>;
      readonly result?: Partial<StoredResult>;
    },
): Promise<ScanRecord> {
  const known = knownScans[name];
  return storeFinished(store, { evidence: { ...known.evidence, ...evidence }, result: { ...known.result, ...result }, ...given });
}
