/** The pages as the server runs them, over a real store that holds many scans and one full report. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeSite } from "../support/finished-scans.ts";
import { startPages } from "../support/pages.ts";
import { given, say } from "./child.ts";
import { manyHost, storeManyScans } from "./many-scans.ts";

/** Earlier scans of the same URL: reports tell since when a finding stands. */
const earlierScans = 20;

export interface PagesGiven {
  /** Besides those of the site with the report. */
  readonly scans: number;
}

export interface PagesSaid {
  readonly port: number;
  /** Of a scan with nearly every check violated. */
  readonly scanToken: string;
  /** One of the many that were scanned. */
  readonly host: string;
  readonly dataDir: string;
}

const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-pages-"));
const { scans } = given<PagesGiven>();
await storeManyScans(dataDir, scans);
const pages = await startPages({ dataDir });
for (let earlier = 0; earlier < earlierScans; earlier++) await storeSite(pages.store, "bare", { at: new Date() });
const { token: scanToken } = await storeSite(pages.store, "bare", { at: new Date() });
const said: PagesSaid = { port: Number(new URL(pages.url).port), scanToken, host: manyHost(7), dataDir };
say(said);
