/** Fills a store with years of finished scans in one transaction, with only the data that lists read. */
import type { Band, Rank } from "../../src/judge/result.ts";
import { openDatabase } from "../../src/store/database.ts";
import type { ScanRecord } from "../../src/store/scans.ts";

const scores: readonly { readonly score: number | null; readonly band: Band; readonly rank: Rank }[] = [
  { score: 96, band: "good", rank: "excellent" },
  { score: 71, band: "warn", rank: "fair" },
  { score: 33, band: "poor", rank: "bad" },
  { score: null, band: "unknown", rank: "unknown" },
];
/** Mean number. The number of hosts is odd and the number of scores even, so that each host has scans in every band. */
const scansPerHost = 20;
const hostsOf = (count: number) => 2 * Math.ceil(count / scansPerHost / 2) + 1;

/** Host by number, from 0. */
export const manyHost = (number: number) => `www.customer-${number}.example.com`;

export async function storeManyScans(dataDir: string, count: number): Promise<void> {
  const db = openDatabase(dataDir, { readOnly: false });
  const endedAt = new Date().toISOString();
  await db.write(() => {
    for (let at = 0; at < count; at++) {
      const id = db.next("nextScanId");
      const score = scores[at % scores.length] ?? { score: null, band: "unknown", rank: "unknown" };
      const scan: ScanRecord = {
        token: String(id).padStart(22, "a"),
        id,
        accountId: null,
        url: `https://${manyHost(at % hostsOf(count))}/path/${at}`,
        status: "finished",
        createdAt: endedAt,
        startedAt: endedAt,
        endedAt,
        progressStage: null,
        progressPercent: 100,
        attempts: 1,
        errorCode: null,
        summary: { measured: score.score !== null, ...score, violated: 12, algorithmVersion: 2, catalogVersion: "0123456789abcdef" },
      };
      db.scans.put(scan.token, scan);
    }
  });
  await db.close();
}
