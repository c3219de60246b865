/** Hostile evidence of a worker through the store and onto the pages. */
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { packResult } from "../../../src/fleet/results.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { hostileEvidence } from "../../fuzz/hostile-evidence.ts";
import { receivedFrom } from "../../fuzz/results.ts";
import { pixelJpeg, storeFinished } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

const scans = 10;
const seed = 15;
const timings = { total: 1 };
const catalog = { checks: builtInChecks, version: "0123456789abcdef" };

test.each(fc.sample(hostileEvidence, { numRuns: scans, seed }).map((evidence, at) => [at, evidence] as const))(
  "evidence %d is stored and shown",
  async (at, evidence) => {
    const sent = { evidence, timings, screenshot: new Uint8Array(pixelJpeg), refusals: [], unreachable: null, browserBroke: false };
    const received = receivedFrom(packResult(sent), evidence.subject);
    if ("fault" in received || typeof received.gathered === "string") throw new Error(JSON.stringify(received));
    const { result } = performJudge({ evidence: received.gathered.evidence, hung: [] }, catalog, () => {});
    const { token } = await storeFinished(pages.store, { ...received.gathered, result, at: new Date() });
    const { subject: _, ...stored } = pages.store.evidence.find(token)?.evidence ?? {};
    const { subject: __, ...taken } = received.gathered.evidence;
    expect(stored).toEqual(taken);
    const locale = at % 2 === 0 ? "en-gb" : "de-de";
    for (const path of ["", ".json", ".md", ".html", `/compare?with=${token}`, "/screenshot"]) {
      const answer = await fetch(`${pages.url}/scans/${token}${path}`, { headers: { cookie: `locale=${locale}` } });
      expect([path, answer.status < 500]).toEqual([path, true]);
      const text = await answer.text();
      if (path === "") expect(text.match(/<script/g)).toHaveLength(1);
    }
  },
);

test("no internal error was logged", () => {
  expect(pages.logged).toEqual([]);
});
