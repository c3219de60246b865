/** A thread that could not go on does not take its own standstill for the silence of a site: real deadlines, and a thread that is stopped. */
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { heedStandstill, watchStandstill } from "../../../src/base/standstill.ts";
import { openEgress } from "../../../src/egress/dial.ts";
import { failed, isSilence, type Reading, withoutSilence } from "../../../src/evidence/evidence.ts";
import { probeCrossOrigin } from "../../../src/probe/http/http.ts";
import { startWatch } from "../../../src/scan/gather.ts";
import { subjectOf } from "../../../src/scan/task.ts";
import { cleanUp, onCleanUp } from "../../support/clean-up.ts";
import { egressTo } from "../../support/servers.ts";
import { startDelayedSite } from "./delayed-site.ts";

const url = "http://site.test/";
/** Longer than the deadline of a request, 6 s. */
const stopMs = 6_500;
const probeMs = 10_000;
const testMs = 40_000;

afterEach(cleanUp);

/** Stops this thread soon after the first requests were sent, `stops` times. */
async function probed(port: number, stops: number): Promise<{ readonly reading: Reading<unknown>; readonly tries: number }> {
  const egress = openEgress(egressTo({ "site.test:80": { port } }));
  const standstill = watchStandstill(systemClock);
  const stopHeeding = heedStandstill(standstill);
  onCleanUp(() => {
    stopHeeding();
    standstill.stop();
    egress.close();
  });
  const watch = startWatch(new AbortController().signal, standstill, { clock: systemClock, onStage: () => {}, onTrace: () => {} });
  const subject = subjectOf(url, new Date().toISOString());
  let tries = 0;
  const reading = await watch.within<Reading<unknown>>({
    name: "crossOrigin",
    deadlineMs: probeMs,
    probe: (signal) => {
      if (++tries <= stops) setTimeout(() => Bun.sleepSync(stopMs), 200);
      return probeCrossOrigin({ egress, subject, url, signal });
    },
    otherwise: failed,
    isSilent: isSilence,
    withoutSilence,
  });
  return { reading, tries };
}

async function siteWith(delayMs: number): Promise<number> {
  const site = await startDelayedSite(delayMs);
  onCleanUp(async () => void (await site.stop()));
  return site.port;
}

describe("a site", () => {
  test(
    "that answers in time is read the same by a thread that was stopped meanwhile",
    async () => {
      const port = await siteWith(1_000);
      const calm = await probed(port, 0);
      expect(calm).toMatchObject({ reading: { status: "read", facts: { status: 200 } }, tries: 1 });
      expect(await probed(port, 1)).toEqual(calm);
    },
    testMs,
  );

  test(
    "that does not answer in time is silent, for a thread that could have read it",
    async () => expect(await probed(await siteWith(20_000), 0)).toEqual({ reading: failed("timeout"), tries: 1 }),
    testMs,
  );

  test(
    "that does not answer a thread that was stopped is asked again",
    async () => expect(await probed(await siteWith(60_000), 1)).toEqual({ reading: failed("timeout"), tries: 2 }),
    testMs,
  );

  test(
    "that does not answer a thread that was stopped twice is not blamed",
    async () => expect(await probed(await siteWith(60_000), 2)).toEqual({ reading: failed("server-busy"), tries: 2 }),
    testMs,
  );
});
