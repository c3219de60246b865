/** A scan in whose page load the gathering thread is stopped has the ledger of a scan on an idle machine. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { gatherEvidence } from "../../../src/scan/gather.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { defaultDeadlines, type ScanDeadlines } from "../../../src/scan/task.ts";
import { type DelayedSite, startDelayedSite } from "../../integration/scan/delayed-site.ts";
import { egressTo } from "../../support/servers.ts";
import { openTestBrowser } from "../../support/test-browser.ts";

const testMs = 120_000;
const delayMs = 2_000;
const browser = openTestBrowser();
let site: DelayedSite;

beforeAll(async () => {
  site = await startDelayedSite(delayMs);
  await browser.use(async () => {});
}, testMs);
afterAll(async () => {
  await site.stop();
  await browser.stop();
});

/** Stops the thread for so long while it browses; the page needs `delayMs`. */
async function scanned(stopMs: number, deadlines: Partial<ScanDeadlines> = {}) {
  const task = {
    url: "http://site.test/",
    scannedAt: "2026-11-02T12:00:00.000Z",
    egress: egressTo({ "site.test:80": { port: site.port } }),
    caPems: [],
    scriptAdvisories: null,
    screenshot: false,
    credentials: null,
    headerValueCharsMax,
    deadlines: { ...defaultDeadlines, ...deadlines },
    freshBrowser: false,
  };
  const onStage = (stage: string) => {
    if (stage === "browsing" && stopMs > 0) setTimeout(() => Bun.sleepSync(stopMs), 500);
  };
  const gathered = await browser.use((opened) => gatherEvidence(task, opened, { clock: systemClock, onStage, onTrace: () => {} }));
  const { ledger, score, measured } = performJudge({ evidence: gathered.evidence, hung: [] }, builtInCatalog(), () => {}).result;
  return { unreachable: gathered.unreachable, ledger, score, measured };
}

test(
  "a stop that is longer than every deadline of the page load changes nothing",
  async () => {
    const calm = await scanned(0);
    expect(calm).toMatchObject({ unreachable: null, measured: true });
    expect(await scanned(6_000, { navigationMs: 4_000, settleMaxMs: 1_000, documentMs: 3_000 })).toEqual(calm);
  },
  testMs,
);

test("without a stop, the same deadlines tell the silence of a site", async () => {
  expect(await scanned(0, { navigationMs: 1_000 })).toMatchObject({ unreachable: "timeout" });
}, 30_000);
