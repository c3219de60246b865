/** Reachability of a scan, and standstills during its probes; `engine.test.ts` tests gathering as a whole. */
import { describe, expect, test } from "vitest";
import { aborted, pause } from "../../../src/base/clock.ts";
import { watchStandstill } from "../../../src/base/standstill.ts";
import { failed, isSilence, type ProbeFailure, type Reading, read, withoutSilence } from "../../../src/evidence/evidence.ts";
import { startWatch, watchedPage, withinTask } from "../../../src/scan/gather.ts";
import { defaultDeadlines, type Gathered, type GatherTask, unreachableBecause, withCrashedPage } from "../../../src/scan/task.ts";
import { egressSettings } from "../../support/egress-settings.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

describe("a scan", () => {
  test.each<[string, EvidenceGiven, string | null]>([
    ["is judged when the browser got a response", {}, null],
    ["is judged when the response was a server error", { page: "server-error" }, null],
    ["is judged when only our own client completed TLS", { navigation: "tls" }, null],
    ["is judged when browsers refuse the server's TLS", { navigation: "tls-incompatible" }, null],
    [
      "is judged when http leads to a server whose TLS browsers refuse",
      { url: "http://site.example/", navigation: "tls-incompatible" },
      null,
    ],
    ["is unreachable when nobody completed TLS", { navigation: "tls-incompatible", tls: "tls" }, "tls"],
    ["is judged when the browser timed out but TLS worked", { navigation: "timeout" }, null],
    ["is unreachable when both failed", { navigation: "refused", tls: "refused" }, "refused"],
    ["is unreachable when TLS works only on another port", { url: "http://site.example/", navigation: "timeout" }, "timeout"],
    ["is blocked despite other readings", { navigation: "blocked" }, "blocked"],
    ["takes the error code from the browser", { navigation: "redirects", tls: "timeout" }, "redirects"],
    ["is judged when the browser had no processor time", { navigation: "server-busy", tls: "timeout" }, null],
    ["is judged when the browser timed out and the TLS probe had no processor time", { navigation: "timeout", tls: "server-busy" }, null],
    [
      "is unresolved although the TLS probe had no processor time",
      { url: "http://site.example/", navigation: "unresolved", tls: "server-busy" },
      "unresolved",
    ],
    ["is unreachable when the response is not a page", { navigation: "unsupported", tls: "tls" }, "invalid"],
  ])("%s", (_words, given, code) => {
    expect(unreachableBecause(evidence(given))).toBe(code as never);
  });
});

test("a page that the browser broke on is our failure, unless it is known that we had no processor time", () => {
  const broken = (given: EvidenceGiven): Gathered => ({
    ...{ evidence: evidence(given), screenshot: new Uint8Array(1), timings: {}, unreachable: null, browserBroke: true, refusals: [] },
  });
  const busy = broken({ navigation: "server-busy" });
  expect(withCrashedPage(busy)).toBe(busy);
  const { evidence: crashed, screenshot } = withCrashedPage(broken({ navigation: "timeout" }));
  expect([crashed.navigation, crashed.page, screenshot]).toEqual([failed("crashed"), failed("crashed"), null]);
});

describe("the trace of a probe", () => {
  test.each<[string, (clock: ReturnType<typeof fakeClock>) => void, Record<string, number | undefined>]>([
    ["has no standstill while timers fire in time", (clock) => clock.advance(2_000), { ms: 2_000, stoodMs: undefined }],
    ["says for how long of its time the thread could not go on", (clock) => clock.stall(2_000), { ms: 2_000, stoodMs: 1_900 }],
    ["says so of a deadline that fired late", (clock) => clock.stall(60_000), { ms: 60_000, stoodMs: 59_900 }],
  ])("%s", async (_words, pass, expected) => {
    const clock = fakeClock();
    const traces: unknown[] = [];
    const standstill = watchStandstill(clock);
    clock.stall(5_000);
    const listener = { clock, onStage: () => {}, onTrace: (trace: unknown) => void traces.push(trace) };
    const watch = startWatch(new AbortController().signal, standstill, listener);
    const ended = Promise.withResolvers<string>();
    const probed = watch.within<string>({
      name: "tls",
      deadlineMs: 10_000,
      probe: (signal) => {
        signal.addEventListener("abort", () => ended.resolve("late"));
        return ended.promise;
      },
      otherwise: (because) => because,
      isSilent: () => false,
      withoutSilence: (value) => value,
    });
    pass(clock);
    ended.resolve("read");
    await settled();
    await probed;
    const { ms, stoodMs } = traces.at(-1) as { ms: number; stoodMs?: number };
    expect({ ms, stoodMs }).toEqual(expected as never);
  });
});

describe("a probe", () => {
  type Reply = (clock: ReturnType<typeof fakeClock>, signal: AbortSignal) => Promise<Reading<string>>;

  /** Passes the time of a probe, then is silent until its deadline. */
  const silent =
    (pass: (clock: ReturnType<typeof fakeClock>) => void, because: ProbeFailure = "timeout"): Reply =>
    async (clock, signal) => {
      pass(clock);
      if (!signal.aborted) await clock.until(aborted(signal));
      return failed(because);
    };
  const answers: Reply = async () => read("answer");
  const fails =
    (because: ProbeFailure, pass: (clock: ReturnType<typeof fakeClock>) => void): Reply =>
    async (clock) => {
      pass(clock);
      return failed(because);
    };
  const stood: (clock: ReturnType<typeof fakeClock>) => void = (clock) => clock.stall(6_000);
  const waited: (clock: ReturnType<typeof fakeClock>) => void = (clock) => clock.advance(6_000);

  /** Reading, and number of tries. */
  async function probed(...replies: readonly Reply[]): Promise<readonly [string, number]> {
    const clock = fakeClock();
    const standstill = watchStandstill(clock);
    const watch = startWatch(new AbortController().signal, standstill, { clock, onStage: () => {}, onTrace: () => {} });
    let tries = 0;
    const reading = await watch.within<Reading<string>>({
      name: "tls",
      deadlineMs: 10_000,
      probe: (signal) => (replies[tries++] ?? answers)(clock, signal),
      otherwise: failed,
      isSilent: isSilence,
      withoutSilence,
    });
    return [reading.status === "read" ? reading.facts : reading.because, tries];
  }

  test.each<[string, readonly Reply[], string, number]>([
    ["that is answered is asked once", [answers], "answer", 1],
    ["that waited in vain is not repeated: the site was silent", [silent(waited)], "timeout", 1],
    ["that stood still is repeated", [silent(stood), answers], "answer", 2],
    ["that stood still and then waited in vain was met by silence", [silent(stood), silent(waited)], "timeout", 2],
    ["that stood still twice had no processor time", [silent(stood), silent(stood)], "server-busy", 2],
    ["whose server gave up meanwhile is repeated", [fails("unreachable", stood), answers], "answer", 2],
    ["whose server gave up twice had no processor time", [fails("invalid", stood), fails("tls", stood)], "server-busy", 2],
    ["that stood still and was refused is not repeated", [fails("refused", stood)], "refused", 1],
    ["that stood still for less than a second is not repeated", [fails("unreachable", (clock) => clock.stall(900))], "unreachable", 1],
    [
      "that stood still for less than a tenth of its time is not repeated",
      [
        fails("unreachable", (clock) => {
          clock.stall(1_500);
          clock.advance(14_000);
        }),
      ],
      "unreachable",
      1,
    ],
  ])("%s", async (_words, replies, expected, tries) => {
    expect(await probed(...replies)).toEqual([expected, tries]);
  });

  test.each([
    ["soon", 400, read("late")],
    ["too late", 600, failed("timeout")],
  ] as const)("that is aborted and ends %s after it", async (_words, afterMs, expected) => {
    const clock = fakeClock();
    const watch = startWatch(new AbortController().signal, watchStandstill(clock), { clock, onStage: () => {}, onTrace: () => {} });
    const within = watch.within<Reading<string>>({
      name: "tls",
      deadlineMs: 10_000,
      probe: async (signal) => {
        await aborted(signal);
        await pause(clock, afterMs);
        return read("late");
      },
      otherwise: failed,
      isSilent: () => false,
      withoutSilence,
    });
    expect(await clock.until(within)).toEqual(expected);
  });

  test("is not repeated after the end of the scan", async () => {
    const clock = fakeClock();
    const scanEnds = new AbortController();
    const watch = startWatch(scanEnds.signal, watchStandstill(clock), { clock, onStage: () => {}, onTrace: () => {} });
    let tries = 0;
    const reading = await watch.within<Reading<string>>({
      name: "tls",
      deadlineMs: 10_000,
      probe: async () => {
        tries++;
        clock.stall(6_000);
        scanEnds.abort();
        return failed("timeout");
      },
      otherwise: failed,
      isSilent: isSilence,
      withoutSilence,
    });
    expect([reading, tries]).toEqual([failed("server-busy"), 1]);
  });
});

test("a page is silent when one of its readings is", () => {
  const page = watchedPage({} as never, defaultDeadlines);
  const visit = (given: EvidenceGiven) => ({ readings: { page: evidence(given).page, dom: evidence(given).dom } }) as never;
  expect([visit({}), visit({ dom: "timeout" }), visit({ page: "timeout", dom: "timeout" })].map(page.isSilent)).toEqual([
    false,
    true,
    true,
  ]);
});

test("no timer stays behind a task", async () => {
  const clock = fakeClock();
  const task = {
    ...{ url: "https://site.test/", scannedAt: clock.now().toISOString(), headerValueCharsMax: 512, egress: egressSettings() },
    ...{ deadlines: defaultDeadlines, caPems: [], screenshot: false, credentials: null, scriptAdvisories: null },
  } as unknown as GatherTask;
  const listener = { clock, onStage: () => {}, onTrace: () => {} };
  const waits = await withinTask(task, { processorWait: () => 0 } as never, listener, async () => clock.waits().length);
  expect([waits > 0, clock.waits()]).toEqual([true, []]);
});
