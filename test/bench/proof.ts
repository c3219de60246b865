/** Measures proofs of a policy, one page and 25 pages, against scans of the same site. */
import type { ProofPlan } from "../../src/evidence/proof.ts";
import { provePagesMax } from "../../src/evidence/proof.ts";
import { startChild } from "./child.ts";
import { noteProgress, type Row } from "./report.ts";
import { openScannerUnderTest, type ScannerUnderTest } from "./scanner.ts";
import { type SiteReady, siteHost } from "./site.ts";
import { spreadOf } from "./spread.ts";

/** Limits of a proof of one page. */
const pageMsMax = 20_000;
const visitsMax = 8;
const plan: ProofPlan = { policy: null, draft: "strict-hash", headers: [] };

export async function benchProof({ rounds, pages }: { readonly rounds: number; readonly pages: number }): Promise<readonly Row[]> {
  const site = await startChild<SiteReady>("site.ts");
  const scanner = openScannerUnderTest(site.ready, { concurrency: 1, screenshots: false });
  try {
    return await measured(scanner, rounds, Math.min(pages, provePagesMax));
  } finally {
    await scanner.close();
    await site.stop();
  }
}

async function measured(scanner: ScannerUnderTest, rounds: number, pages: number): Promise<readonly Row[]> {
  const url = `https://${siteHost}/`;
  const scans: number[] = [];
  const proofs: Awaited<ReturnType<ScannerUnderTest["prove"]>>[] = [];
  for (let round = -1; round < rounds; round++) {
    noteProgress(round < 0 ? "warm-up" : `proof ${round + 1} of ${rounds}`);
    const { tookMs } = await scanner.scan();
    const proof = await scanner.prove([url], plan);
    // The first one is a warm-up.
    if (round < 0) continue;
    scans.push(tookMs);
    proofs.push(proof);
  }
  noteProgress(`a proof of ${pages} pages`);
  const many = await scanner.prove([url, ...Array.from({ length: pages - 1 }, (_, at) => `${url}?${at}`)], plan);
  const visits = spreadOf(proofs.map((proof) => proof.visits)).median;
  const one = spreadOf(proofs.map(({ tookMs }) => tookMs));
  const scan = spreadOf(scans);
  return [
    {
      name: "proof of one page",
      unit: "ms",
      measured: one,
      baseline: scan,
      target: {
        text: `at most ${pageMsMax / 1_000} s and ${visitsMax} visits`,
        met: one.median <= pageMsMax && visits <= visitsMax,
      },
      note: `${visits} visits; the baseline is a scan of the page`,
    },
    {
      name: `  of ${pages} pages`,
      unit: "ms",
      measured: spreadOf([many.tookMs]),
      note: `${many.visits} visits: ${(many.tookMs / scan.median).toFixed(1)} scans, ${(many.tookMs / one.median).toFixed(1)} proofs of one page`,
    },
  ];
}
