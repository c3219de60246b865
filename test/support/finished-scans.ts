/** Puts scans that are over into a store: the five sites whose evidence and results are kept in test/support/landmarks, and any other. */

import type { Evidence } from "../../src/evidence/evidence.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import type { ScanRecord } from "../../src/store/scans.ts";
import type { Store } from "../../src/store/store.ts";
import bareSite from "./landmarks/bare-site.json" with { type: "json" };
import oldSite from "./landmarks/old-site.json" with { type: "json" };
import plainSite from "./landmarks/plain-site.json" with { type: "json" };
import silentSite from "./landmarks/silent-site.json" with { type: "json" };
import soundSite from "./landmarks/sound-site.json" with { type: "json" };

export interface KnownScan {
  readonly evidence: Evidence;
  readonly result: StoredResult;
}

/** `bare`: nearly every check violated; `sound`: 100; `silent`: sends nothing; `plain`: no https; `old`: the page could not be read. */
export const knownScans = {
  bare: bareSite,
  sound: soundSite,
  silent: silentSite,
  plain: plainSite,
  old: oldSite,
} as unknown as Readonly<Record<"bare" | "sound" | "silent" | "plain" | "old", KnownScan>>;

/** Checks that the landmarks have a row for. A newer check joins them when `npm run capture-evidence` runs again. */
export const landmarkKeys: readonly string[] = knownScans.sound.result.ledger.map(({ key }) => key);

export type SiteName = keyof typeof knownScans;

/** As a scan of that length has them, in milliseconds. */
const timings = { page: 1_612, tls: 240, plainHttp: 44, dnsCaa: 95, mailSpf: 180, judge: 12, total: 2_340 };
const scanMs = 2_340;

/** The smallest image that browsers take for a JPEG of one grey pixel. */
export const pixelJpeg = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
  "base64",
);

interface Given extends KnownScan {
  /** When it finished; the clock of whoever serves the store should not be behind it. */
  readonly at: Date;
  /** Left out: the evidence's. */
  readonly url?: string;
  readonly accountId?: number | null;
  readonly screenshot?: Uint8Array | null;
}

/** One finished scan. Nothing else may wait in the queue: it would be claimed in its place. */
export async function storeFinished(
  store: Store,
  { evidence, result, at, url = evidence.subject.url, accountId = null, screenshot = null }: Given,
): Promise<ScanRecord> {
  const began = new Date(at.getTime() - scanMs);
  const queued = await store.scans.queue({ accountId, url, now: began });
  if (queued === "full") throw new Error("the queue is full");
  const claimed = await store.scans.claimNext(began);
  if (claimed?.token !== queued.token) throw new Error("another scan waited");
  const subject = { ...evidence.subject, scannedAt: began.toISOString() };
  return store.scans.finish(queued.token, { result, evidence: { ...evidence, subject }, timings, screenshot, now: at });
}

/** A scan of one of the five sites, with what a test lays over its evidence or its result. */
export function storeSite(
  store: Store,
  name: SiteName,
  {
    evidence,
    result,
    ...given
  }: { readonly at: Date } & Partial<Omit<Given, "evidence" | "result">> & {
      readonly evidence?: Partial<Evidence>;
      readonly result?: Partial<StoredResult>;
    },
): Promise<ScanRecord> {
  const known = knownScans[name];
  return storeFinished(store, { evidence: { ...known.evidence, ...evidence }, result: { ...known.result, ...result }, ...given });
}
