/** Scans the sites of the laboratory by the real scanner; apart from the tests, since also a program does so that is none. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/base/log.ts";
import { openBrowser } from "../../src/browser/browser.ts";
import { blockedPorts } from "../../src/egress/blocked-ports.ts";
import { openScanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../src/scan/task.ts";
import type { FinishedScan, LabCase } from "./laboratory.ts";

/** A browser for many scans; each of them has workers of its own, since what it trusts and where it may go differs. */
export function openLaboratory() {
  const dir = mkdtempSync(join(tmpdir(), "assay-lab-browser-"));
  const browser = openBrowser({ path: null, dir, sandbox: "auto" });
  const log = createLog({ level: "warn", format: "text" });
  return {
    ready: async () => {
      await browser.endpoint();
    },
    /** @throws Error when the scan failed as a whole. */
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
        // A thread that ends leaves the ports of its proxies shut. Here hundreds end in one process, and the next case may get such a port.
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
