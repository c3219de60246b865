/** Hostile pages beside ordinary scans, in the compiled program as an ordinary user inside a memory limit. */
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageMsMax as pageVisitsMsMax } from "../../../src/prove/prove.ts";
import { endServers } from "../../support/program.ts";
import { type BesideReport, type Calm, measureCalm, runBeside } from "./beside.ts";
import { chosenPages } from "./hostile-pages.ts";
import { groupProcesses, type LimitedAppliance, readOf, skipping, startLimitedAppliance } from "./limited-appliance.ts";

const pageMsMax = 500_000;
/** The first start unpacks the browser. */
const startMsMax = 120_000;
/** An ordinary scan beside a hostile one takes at most so many times its usual time. The median decides. */
const timesUsualMax = 2;
/** The slowest of them, which other work on the machine may hit. */
const slowestTimesUsualMax = 4;
/** The scan's own deadline, with what a thread may take to stop. */
const hostileSecondsMax = 100;
/** All visits of a page, the last of which may begin just before the limit, and the scan before them. */
const proofSecondsMax = pageVisitsMsMax / 1_000 + hostileSecondsMax;
/** Time from the end of a hostile scan until the memory is back near the calm peak. */
const backSecondsMax = 15;
// reads: dist/
const reportFile = resolve(import.meta.dirname, "../../../dist/hostile-pages.json");
/** Failures that blame the site, which has answered. */
const blamesTheSite = /unreachable|refused|unresolved|invalid|blocked/;

const suite = "beside a hostile page";
const { skipped, note } = skipping(suite);

describe.skipIf(skipped)(suite + note, () => {
  let appliance: LimitedAppliance;
  let calm: Calm;
  const reports: BesideReport[] = [];

  beforeAll(async () => {
    appliance = await startLimitedAppliance();
    calm = await measureCalm(appliance);
    const { medianMs, peakBytes } = calm;
    process.stderr.write(`calm: ${medianMs.toFixed(0)} ms a scan, ${(peakBytes / 1024 ** 2).toFixed(0)} MB at the peak\n`);
  }, startMsMax);

  afterAll(async () => {
    await appliance?.stop();
    await endServers();
    mkdirSync(resolve(reportFile, ".."), { recursive: true });
    writeFileSync(reportFile, JSON.stringify({ calm: { ...calm, unread: [...(calm?.unread ?? [])] }, pages: reports }, null, 1));
  }, startMsMax);

  test("the browser is sandboxed", () => {
    const [renderer = 0] = groupProcesses(appliance.group, "--type=renderer");
    // Linux, seccomp(2): 2 is a filter. The second id of the process is the one in its own namespace.
    expect(readOf(renderer, "status")).toMatch(/^Seccomp:\s+2$/m);
    expect(readOf(renderer, "status")).toMatch(/^NSpid:\s+\d+\s+\d+/m);
    expect(appliance.server.stderr()).not.toContain("without sandbox");
  });

  for (const page of chosenPages(process.env.HOSTILE_PAGES)) {
    test(
      page.name,
      async () => {
        const report = await runBeside(appliance, calm, page);
        reports.push(report);
        process.stderr.write(`${JSON.stringify(report)}\n`);
        expect(report).toMatchObject({ flaws: [], serverAlive: true, readyStatus: 200 });
        expect(report.outcome).not.toMatch(blamesTheSite);
        if (page.proof !== undefined) expect(page.proof.told).toContain(report.outcome);
        expect(report.seconds).toBeLessThan(page.proof === undefined ? hostileSecondsMax : proofSecondsMax);
        expect(report.timesUsualBeside).toBeLessThanOrEqual(timesUsualMax);
        expect(report.timesUsualAfter ?? 0).toBeLessThanOrEqual(timesUsualMax);
        expect(report.slowestTimesUsual).toBeLessThanOrEqual(slowestTimesUsualMax);
        expect(report.backAfterSeconds ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(backSecondsMax);
      },
      pageMsMax,
    );
  }
});
