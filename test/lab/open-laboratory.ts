/** Scans laboratory sites with the real probes and checks. Free of the test API, because build/capture-evidence.ts uses it too. */
import { systemClock } from "../../src/base/clock.ts";
import { builtInCatalog } from "../../src/catalog/catalog.ts";
import { headerValueCharsMax } from "../../src/evidence/limits.ts";
import { gatherEvidence } from "../../src/scan/gather.ts";
import { performJudge } from "../../src/scan/judge-task.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import { openTestBrowser } from "../support/test-browser.ts";
import type { FinishedScan, LabCase } from "./laboratory.ts";

/** One browser slot for many scans, in this thread: each scan has its own trusted roots and egress settings. */
export function openLaboratory() {
  const browser = openTestBrowser();
  const catalog = builtInCatalog();
  return {
    ready: () => browser.use(async () => {}),
    /** @throws Error if the scan failed. */
    scan: async (labCase: Pick<LabCase, "serve">): Promise<FinishedScan> => {
      const site = await labCase.serve();
      const task = {
        url: site.url,
        scannedAt: new Date().toISOString(),
        egress: site.egress,
        caPems: site.caPems,
        scriptAdvisories: null,
        screenshot: false,
        credentials: null,
        headerValueCharsMax,
        deadlines: { ...defaultDeadlines, ...site.deadlines },
        freshBrowser: false,
      };
      try {
        const gathered = await browser.use((scanBrowser) =>
          gatherEvidence(task, scanBrowser, { clock: systemClock, onStage: () => {}, onTrace: () => {} }),
        );
        const { evidence, screenshot, timings, unreachable } = gathered;
        if (unreachable !== null) throw new Error(`the scan of ${site.url} failed: ${unreachable}`);
        const { result, faults } = performJudge({ evidence, hung: [] }, catalog, () => {});
        if (faults.length > 0) throw new Error(`checks failed: ${JSON.stringify(faults)}`);
        return { status: "finished", result, evidence, screenshot, timings };
      } finally {
        await site.stop?.();
      }
    },
    close: () => browser.stop(),
  };
}
