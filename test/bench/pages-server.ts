/** Serves the pages over a real store with many scans and one full report. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeSite } from "../support/finished-scans.ts";
import { startPages } from "../support/pages.ts";
import { childInput, sendReady } from "./child.ts";
import { manyHost, storeManyScans } from "./many-scans.ts";

/** Earlier scans of the same URL: reports show since when a finding exists. */
const earlierScans = 20;

export interface PagesInput {
  /** Number of scans besides the scans of the site with the report. */
  readonly scans: number;
}

export interface PagesReady {
  readonly port: number;
  /** Scan with nearly every check violated. */
  readonly scanToken: string;
  /** One of the many scanned hosts. */
  readonly host: string;
  readonly dataDir: string;
}

const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-pages-"));
const { scans } = childInput<PagesInput>();
await storeManyScans(dataDir, scans);
const pages = await startPages({ dataDir });
for (let earlier = 0; earlier < earlierScans; earlier++) await storeSite(pages.store, "bare", { at: new Date() });
const { token: scanToken } = await storeSite(pages.store, "bare", { at: new Date() });
const ready: PagesReady = { port: Number(new URL(pages.url).port), scanToken, host: manyHost(7), dataDir };
sendReady(ready);
