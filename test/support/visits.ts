/** Loads pages in the real browser through the real SSRF guard and forward proxy, for tests of the page probe. */
import { builtInChecks } from "../../checks/index.ts";
import { openEgress } from "../../src/egress/dial.ts";
import { type EgressProxy, startProxy } from "../../src/egress/proxy.ts";
import type { EgressSettings } from "../../src/egress/settings.ts";
import type { Reading, Readings } from "../../src/evidence/evidence.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import { type PageProbeContext, type PageReadings, probePage } from "../../src/probe/browser/page.ts";
import type { PageImage } from "../../src/probe/browser/page-screenshot.ts";
import { subjectOf } from "../../src/scan/task.ts";
import { evidence } from "./evidence.ts";
import type { TestBrowser } from "./test-browser.ts";

export const deadlines = { navigationMs: 3_000, settleMs: 100, settleMaxMs: 1_000, documentMs: 2_500 };
/** Deadlines for sound pages, which a busy machine loads slowly, and whose scripts it runs late. */
export const patientDeadlines = { navigationMs: 30_000, settleMs: 500, settleMaxMs: 15_000, documentMs: 20_000 };

export interface VisitOptions extends Partial<Pick<PageProbeContext, "signal" | "deadlines" | "observer" | "credentials">> {
  readonly egress: EgressSettings;
  /** Characters kept of a header value; the default limit if absent. */
  readonly headerCharsMax?: number;
  /** Called after the visit, with what its proxy knows of the hosts that were asked for. */
  readonly inspect?: (proxy: Pick<EgressProxy, "failureOf">) => void;
}

/** One visit like in a scan, with a separate egress, proxy and browser context. */
export async function visit(browser: TestBrowser, url: string, options: VisitOptions): Promise<PageReadings> {
  return (await visitAndShoot(browser, url, { screenshot: false, ...options })).readings;
}

export async function visitAndShoot(
  browser: TestBrowser,
  url: string,
  { egress: settings, headerCharsMax, inspect, ...given }: VisitOptions & { readonly screenshot?: boolean },
): Promise<{ readonly readings: PageReadings; readonly screenshot: PageImage; readonly browserBroke: boolean }> {
  const egress = openEgress(settings);
  const proxy = await startProxy(egress);
  try {
    return await browser.use(async (scanBrowser) => {
      const { readings, screenshot, browserBroke } = await probePage({
        browser: scanBrowser,
        subject: subjectOf(url, new Date().toISOString(), headerCharsMax),
        egress,
        onDocument: () => {},
        proxy,
        signal: AbortSignal.timeout(30_000),
        screenshot: true,
        deadlines,
        ...given,
      });
      return { readings, screenshot: await screenshot, browserBroke };
    });
  } finally {
    inspect?.(proxy);
    await proxy.stop();
    egress.close();
  }
}

/** The facts of a reading. @throws Error with the reading's name and failure. */
export function factsOf<N extends keyof PageReadings>(readings: PageReadings, name: N) {
  const reading: Reading<unknown> = readings[name];
  if (reading.status !== "read") throw new Error(`${name} failed: ${reading.because}`);
  return reading.facts as Extract<Readings[N], { status: "read" }>["facts"];
}

/** Result of these rows, as the ledger judges a visit of `url`. @throws Error for a check that breaks. */
export function judgedVisit(readings: PageReadings, url: string, rows: readonly string[]): StoredResult {
  const checks = builtInChecks.filter(({ key }) => rows.includes(key));
  return judgeEvidence({ ...evidence({ url }), ...readings }, { checks, version: "test" }, (key, fault) => {
    throw new Error(`${key}: ${fault}`);
  });
}

/** State of each row with its finding codes. */
export function verdictsOn(...visited: Parameters<typeof judgedVisit>): Readonly<Record<string, readonly string[]>> {
  const { ledger, findings } = judgedVisit(...visited);
  const codesOf = (row: string) => findings.filter(({ checkKey }) => checkKey === row).map(({ code }) => code);
  return Object.fromEntries(ledger.map(({ key, state }) => [key, [state, ...codesOf(key)]]));
}
