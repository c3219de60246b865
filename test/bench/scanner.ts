/** The scanner under test, in this process. Only this file of the benchmarks knows how its browsers are started. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workerFiles } from "../../src/app/placement.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import { openBrowsers } from "../../src/browser/browser.ts";
import { openPage } from "../../src/browser/browser-page.ts";
import { builtInCatalog } from "../../src/catalog/catalog.ts";
import type { Evidence } from "../../src/evidence/evidence.ts";
import { headerValueCharsMax } from "../../src/evidence/limits.ts";
import type { ProofPlan } from "../../src/evidence/proof.ts";
import { createProofRunner } from "../../src/prove/run-proof.ts";
import { openScanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { egressTo } from "../support/servers.ts";
import { openTestBrowser } from "../support/test-browser.ts";
import { policyHost, type SiteReady, siteHost } from "./site.ts";

/** Rows that need DNSSEC, which the site's resolver does not validate. */
const rowsOfValidation = ["dnssec", "mail-dane"];
const memoryLimits = { childBytesMax: 1_024 ** 3, browserBytesMax: 2 * 1_024 ** 3 };
const closedProxyUrl = "http://127.0.0.1:1";

export interface CompleteScan {
  readonly tookMs: number;
  readonly screenshotBytes: number;
  readonly evidence: Evidence;
  /** Milliseconds by name of probe. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface ScannerUnderTest {
  /** Scans the site. @throws Error if the scan is not complete: an incomplete one would be too fast. */
  scan(): Promise<CompleteScan>;
  /** Proves headers on pages of the site. @throws Error if they are not proven. */
  prove(urls: readonly string[], plan: ProofPlan): Promise<{ readonly tookMs: number; readonly visits: number }>;
  close(): Promise<void>;
}

export interface ScannerSetup {
  readonly concurrency: number;
  readonly screenshots: boolean;
}

export function openScannerUnderTest(site: SiteReady, { concurrency, screenshots }: ScannerSetup): ScannerUnderTest {
  const { httpsPort, httpPort, dns, rootPem } = site;
  const dir = mkdtempSync(join(tmpdir(), "assay-bench-browser-"));
  const log = createLog({ level: "warn", format: "text" });
  const browsers = openBrowsers({ path: null, dir, sandbox: "auto", limits: memoryLimits, log });
  const scanner = openScanner({
    clock: systemClock,
    egress: egressTo(
      { [`${siteHost}:443`]: { port: httpsPort }, [`${policyHost}:443`]: { port: httpsPort }, [`${siteHost}:80`]: { port: httpPort } },
      { dnsServers: [dns] },
    ),
    caPems: [rootPem],
    deadlines: defaultDeadlines,
    concurrency,
    catalog: builtInCatalog(),
    browsers,
    workerFiles,
    log,
    screenshots,
  });
  const runProof = createProofRunner({ scanner, headerCharsMax: headerValueCharsMax, clock: systemClock, log });
  return {
    scan: async () => {
      const beganMs = performance.now();
      const outcome = await scanner.scanUrl(`https://${siteHost}/`, () => {});
      const tookMs = performance.now() - beganMs;
      if (outcome.status === "failed") throw new Error(`the scan failed: ${outcome.code}`);
      const failures = outcome.result.ledger
        .filter(({ key, state }) => state === "notChecked" && !rowsOfValidation.includes(key))
        .map(({ key, notCheckedBecause }) => `${key} (${notCheckedBecause})`);
      if (!outcome.result.measured || failures.length > 0) throw new Error(`the scan is not complete: ${failures.join(", ")}`);
      return { tookMs, screenshotBytes: outcome.screenshot?.length ?? 0, evidence: outcome.evidence, timings: outcome.timings };
    },
    prove: async (urls, plan) => {
      const beganMs = performance.now();
      const { signal } = new AbortController();
      let held = 1;
      // As the dispatcher does where nothing else runs.
      const takeFree = async () => {
        if (held >= concurrency) return null;
        held += 1;
        return () => {
          held -= 1;
        };
      };
      const watch = { onStep: () => {}, signal, giveWay: (wait: () => Promise<void>) => wait(), takeFree };
      const proof = await runProof({ token: "bench", url: urls[0] ?? "", urls, plan }, watch);
      const tookMs = performance.now() - beganMs;
      if (typeof proof === "string") throw new Error(`the proof failed: ${proof}`);
      const { proven, verdict, visits } = proof.body;
      if (!proven) throw new Error(`nothing is proven: ${verdict}`);
      return { tookMs, visits };
    },
    close: async () => {
      await scanner.close();
      await browsers.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Milliseconds from the launch of a slot's browser to a page that answers. */
export async function slotStartMs(): Promise<number> {
  const browser = openTestBrowser();
  try {
    const beganMs = performance.now();
    const { session, close } = await openPage(await browser.hold(), closedProxyUrl);
    await session.send("Runtime.evaluate", { expression: "1" });
    const tookMs = performance.now() - beganMs;
    close();
    return tookMs;
  } finally {
    await browser.stop();
  }
}
