/** Scans laboratory sites with the real scanner. Free of the test API, because build/capture-evidence.ts uses it too. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/base/log.ts";
import { openBrowser } from "../../src/browser/browser.ts";
import { blockedPorts } from "../../src/egress/blocked-ports.ts";
import { openScanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import type { FinishedScan, LabCase } from "./laboratory.ts";

/** One browser for many scans. Each scan has its own scanner, because trusted roots and egress settings differ. */
export function openLaboratory() {
  const dir = mkdtempSync(join(tmpdir(), "assay-lab-browser-"));
  const browser = openBrowser({ path: null, dir, sandbox: "auto" });
  const log = createLog({ level: "warn", format: "text" });
  return {
    ready: async () => {
      await browser.endpoint();
    },
    /** @throws Error if the scan failed. */
    scan: async (labCase: Pick<LabCase, "serve">): Promise<FinishedScan> => {
      const site = await labCase.serve();
      const scanner = openScanner({
        egress: site.egress,
        caPems: site.caPems,
        deadlines: { ...defaultDeadlines, ...site.deadlines },
        concurrency: 1,
        checksDir: null,
        browser,
        workerFile: join(import.meta.dirname, "../../src/app/worker.ts"),
        log,
      });
      try {
        const outcome = await scanner.scanUrl(site.url, () => {});
        if (outcome.status === "failed") throw new Error(`the scan of ${site.url} failed: ${outcome.code}`);
        return outcome;
      } finally {
        await scanner.close();
        // An ended worker leaves the ports of its proxies blocked. With hundreds of workers, the next case could get such a port.
        new Uint8Array(blockedPorts()).fill(0);
        await site.stop?.();
      }
    },
    close: async () => {
      await browser.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
